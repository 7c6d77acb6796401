// HTTP/2 as an observer reads it (RFC 9113): both directions of one connection, from its start or from anywhere. Knows
// who is the client and where each side begins; the directions know the rest.

import type { HeaderTables } from '../../core/header-table.js';
import type { Notice } from '../../core/notice.js';
import type { Origin } from '../../core/origin.js';
import { NOTHING, type Stage } from '../../core/stage.js';
import { BROKEN_BY, type Connection, type Side, type StreamEvent } from '../../tcp/stream-event.js';
import { reversed, reversedEvent } from '../detect-reversed.js';
import { fieldValue, type HttpEvent } from '../http-event.js';
import type { HttpProtocol, Switched } from '../protocol.js';
import { detectHttp2 } from './detect.js';
import { Http2Direction } from './direction.js';
import { PREFACE } from './frame-types.js';
import { Streams } from './streams.js';

export const http2Protocol: HttpProtocol = {
  name: 'http/2',
  detect: detectHttp2,
  open: (connection, switched, headerTables) => http2Session(connection, { switched, headerTables }),
};

export interface Http2Options {
  /** The connection came here by `Upgrade: h2c`; `answer`: stream 1 is the request that asked for it (RFC 7540, 3.2). */
  readonly switched?: Switched | undefined;
  /** What processes were observed to have in their HPACK tables, of connections that are older than the capture. */
  readonly headerTables?: HeaderTables | undefined;
}

/**
 * Reads one connection. Without a handshake (`roles`) it may begin anywhere; fields whose compression was set up before
 * come as partial ones. Where even the sides are unsure, events wait for proof and come with a swapped connection if
 * the sides were wrong. Notices: http2.malformed, http2.hpack-state-lost, http.resynchronised, limit.header, limit.streams.
 */
export function http2Session(
  connection: Connection,
  options: Http2Options = {},
): Stage<StreamEvent, HttpEvent | Notice> {
  const { switched, headerTables = null } = options;
  if (switched === undefined && needsOrientation(connection)) return new UndecidedSession(connection, headerTables);
  return new Http2Session(connection, headerTables, switched);
}

class Http2Session implements Stage<StreamEvent, HttpEvent | Notice> {
  readonly #streams: Streams;
  readonly #client: Http2Direction;
  readonly #server: Http2Direction;
  #last: Origin | null = null;
  #over = false;

  constructor(connection: Connection, tables: HeaderTables | null, switched?: Switched) {
    const fromStart = switched !== undefined || connection.roles === 'handshake';
    this.#streams = new Streams(connection, fromStart);
    this.#client = new Http2Direction(connection, 'client', this.#streams, fromStart ? 'preface' : 'anywhere', tables);
    this.#server = new Http2Direction(connection, 'server', this.#streams, fromStart ? 'frame' : 'anywhere', tables);
    this.#client.onMaxFrameSize = (size) => this.#server.allowFrameSize(size);
    this.#server.onMaxFrameSize = (size) => this.#client.allowFrameSize(size);
    if (switched === 'h2c-response') this.#streams.upgraded();
  }

  feed(event: StreamEvent): readonly (HttpEvent | Notice)[] {
    if (this.#over) return NOTHING;
    this.#last = event.origin;
    switch (event.kind) {
      case 'data':
        if (event.from === 'client') {
          this.#client.feed(event.bytes, event.origin);
        } else {
          if (this.#client.began) this.#server.peerBegan = true;
          this.#server.feed(event.bytes, event.origin);
        }
        break;
      case 'gap':
        this.#direction(event.from).gap(event.length, event.origin);
        break;
      case 'closed':
        if (event.from === null) {
          this.#close(event.origin, BROKEN_BY[event.reason]);
        } else {
          this.#direction(event.from).end(event.origin);
          this.#streams.sideClosed(event.from, event.origin);
        }
        break;
      case 'opaque':
        this.#close(event.origin);
        break;
    }
    return this.#streams.waiting ? this.#streams.take() : NOTHING;
  }

  end(): readonly (HttpEvent | Notice)[] {
    if (!this.#over && this.#last !== null) this.#close(this.#last);
    return this.#streams.take();
  }

  #close(origin: Origin, by?: Side): void {
    this.#over = true;
    this.#client.end(origin);
    this.#server.end(origin);
    this.#streams.allClosed(origin, by);
  }

  #direction(side: 'client' | 'server'): Http2Direction {
    return side === 'client' ? this.#client : this.#server;
  }
}

/** Keeps what comes until the bytes say who is the client, or there is no more reason to wait. */
class UndecidedSession implements Stage<StreamEvent, HttpEvent | Notice> {
  readonly #connection: Connection;
  readonly #tables: HeaderTables | null;
  #kept: StreamEvent[] = [];
  #bytes = 0;
  /** Reads along only to see which side sends requests. */
  readonly #trial: Http2Session;
  #session: Http2Session | null = null;
  #reversed: Connection | null = null;

