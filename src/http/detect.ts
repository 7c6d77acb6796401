// Finds out what a connection speaks, opens the reader for it and steps aside. Knows which protocols there are only from
// its table; must not know ports. What it cannot find it says, once.

import { ByteQueue } from '../core/byte-queue.js';
import { copyOf, EMPTY_BYTES } from '../core/bytes.js';
import { type Notice, notice } from '../core/notice.js';
import type { Origin } from '../core/origin.js';
import { NOTHING, type Stage } from '../core/stage.js';
import type { Connection, OpaqueReason, Side, StreamEvent } from '../tcp/stream-event.js';
import { reversed, reversedEvent } from './detect-reversed.js';
import { seemsTls } from './detect-tls.js';
import type { HttpEvent, ProtocolFound } from './http-event.js';
import type { FirstBytes, Protocol } from './protocol.js';

/** Bytes of both sides that wait until something is recognised: a request line, a status line or the frames of one window fit. */
export const MAX_UNDECIDED_BYTES = 64 * 1024;
/** Events that wait with them: segments of one byte, gaps. */
export const MAX_UNDECIDED_EVENTS = 4096;

type Out = HttpEvent | ProtocolFound | Notice;

/**
 * @param protocols asked in this order; the first `yes` counts.
 * @returns makes the stage of one connection. It gives one `protocol` event as soon as that is known (`silent`, `unknown`
 *   at the end at the latest) and then whatever the protocol's reader gives. Notices of its own: tls.no-secret,
 *   tls.no-handshake (TLS that nobody decrypted), connection.not-understood.
 */
export function httpDetect(protocols: readonly Protocol[]): (connection: Connection) => Stage<StreamEvent, Out> {
  return (connection) => new Detector(protocols, connection);
}

class Detector implements Stage<StreamEvent, Out> {
  readonly #protocols: readonly Protocol[];
  #connection: Connection;
  #reversed = false;
  #session: Stage<StreamEvent, HttpEvent | Notice> | null = null;
  #name: Protocol['name'] | null = null;
  /** Nothing will be read: encrypted, unknown, or all is over. */
  #closed = false;
  #unknown = false;
  #held: StreamEvent[] = [];
  /** First bytes of both sides; null while there are none. */
  #queues: Readonly<Record<Side, ByteQueue>> | null = null;
  #gap = false;
  /** Bytes that wait when it is worth asking again; growing by a quarter keeps the asking linear. */
  #askAt = 0;
  readonly #bytes: Record<Side, number> = { client: 0, server: 0 };
  /** Bytes given up while searching, null: unknown how many. */
  readonly #dropped: Record<Side, number | null> = { client: 0, server: 0 };
  #last: Origin | null = null;

  constructor(protocols: readonly Protocol[], connection: Connection) {
    this.#protocols = protocols;
    this.#connection = connection;
  }

