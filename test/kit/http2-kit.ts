// Builds HTTP/2 frames and HPACK blocks by hand (RFC 9113, RFC 7541), and gathers what a session says, for tests.
import type { Notice } from '../../src/core/notice.js';
import type { Origin } from '../../src/core/origin.js';
import type { Stage } from '../../src/core/stage.js';
import type { HttpEvent } from '../../src/http/http-event.js';
import { http2Session } from '../../src/http/http2/session.js';
import type { Connection, EndReason, Side, StreamEvent } from '../../src/tcp/stream-event.js';
import { fixtureLines } from './fixtures.js';

export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

export function frame(type: number, flags: number, stream: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const header = Buffer.alloc(9);
  header.writeUIntBE(payload.length, 0, 3);
  header[3] = type;
  header[4] = flags;
  header.writeUInt32BE(stream, 5);
  return Buffer.concat([header, payload]);
}

export const settings = frame(4, 0, 0);
export const settingsAck = frame(4, 1, 0);
export const ping = frame(6, 0, 0, Buffer.from('12345678'));
export const data = (stream: number, body: string, end = false): Buffer =>
  frame(0, end ? 1 : 0, stream, Buffer.from(body, 'latin1'));
export const headers = (stream: number, block: Uint8Array, end = false): Buffer => frame(1, end ? 5 : 4, stream, block);
export const reset = (stream: number): Buffer => frame(3, 0, stream, Buffer.from([0, 0, 0, 8]));

/** Fields as literals without indexing, new name, no Huffman (RFC 7541, 6.2.2). Names and values below 127 bytes. */
export function literals(...fields: string[]): Buffer {
  return Buffer.concat([...pairs(fields)].map(([n, v]) => Buffer.concat([Buffer.from([0]), text(n), text(v)])));
}

/** Fields as literals with incremental indexing, new name (RFC 7541, 6.2.1). */
export function inserts(...fields: string[]): Buffer {
  return Buffer.concat([...pairs(fields)].map(([n, v]) => Buffer.concat([Buffer.from([0x40]), text(n), text(v)])));
}

function* pairs(fields: string[]): Iterable<[string, string]> {
  for (let i = 0; i < fields.length; i += 2) yield [fields[i], fields[i + 1]];
}