  constructor(connection: Connection, tables: HeaderTables | null) {
    this.#connection = connection;
    this.#tables = tables;
    this.#trial = new Http2Session(connection, tables);
  }

  feed(event: StreamEvent): readonly (HttpEvent | Notice)[] {
    if (this.#session !== null) return this.#session.feed(this.#turned(event));
    const proof = orientationOf(event, this.#trial.feed(event));
    this.#kept.push(event.kind === 'data' ? { ...event, bytes: new Uint8Array(event.bytes) } : event);
    this.#bytes += event.kind === 'data' ? event.bytes.length : 0;
    const enough = this.#bytes > MAX_KEPT_BYTES || this.#kept.length > MAX_KEPT_EVENTS;
    if (proof === 'more' && !enough) return NOTHING;
    return this.#decide(proof === 'reversed');
  }

  end(): readonly (HttpEvent | Notice)[] {
    const before = this.#session === null ? this.#decide(false) : NOTHING;
    const rest = this.#session!.end();
    return before.length === 0 ? rest : [...before, ...rest];
  }

  #decide(isReversed: boolean): readonly (HttpEvent | Notice)[] {
    if (isReversed) this.#reversed = reversed(this.#connection);
    this.#session = new Http2Session(this.#reversed ?? this.#connection, this.#tables);
    const out: (HttpEvent | Notice)[] = [];
    for (const event of this.#kept) for (const item of this.#session.feed(this.#turned(event))) out.push(item);
    this.#kept = [];
    return out;
  }

  #turned(event: StreamEvent): StreamEvent {
    return this.#reversed === null ? event : reversedEvent(event, this.#reversed);
  }
}

// A request or an answer shows up long before this; only streams that were open before the capture and stay silent do
// not, and then the ports are all there is.
const MAX_KEPT_BYTES = 64 * 1024;
const MAX_KEPT_EVENTS = 256;

/** The sides were guessed from ports that say little: both ephemeral, or neither. */
export function needsOrientation(connection: Connection): boolean {
  if (connection.roles !== 'port') return false;
  return connection.server.port >= EPHEMERAL || connection.client.port < EPHEMERAL;
}

/** @param events what a reading with the sides as they were guessed made of `input`. */
export function orientationOf(
  input: StreamEvent,
  events: readonly (HttpEvent | Notice)[],
): 'right' | 'reversed' | 'more' {
  if (input.kind === 'data' && startsWithPreface(input.bytes)) return input.from === 'client' ? 'right' : 'reversed';
  for (const event of events) {
    if (event.kind !== 'head') continue;
    const { head } = event;
    // Pseudo-header fields of the wrong kind stay among the fields: a head is read by the side that sent it.
    if (head.kind === 'request-head') {
      if (head.method !== null || head.target !== null) return 'right';
      if (fieldValue(head.fields, ':status') !== undefined) return 'reversed';
      if (fieldValue(head.fields, ':scheme') !== undefined) return 'right';
    } else {
      if (head.status !== null) return 'right';
      for (const name of REQUEST_ONLY) if (fieldValue(head.fields, name) !== undefined) return 'reversed';
    }
  }
  return 'more';
}

function startsWithPreface(bytes: Uint8Array): boolean {
  if (bytes.length < PREFACE.length) return false;
  for (let i = 0; i < PREFACE.length; i++) if (bytes[i] !== PREFACE[i]) return false;
  return true;
}

const REQUEST_ONLY = [':method', ':path', ':scheme', ':authority'];

// Linux hands out client ports from 32768 on, and Kubernetes node ports end below it.
const EPHEMERAL = 32768;
