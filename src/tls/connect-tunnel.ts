// TLS inside a tunnel: a proxy that is asked to CONNECT hands on what follows as it is, and that is TLS in nearly all cases,
// whether the proxy itself was asked through TLS or not (RFC 9110, 9.3.6). Knows how a CONNECT and its answer begin and
// end; records and keys are the decrypter's.
//
//   client   CONNECT 192.0.2.10:6443 HTTP/1.1 … CRLF CRLF                              | ClientHello …
//   server                                                HTTP/1.1 200 … CRLF CRLF |              ServerHello …
//
// A CONNECT may come after other requests, or again after an answer that wants credentials (407): it is looked for where
// bytes of the client begin with it, as those of a request that waited for the answer before it do.

import type { Notice } from '../core/notice.js';
import type { Connection, Side, StreamEvent } from '../tcp/stream-event.js';
import type { TlsDecrypter } from './tls-decrypter.js';

type TunnelOutput = StreamEvent | Notice;

/** What a decrypter says, with what is in a tunnel decrypted once more. @param open makes the decrypter of a connection. */
export function tunnelDecrypter(
  open: (connection: Connection) => TlsDecrypter,
): (connection: Connection) => TlsDecrypter {
  return (connection) => new Tunnelled(open(connection), () => open(connection));
}

class Tunnelled implements TlsDecrypter {
  readonly #outer: TlsDecrypter;
  readonly #open: () => TlsDecrypter;
  /** The CONNECT that is being asked and its answer; null: none is, or the tunnel has begun. */
  #heads: Record<Side, Head> | null = null;
  #inner: TlsDecrypter | null = null;

  constructor(outer: TlsDecrypter, open: () => TlsDecrypter) {
    this.#outer = outer;
    this.#open = open;
  }

  get waiting(): boolean {
    return this.#outer.waiting || this.#inner?.waiting === true;
  }

  get holding(): boolean {
    return this.#outer.holding || this.#inner?.holding === true;
  }

  get over(): boolean {
    return (this.#inner ?? this.#outer).over;
  }

  feed(event: StreamEvent): readonly TunnelOutput[] {
    return this.#follow(this.#outer.feed(event));
  }

  retry(): readonly TunnelOutput[] {
    const out = this.#follow(this.#outer.retry());
    return this.#inner === null ? out : [...out, ...this.#inner.retry()];
  }

  end(): readonly TunnelOutput[] {
    const out = this.#follow(this.#outer.end());
    return this.#inner === null ? out : [...out, ...this.#inner.end()];
  }

  /** @param said borrowed: lists are used again by whoever is asked next. */
  #follow(said: readonly TunnelOutput[]): readonly TunnelOutput[] {
    if (this.#heads === null && this.#inner === null && !said.some(mayConnect)) return said;
    const out: TunnelOutput[] = [];
    for (const item of [...said]) this.#item(item, out);
    return out;
  }

  #item(item: TunnelOutput, out: TunnelOutput[]): void {
    if (item.kind === 'notice' || SAID_OF_TLS.has(item.kind)) out.push(item);
    else if (this.#inner !== null) out.push(...this.#inner.feed(item));
    else if (item.kind === 'data') {
      if (this.#heads === null && mayConnect(item))
        this.#heads = { client: new Head(CONNECT), server: new Head(ANSWER) };
      if (this.#heads === null) out.push(item);
      else this.#head(item, this.#heads, out);
    } else {
      if (item.kind !== 'closed' || item.from === null) this.#heads = null;
      out.push(item);
    }
  }

  #head(event: DataEvent, heads: Record<Side, Head>, out: TunnelOutput[]): void {
    const { client } = heads;
    let end = heads[event.from].read(event.bytes, 0);
    while (heads.server.isOver && heads.server.statusClass === INTERIM) {
      heads.server = new Head(ANSWER);
      end = heads.server.read(event.bytes, end);
    }
    const { server } = heads;
    // Who speaks out of turn has no tunnel: the client waits for the answer.
    const isInTurn = event.from === 'client' ? client.isGoingOn || end === event.bytes.length : client.isOver;
    const isRefused = server.isOver && server.statusClass !== SUCCESSFUL;
    if (!isInTurn || isRefused || heads[event.from].isOther) {
      this.#heads = null;
      out.push(event);
    } else if (!server.isOver) out.push(event);
    else {
      this.#heads = null;
      this.#inner = this.#open();
      if (end > 0) out.push({ ...event, bytes: event.bytes.subarray(0, end) });
      if (end < event.bytes.length) out.push(...this.#inner.feed({ ...event, bytes: event.bytes.subarray(end) }));
    }
  }
}

/** Does it begin like a CONNECT, as far as its first byte tells? */
function mayConnect(item: TunnelOutput): boolean {
  return item.kind === 'data' && item.from === 'client' && item.bytes[0] === FIRST_BYTE;
}

/** A head of HTTP/1 that comes in pieces: does it begin as it must, and where is its end? */
class Head {
  /** It begins in another way, or goes on for too long. */
  isOther = false;
  isOver = false;
  /** First digit of an answer's status. */
  statusClass = 0;
  readonly #begin: string;
  #length = 0;
  /** Bytes of CR LF CR LF that were just seen. */
  #ending = 0;

  /** @param begin `.` stands for any byte. */
  constructor(begin: string) {
    this.#begin = begin;
  }

  get isGoingOn(): boolean {
    return !this.isOver && !this.isOther;
  }

  /** @returns where in these bytes the head ends. */
  read(bytes: Uint8Array, start: number): number {
    for (let i = start; i < bytes.length; i += 1) {
      if (!this.isGoingOn) return i;
      const byte = bytes[i];
      if (this.#length === STATUS_AT) this.statusClass = byte;
      const expected = this.#length < this.#begin.length ? this.#begin.charCodeAt(this.#length) : ANY;
      this.#length += 1;
      if ((expected !== ANY && byte !== expected) || this.#length > MAX_HEAD_BYTES) this.isOther = true;
      const isNext = byte === (this.#ending % 2 === 0 ? CR : LF);
      this.#ending = isNext ? this.#ending + 1 : byte === CR ? 1 : 0;
      if (this.#ending === 4) this.isOver = true;
    }
    return bytes.length;
  }
}

type DataEvent = Extract<StreamEvent, { kind: 'data' }>;

const CONNECT = 'CONNECT ';
const FIRST_BYTE = 0x43;
const ANSWER = 'HTTP/1.. ';
/** Where an answer's status begins. */
const STATUS_AT = 9;
const INTERIM = 0x31;
const SUCCESSFUL = 0x32;
const ANY = 0x2e;
const CR = 0x0d;
const LF = 0x0a;
/** With credentials for the proxy, and what it says of itself; nginx and Go allow 8 KiB. */
const MAX_HEAD_BYTES = 16 * 1024;

/** Not what it carries. */
const SAID_OF_TLS: ReadonlySet<StreamEvent['kind']> = new Set(['established', 'secured', 'certificate', 'failed']);