/** An integer with a prefix of `bits` bits; `high` are the bits before it (RFC 7541, 5.1). */
export function integer(value: number, bits: number, high = 0): Buffer {
  const full = 2 ** bits - 1;
  if (value < full) return Buffer.from([high | value]);
  const out = [high | full];
  let rest = value - full;
  while (rest >= 128) {
    out.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  return Buffer.from([...out, rest]);
}

/** A string literal without Huffman. */
export function text(value: string): Buffer {
  return Buffer.concat([integer(value.length, 7), Buffer.from(value, 'latin1')]);
}

export const getRoot = literals(':method', 'GET', ':scheme', 'http', ':path', '/', ':authority', 'a');
export const ok = literals(':status', '200', 'server', 'test');

export function connection(
  roles: Connection['roles'] = 'handshake',
  clientPort = 40000,
  serverPort = 6443,
): Connection {
  const client = { address: '192.0.2.1', port: clientPort };
  const server = { address: '192.0.2.2', port: serverPort };
  return { id: 1, client, server, name: `192.0.2.1:${clientPort}-192.0.2.2:${serverPort}`, roles };
}

export function origin(frame: number): Origin {
  return { capture: 0, frame, time: BigInt(frame) * 1_000_000n };
}

export const dataEvent = (c: Connection, from: Side, bytes: Uint8Array, frame: number): StreamEvent => ({
  kind: 'data',
  connection: c,
  from,
  origin: origin(frame),
  bytes,
});

export const gapEvent = (c: Connection, from: Side, length: number | null, frame: number): StreamEvent => ({
  kind: 'gap',
  connection: c,
  from,
  origin: origin(frame),
  length,
});

export type HttpItem = HttpEvent | Notice;

/** Feeds a session, frame by frame, and keeps what it says; body bytes are copied. */
export class Conversation {
  readonly said: HttpItem[] = [];
  readonly connection: Connection;
  readonly #session: Stage<StreamEvent, HttpItem>;
  #frame = 0;

  constructor(connection: Connection, session: Stage<StreamEvent, HttpItem>) {
    this.connection = connection;
    this.#session = session;
  }

  feed(event: StreamEvent): this {
    for (const item of this.#session.feed(event))
      this.said.push(item.kind === 'body' ? { ...item, bytes: new Uint8Array(item.bytes) } : item);
    return this;
  }

  client(...parts: Uint8Array[]): this {
    return this.feed(dataEvent(this.connection, 'client', Buffer.concat(parts), ++this.#frame));
  }

  server(...parts: Uint8Array[]): this {
    return this.feed(dataEvent(this.connection, 'server', Buffer.concat(parts), ++this.#frame));
  }

  lose(from: Side, length: number | null): this {
    return this.feed(gapEvent(this.connection, from, length, ++this.#frame));
  }

  closed(from: Side | null, reason: EndReason = 'fin'): this {
    return this.feed({ kind: 'closed', connection: this.connection, from, origin: origin(++this.#frame), reason });
  }

  end(): this {
    this.said.push(...this.#session.end());
    return this;
  }

  /** What was said, one short line each. */
  lines(): string[] {
    return inWords(this.said);
  }
}

/** One line an event; bodies that follow one another are joined, so that segmentation does not show. */
export function inWords(said: readonly HttpItem[]): string[] {
  const out: string[] = [];
  let body = '';
  for (const item of said) {
    const line = words(item);
    if (item.kind === 'body') {
      const key = line.slice(0, line.indexOf('body ') + 5);
      if (key === body) out[out.length - 1] += line.slice(key.length);
      else out.push(line);
      body = key;
    } else {
      out.push(line);
      body = '';
    }
  }
  return out;
}

function words(item: HttpItem): string {
  if (item.kind === 'notice') return `notice ${item.code}`;
  if (item.kind === 'unread') return `${item.from} unread ${item.length}`;
  const at = `${item.stream} ${item.from}`;
  switch (item.kind) {
    case 'head': {
      const { head } = item;
      const what = head.kind === 'request-head' ? `${head.method} ${head.target}` : `${head.status}`;
      return `${at} ${what}${item.complete ? '' : ' incomplete'}`;
    }
    case 'body':
      return `${at} body ${Buffer.from(item.bytes).toString('latin1')}`;
    case 'stalled':
      return `${at} stalled ${Number(item.until - item.since) / 1e6} ms`;
    case 'body-gap':
      return `${at} gap ${item.length}`;
    case 'trailers':
      return `${at} trailers ${item.fields.join(' ')}`;
    case 'end':
      return `${at} end${item.complete ? '' : ' incomplete'}`;
    case 'upgraded':
      return `${at} upgraded ${item.protocol}`;
    case 'renumbered':
      return `${item.stream} is ${item.to}`;
  }
}

interface Piece {
  connection: string;
  from: Side;
  frame: number;
  bytes: string;
}
/** Connections of fixtures/http2, each as its data events. */
export function connections(name: string, roles: Connection['roles']): Map<string, StreamEvent[]> {
  const all = new Map<string, StreamEvent[]>();
  for (const { connection, from, frame, bytes } of fixtureLines<Piece & Record<string, unknown>>(
    `http2/${name}.jsonl`,
  )) {
    const events = all.get(connection) ?? [];
    all.set(connection, events);
    const [client, server] = connection.split('-').map((end) => {
      const [address, port] = end.split(':');
      return { address, port: Number(port) };
    });
    events.push(
      dataEvent({ id: all.size, client, server, name: connection, roles }, from, Buffer.from(bytes, 'base64'), frame),
    );
  }
  return all;
}

/** All that an HTTP/2 session says of a connection, bodies copied. */
export function read(events: readonly StreamEvent[]): HttpItem[] {
  const session = http2Session(events[0].connection);
  const said: HttpItem[] = [];
  for (const event of events)
    for (const item of session.feed(event))
      said.push(item.kind === 'body' ? { ...item, bytes: Uint8Array.from(item.bytes) } : item);
  return [...said, ...session.end()];
}
