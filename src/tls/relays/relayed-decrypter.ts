// Takes what proxies are told off the beginning of connections, so that what follows is read as any other connection: the PROXY protocol
// and SOCKS, one after the other too.

import { ByteQueue } from '../../core/bytes/byte-queue.js';
import { copyOf } from '../../core/bytes/bytes.js';
import { type Notice, notice } from '../../core/notice.js';
import type { Connection, Side, StreamEvent } from '../../tcp/stream-event.js';
import type { TlsDecrypter } from '../decrypter.js';
import { MAX_PROXY_HEADER_BYTES, readProxyProtocol } from './proxy-protocol.js';
import type { ReadHeader, RelayHeader } from './relay-header.js';
import { readSocks } from './socks.js';

/** Limit: headers of one connection: load balancers behind each other. */
const MAX_HEADERS = 4;
/** Limit in bytes: what waits of both sides until it is known whether it is a header. */
const MAX_WAITING_BYTES = 2 * MAX_PROXY_HEADER_BYTES;

interface HeaderRow {
  readonly read: ReadHeader;
  /** So few bytes are one that they may be so by chance, where the connection is older than the capture. */
  readonly needsHandshake: boolean;
}

const PROXY_PROTOCOL: HeaderRow = { read: readProxyProtocol, needsHandshake: false };
const SOCKS: HeaderRow = { read: readSocks, needsHandshake: true };
/** By the first byte of the client. */
const HEADERS: ReadonlyMap<number, HeaderRow> = new Map([
  [0x50, PROXY_PROTOCOL],
  [0x0d, PROXY_PROTOCOL],
  [0x05, SOCKS],
  [0x04, SOCKS],
]);

/**
 * Wraps decrypters. Events are the same without the headers, and one `relayed` for each header. Notice: connection.not-forwarded.
 * @param open creates the decrypter of a connection.
 */
export function relayedDecrypter(
  open: (connection: Connection) => TlsDecrypter,
): (connection: Connection) => TlsDecrypter {
  return (connection) => new RelayedDecrypter(open(connection), connection);
}

class RelayedDecrypter implements TlsDecrypter {
  readonly #inner: TlsDecrypter;
  readonly #connection: Connection;
  /** null: there is no header, or no other. */
  #waiting: StreamEvent[] | null = [];
  /** First bytes of both sides; null while none wait. */
  #queues: Readonly<Record<Side, ByteQueue>> | null = null;
  #headers = 0;

  constructor(inner: TlsDecrypter, connection: Connection) {
    this.#inner = inner;
    this.#connection = connection;
  }

  get waiting(): boolean {
    return this.#inner.waiting;
  }

  get holding(): boolean {
    return this.#inner.holding || this.#held > 0;
  }

  get over(): boolean {
    return this.#inner.over;
  }

  feed(event: StreamEvent): readonly (StreamEvent | Notice)[] {
    const waiting = this.#waiting;
    if (waiting === null) return this.#inner.feed(event);
    if (waiting.length === 0 && event.kind === 'data' && !mayBegin(event)) {
      this.#waiting = null;
      return this.#inner.feed(event);
    }
    if (event.kind !== 'data') {
      waiting.push(event);
      // Behind a gap nothing shows where a header ends.
      return event.kind === 'gap' || (event.kind === 'closed' && event.from === null) ? this.#pass() : [];
    }
    waiting.push({ ...event, bytes: copyOf(event.bytes) });
    this.#queues ??= { client: new ByteQueue(), server: new ByteQueue() };
    this.#queues[event.from].push(event.bytes);
    return this.#read(this.#queues);
  }

  retry(): readonly (StreamEvent | Notice)[] {
    return this.#inner.retry();
  }

  end(): readonly (StreamEvent | Notice)[] {
    const out = this.#waiting === null ? [] : [...this.#pass()];
    return [...out, ...this.#inner.end()];
  }

  get #held(): number {
    return this.#queues === null ? 0 : this.#queues.client.length + this.#queues.server.length;
  }

  #read({ client, server }: Readonly<Record<Side, ByteQueue>>): readonly (StreamEvent | Notice)[] {
    const out: (StreamEvent | Notice)[] = [];
    for (;;) {
      const bytes = { client: client.peek(), server: server.peek() };
      if (bytes.client.length + bytes.server.length === 0) return out;
      const row = this.#headers < MAX_HEADERS ? HEADERS.get(bytes.client[0]) : undefined;
      const header = row?.read(bytes) ?? 'no';
      if (header === 'more' && this.#held <= MAX_WAITING_BYTES) return out;
      if (header === 'more' || header === 'no' || !this.#isBelieved(row)) return [...out, ...this.#pass()];
      this.#take(header, out);
      client.consume(header.client);
      server.consume(header.server);
    }
  }

  #isBelieved(row: HeaderRow | undefined): boolean {
    return this.#connection.roles === 'handshake' || row?.needsHandshake === false;
  }

  #take(header: RelayHeader, out: (StreamEvent | Notice)[]): void {
    this.#headers += 1;
    const left = { client: header.client, server: header.server };
    let last: StreamEvent | null = null;
    this.#waiting = (this.#waiting as StreamEvent[]).flatMap((event): StreamEvent[] => {
      if (event.kind !== 'data' || left[event.from] === 0) return [event];
      last = event;
      const taken = Math.min(left[event.from], event.bytes.length);
      left[event.from] -= taken;
      return taken === event.bytes.length ? [] : [{ ...event, bytes: event.bytes.subarray(taken) }];
    });
    const { origin } = last as unknown as StreamEvent;
    const connection = this.#connection;
    const { protocol, stands, failure } = header;
    out.push({ kind: 'relayed', connection, origin, protocol, stands, failure });
    if (failure !== undefined)
      out.push(notice('connection.not-forwarded', `${protocol}: ${failure}`, { origin, connection: connection.name }));
  }

  /** No header follows: everything that waits passes. */
  #pass(): readonly (StreamEvent | Notice)[] {
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    this.#queues = null;
    return waiting.flatMap((event) => [...this.#inner.feed(event)]);
  }
}

function mayBegin({ from, bytes }: StreamEvent & { kind: 'data' }): boolean {
  return from === 'client' && (bytes.length === 0 || HEADERS.has(bytes[0]));
}
