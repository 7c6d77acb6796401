// Decrypts TLS inside the tunnels of CONNECT requests to proxies (RFC 9110, 9.3.6), whose own connection may be TLS or not.
//
//   client   CONNECT 192.0.2.10:6443 HTTP/1.1 … CRLF CRLF                              | ClientHello …
//   server                                                HTTP/1.1 200 … CRLF CRLF |              ServerHello …
//
// A CONNECT may follow other requests, or a response that demands credentials (407). It is recognised at the beginning of a piece of
// the client's bytes, because the client waits for the response to its previous request.

import type { Notice } from '../core/notice.js';
import type { Connection, Side, StreamEvent } from '../tcp/stream-event.js';
import type { TlsDecrypter } from './decrypter.js';

type TunnelOutput = StreamEvent | Notice;

/** Wraps decrypters so that the content of tunnels is decrypted once more. @param open creates the decrypter of a connection. */
export function tunnelDecrypter(
  open: (connection: Connection) => TlsDecrypter,
): (connection: Connection) => TlsDecrypter {
  return (connection) => new TunnelDecrypter(open(connection), () => open(connection));
}

class TunnelDecrypter implements TlsDecrypter {
  readonly #outer: TlsDecrypter;
  readonly #open: () => TlsDecrypter;
  /** The pending CONNECT and its response; null without one, and when the tunnel has begun. */
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
    return this.#process(this.#outer.feed(event));
  }

  retry(): readonly TunnelOutput[] {
    const out = this.#process(this.#outer.retry());
    return this.#inner === null ? out : [...out, ...this.#inner.retry()];
  }

  end(): readonly TunnelOutput[] {
    const out = this.#process(this.#outer.end());
    return this.#inner === null ? out : [...out, ...this.#inner.end()];
  }

  /** @param items borrowed: the next decrypter call reuses the list, so it is copied before one. */
  #process(items: readonly TunnelOutput[]): readonly TunnelOutput[] {
    if (this.#heads === null && this.#inner === null && !items.some(mayConnect)) return items;
    const out: TunnelOutput[] = [];
    for (const item of [...items]) this.#item(item, out);
    return out;
  }

  #item(item: TunnelOutput, out: TunnelOutput[]): void {
    if (item.kind === 'notice' || OUTER_KINDS.has(item.kind)) out.push(item);
    else if (this.#inner !== null) out.push(...this.#inner.feed(item));
    else if (item.kind === 'data') {
      if (this.#heads === null && mayConnect(item))
        this.#heads = { client: new Head(CONNECT), server: new Head(RESPONSE) };
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
      heads.server = new Head(RESPONSE);
      end = heads.server.read(event.bytes, end);
    }
    const { server } = heads;
    // A client waits for the response to a CONNECT; bytes out of turn mean that there is no tunnel.
    const isInTurn = event.from === 'client' ? client.isUnfinished || end === event.bytes.length : client.isOver;
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

/** Whether bytes of the client have the first letter of CONNECT. */
function mayConnect(item: TunnelOutput): boolean {
  return item.kind === 'data' && item.from === 'client' && item.bytes[0] === FIRST_BYTE;
}

/** Follows an HTTP/1 head in pieces to its end. */
class Head {
  /** It begins differently, or is too long. */
  isOther = false;
  isOver = false;
  /** First digit of the status of a response. */
  statusClass = 0;
  readonly #begin: string;
  #length = 0;
  /** Length of the part of CR LF CR LF that was just read. */
  #ending = 0;

  /** @param begin expected first bytes; `.` is any byte. */
  constructor(begin: string) {
    this.#begin = begin;
  }

  get isUnfinished(): boolean {
    return !this.isOver && !this.isOther;
  }

  /** @returns where the head ends in these bytes. */
  read(bytes: Uint8Array, start: number): number {
    for (let i = start; i < bytes.length; i += 1) {
      if (!this.isUnfinished) return i;
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
const RESPONSE = 'HTTP/1.. ';
/** Offset of the status in a response. */
const STATUS_AT = 9;
const INTERIM = 0x31;
const SUCCESSFUL = 0x32;
const ANY = 0x2e;
const CR = 0x0d;
const LF = 0x0a;
/** Limit in bytes: a CONNECT or its response, before a tunnel: a head with credentials for the proxy; nginx and Go allow 8 KiB. */
const MAX_HEAD_BYTES = 16 * 1024;

/** Events about the outer connection, not its content. */
const OUTER_KINDS: ReadonlySet<StreamEvent['kind']> = new Set([
  'established',
  'tls-established',
  'certificate',
  'failed',
]);