  feed(event: StreamEvent): readonly Out[] {
    if (this.#session !== null) return this.#read(event);
    this.#last = event.origin;
    switch (event.kind) {
      case 'data':
        return this.#data(event);
      case 'gap':
        if (this.#closed) return NOTHING;
        this.#hold(event);
        this.#gap = true;
        return this.#withinLimits(0);
      case 'closed':
        if (event.from === null) return this.#finish(event.reason === 'reset' ? REFUSED : IDLE, event);
        if (!this.#closed) this.#hold(event);
        return NOTHING;
      case 'opaque':
        return this.#closed ? NOTHING : this.#encrypted(WHY[event.reason], event.detail);
      default:
        if (!this.#closed) this.#hold(event);
        return NOTHING;
    }
  }

  end(): readonly Out[] {
    if (this.#session !== null) return this.#session.end();
    return this.#finish(IDLE, null);
  }

  // ── before the decision ──

  #data(event: DataEvent): readonly Out[] {
    this.#bytes[event.from] += event.bytes.length;
    if (this.#closed || event.bytes.length === 0) return NOTHING;
    // Nearly always the first segment tells: then nothing is copied.
    if (this.#queues === null) {
      const firstBytes =
        event.from === 'client'
          ? { client: event.bytes, server: EMPTY_BYTES }
          : { client: EMPTY_BYTES, server: event.bytes };
      const out = this.#decide(firstBytes, event);
      if (out !== null) return out;
      this.#queues = { client: new ByteQueue(), server: new ByteQueue() };
      this.#askAt = 0;
    }
    const { client, server } = this.#queues;
    const asked = client.length + server.length === 0;
    this.#queues[event.from].push(event.bytes);
    this.#hold({ ...event, bytes: copyOf(event.bytes) });
    const waiting = client.length + server.length;
    if (!asked && waiting >= this.#askAt) {
      const out = this.#decide({ client: client.peek(), server: server.peek() }, null);
      if (out !== null) return out;
      this.#askAt = waiting + (waiting >> 2);
    }
    return this.#withinLimits(waiting);
  }

  #withinLimits(waiting: number): readonly Out[] {
    if (waiting <= MAX_UNDECIDED_BYTES && this.#held.length <= MAX_UNDECIDED_EVENTS) return NOTHING;
    if (this.#beginSeen) return this.#notUnderstood();
    this.#dropHeld();
    return NOTHING;
  }

  get #beginSeen(): boolean {
    return this.#connection.roles === 'handshake' && !this.#gap;
  }

  // null: go on waiting. `event` comes after all that is held.
  #decide(firstBytes: FirstBytes, event: StreamEvent | null): readonly Out[] | null {
    const tls = seemsTls(firstBytes);
    if (tls === 'more') return null;
    if (tls !== 'no') return this.#encryptedUnread(tls);
    const beginSeen = this.#beginSeen;
    let possible = false;
    for (const protocol of this.#protocols) {
      const answer = protocol.detect(firstBytes, beginSeen);
      if (answer === 'yes') return this.#open(protocol, event);
      if (answer === 'more') possible = true;
    }
    if (this.#connection.roles === 'port') {
      const other = { client: firstBytes.server, server: firstBytes.client };
      for (const protocol of this.#protocols) {
        if (protocol.detect(other, beginSeen) !== 'yes') continue;
        this.#connection = reversed(this.#connection);
        this.#reversed = true;
        const { client, server } = this.#dropped;
        this.#dropped.client = server;
        this.#dropped.server = client;
        return this.#open(protocol, event);
      }
    }
    return possible || !beginSeen ? null : this.#notUnderstood();
  }

  #open(protocol: Protocol, event: StreamEvent | null): readonly Out[] {
    const out: Out[] = [{ kind: 'protocol', connection: this.#connection, protocol: protocol.name }];
    this.#sayDropped(out);
    this.#name = protocol.name;
    this.#session = protocol.open(this.#connection);
    const held = this.#forget();
    for (const old of held) for (const item of this.#read(old)) out.push(item);
    if (event !== null) for (const item of this.#read(event)) out.push(item);
    return out;
  }

  #hold(event: StreamEvent): void {
    this.#held.push(event);
  }

  #forget(): StreamEvent[] {
    const held = this.#held;
    this.#held = [];
    this.#queues = null;
    return held;
  }

  // A late start may take any number of bytes until a message begins: only the window is kept.
  #dropHeld(): void {
    for (const event of this.#forget()) {
      if (event.kind !== 'data' && event.kind !== 'gap') continue;
      const length = event.kind === 'data' ? event.bytes.length : event.length;
      const sum = this.#dropped[event.from];
      this.#dropped[event.from] = sum === null || length === null ? null : sum + length;
    }
    this.#askAt = 0;
  }

  #sayDropped(out: Out[]): void {
    for (const from of ['client', 'server'] as const) {
      const length = this.#dropped[from];
      if (length !== 0) out.push({ kind: 'unread', connection: this.#connection, from, length, origin: this.#last! });
    }
  }

  // ── after it ──

  #read(event: StreamEvent): readonly Out[] {
    const session = this.#session!;
    const out = session.feed(this.#reversed ? reversedEvent(event, this.#connection) : event);
    if (event.kind === 'opaque') {
      const found: ProtocolFound = {
        kind: 'protocol',
        connection: this.#connection,
        protocol: this.#name!,
        why: WHY[event.reason],
        detail: event.detail,
      };
      return [...out, found];
    }
    if (this.#name !== 'http/1') return out;
    for (let i = 0; i < out.length; i++) {
      const item = out[i];
      if (item.kind === 'upgraded' && item.protocol === 'h2c') return this.#toHttp2(out, i);
    }
    return out;
  }

  // After `101` with `Upgrade: h2c` the bytes of both sides are HTTP/2 from its preface on (RFC 7540 section 3.2).
  #toHttp2(out: readonly (HttpEvent | Notice)[], upgradedAt: number): readonly Out[] {
    const http2 = this.#protocols.find((protocol) => protocol.name === 'http/2');
    if (http2 === undefined) return out;
    const upgraded = out[upgradedAt] as Extract<HttpEvent, { kind: 'upgraded' }>;
    const { connection, stream, origin } = upgraded;
    const all: Out[] = out.slice(0, upgradedAt + 1);
    for (const from of ['client', 'server'] as const)
      all.push({ kind: 'end', connection, stream, from, origin, complete: true });
    all.push({ kind: 'protocol', connection, protocol: 'http/2' });
    this.#name = 'http/2';
    this.#session = http2.open(connection, true);
    for (const item of out.slice(upgradedAt + 1)) {
      const event = tunnelled(item);
      if (event !== null) for (const made of this.#session.feed(event)) all.push(made);
    }
    return all;
  }

  // ── what cannot be read ──

  #encrypted(why: string, detail?: string): readonly Out[] {
    this.#closed = true;
    this.#forget();
    return [{ kind: 'protocol', connection: this.#connection, protocol: 'encrypted', why, detail }];
  }

  #encryptedUnread(reason: 'no-secret' | 'no-handshake'): readonly Out[] {
    const where = { origin: this.#last!, connection: this.#connection.name };
    return [...this.#encrypted(WHY[reason]), notice(`tls.${reason}`, WHY[reason], where)];
  }

  #notUnderstood(): readonly Out[] {
    this.#closed = true;
    this.#unknown = true;
    this.#forget();
    return [{ kind: 'protocol', connection: this.#connection, protocol: 'unknown', why: WHY_UNKNOWN }];
  }

  #finish(silent: string, closing: StreamEvent | null): readonly Out[] {
    const out: Out[] = [];
    if (!this.#closed) {
      const { client, server } = this.#bytes;
      if (client + server === 0) {
        this.#closed = true;
        return [{ kind: 'protocol', connection: this.#connection, protocol: 'silent', why: silent }];
      }
      // Asked for the last time: the last quarter of the bytes may have told.
      const queues = this.#queues;
      const opened =
        queues === null ? null : this.#decide({ client: queues.client.peek(), server: queues.server.peek() }, closing);
      if (opened !== null) out.push(...opened);
      else out.push(...this.#notUnderstood());
      if (this.#session !== null)
        return closing === null ? [...out, ...(this.#session as Stage<StreamEvent, Out>).end()] : out;
    }
    if (!this.#unknown) return out;
    this.#unknown = false;
    const { client, server } = this.#bytes;
    const detail = `${client} bytes of the client and ${server} bytes of the server`;
    const where = this.#last === null ? {} : { origin: this.#last };
    out.push(notice('connection.not-understood', detail, { ...where, connection: this.#connection.name }));
    return out;
  }
}

type DataEvent = Extract<StreamEvent, { kind: 'data' }>;

/** What the HTTP/1 reader took for a tunnel's bytes, as the stream event that it was. */
function tunnelled(item: HttpEvent | Notice): StreamEvent | null {
  if (item.kind === 'body') {
    const { connection, from, origin, bytes } = item;
    return { kind: 'data', connection, from, origin, bytes };
  }
  if (item.kind === 'body-gap') {
    const { connection, from, origin, length } = item;
    return { kind: 'gap', connection, from, origin, length };
  }
  if (item.kind === 'end') {
    const { connection, from, origin, complete } = item;
    return { kind: 'closed', connection, from, origin, reason: complete ? 'fin' : 'end' };
  }
  return null;
}

const REFUSED = 'refused or reset before a byte was sent';
const IDLE = 'no byte was sent';
const WHY_UNKNOWN = 'neither HTTP/1 nor HTTP/2 was recognised in its first bytes';
const WHY: Readonly<Record<OpaqueReason, string>> = {
  'no-secret': 'TLS, and no key log holds its secrets: give one with --keylog or SSLKEYLOGFILE',
  'no-handshake': 'TLS whose handshake was before the capture: begin the capture before the connection',
  'unsupported-suite': 'TLS with a cipher suite that kubeseq does not read',
  'bad-tag': 'TLS records that do not verify with the secrets of the key log: is it the key log of this run?',
  'bytes-missing': 'TLS with bytes missing from the capture, and reading could not go on behind them',
  'not-tls': 'TLS was spoken, and then bytes that are no TLS records',
};
