// TLS inside a tunnel: a proxy that is asked to CONNECT hands on what follows as it is, and that is TLS in nearly all cases,
// whether the proxy itself was asked through TLS or not (RFC 9110, 9.3.6). Knows how a CONNECT and its answer begin and
// end; records and keys are the decrypter's.
//
//   client   CONNECT 192.0.2.10:6443 HTTP/1.1 … CRLF CRLF                              | ClientHello …
//   server                                                HTTP/1.1 200 … CRLF CRLF |              ServerHello …

import type { Notice } from '../core/notice.js';
import type { Connection, Side, StreamEvent } from '../tcp/stream-event.js';
import type { TlsDecrypter } from './decrypter.js';

type Out = StreamEvent | Notice;

/** What a decrypter says, with what is in a tunnel decrypted once more. @param open makes the decrypter of a connection. */
export function tunnelDecrypter(
  open: (connection: Connection) => TlsDecrypter,
): (connection: Connection) => TlsDecrypter {
  return (connection) => new Tunnelled(open(connection), () => open(connection));
}

class Tunnelled implements TlsDecrypter {
  readonly #outer: TlsDecrypter;
  readonly #open: () => TlsDecrypter;
  /** What is asked and answered before the tunnel; null: there is none, or it has begun. */
  #heads: Readonly<Record<Side, Head>> | null = { client: new Head(CONNECT), server: new Head(ESTABLISHED) };
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

  feed(event: StreamEvent): readonly Out[] {
    return this.#follow(this.#outer.feed(event));
  }

  retry(): readonly Out[] {
    const out = this.#follow(this.#outer.retry());
    return this.#inner === null ? out : [...out, ...this.#inner.retry()];
  }

  end(): readonly Out[] {
    const out = this.#follow(this.#outer.end());
    return this.#inner === null ? out : [...out, ...this.#inner.end()];
  }

  /** @param said borrowed: lists are used again by whoever is asked next. */
  #follow(said: readonly Out[]): readonly Out[] {
    if (said.length === 0 || (this.#heads === null && this.#inner === null)) return said;
    const out: Out[] = [];
    for (const item of [...said]) this.#item(item, out);
    return out;
  }

  #item(item: Out, out: Out[]): void {
    if (item.kind === 'notice' || SAID_OF_TLS.has(item.kind)) out.push(item);
    else if (this.#inner !== null) out.push(...this.#inner.feed(item));
    else if (this.#heads === null) out.push(item);
    else if (item.kind === 'data') this.#head(item, this.#heads, out);
    else {
      if (item.kind !== 'closed' || item.from === null) this.#heads = null;
      out.push(item);
    }
  }

  #head(event: DataEvent, heads: Readonly<Record<Side, Head>>, out: Out[]): void {
    const { client, server } = heads;
    const end = heads[event.from].read(event.bytes);
    // Who speaks out of turn has no tunnel: the client waits for the answer.
    const isInTurn = event.from === 'client' ? client.isGoingOn || end === event.bytes.length : client.isOver;
    if (!isInTurn || heads[event.from].isOther) {
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

/** A head of HTTP/1 that comes in pieces: does it begin as it must, and where is its end? */
class Head {
  /** It begins in another way, or goes on for too long. */
  isOther = false;
  isOver = false;
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

  /** @returns bytes of these that belong to the head. */
  read(bytes: Uint8Array): number {
    for (let i = 0; i < bytes.length; i += 1) {
      if (!this.isGoingOn) return i;
      const byte = bytes[i];
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
const ESTABLISHED = 'HTTP/1.. 2';
const ANY = 0x2e;
const CR = 0x0d;
const LF = 0x0a;
/** With credentials for the proxy, and what it says of itself; nginx and Go allow 8 KiB. */
const MAX_HEAD_BYTES = 16 * 1024;

/** Not what it carries. */
const SAID_OF_TLS: ReadonlySet<StreamEvent['kind']> = new Set(['established', 'secured', 'certificate', 'failed']);
