// Reads both directions of one HTTP/2 connection (RFC 9113), from its start or from anywhere.

import { signatureAt } from '../../core/first-bytes.js';
import type { HeaderTables } from '../../core/header-table.js';
import type { Notice } from '../../core/notice.js';
import type { Origin } from '../../core/origin.js';
import { NOTHING, type Stage } from '../../core/stage.js';
import { BROKEN_BY, type Connection, type Side, type StreamEvent } from '../../tcp/stream-event.js';
import { reversed, reversedEvent } from '../detect-reversed.js';
import { type Cut, endOf, fieldValue, type HttpEvent } from '../http-event.js';
import type { HttpProtocol, Switched } from '../protocol.js';
import { detectHttp2 } from './detect.js';
import { Http2Direction } from './direction.js';
import { PREFACE } from './frame-types.js';
import { Liveness } from './liveness.js';
import { Streams } from './streams.js';

export const http2Protocol: HttpProtocol = {
  name: 'http/2',
  detect: detectHttp2,
  open: (connection, switched, headerTables) => http2Session(connection, { switched, headerTables }),
};

export interface Http2Options {
  /** Set after `Upgrade: h2c` (RFC 7540, 3.2). */
  readonly switched?: Switched | undefined;
  /** Observed HPACK tables of connections that are older than the capture. */
  readonly headerTables?: HeaderTables | undefined;
}

/**
 * Without a handshake (`roles`) the connection may begin anywhere; fields with unknown table entries are partial. If even the sides are
 * uncertain, events wait for proof and have an exchanged connection if the sides were wrong. Notices: http2.malformed,
 * http2.hpack-state-lost, http.resynchronised, limit.header, limit.streams.
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
  readonly #liveness: Liveness;
  readonly #client: Http2Direction;
  readonly #server: Http2Direction;
  #last: Origin | null = null;
  /** ns: time of the latest byte. */
  #lastByte: bigint | null = null;
  #isTls = false;
  #over = false;

  constructor(connection: Connection, tables: HeaderTables | null, switched?: Switched) {
    const fromStart = switched !== undefined || connection.roles === 'handshake';
    this.#liveness = new Liveness(connection, fromStart && switched === undefined);
    this.#streams = new Streams(connection, fromStart);
    this.#client = new Http2Direction(
      connection,
      'client',
      this.#streams,
      this.#liveness,
      fromStart ? 'preface' : 'anywhere',
      tables,
    );
    this.#server = new Http2Direction(
      connection,
      'server',
      this.#streams,
      this.#liveness,
      fromStart ? 'frame' : 'anywhere',
      tables,
    );
    this.#client.onMaxFrameSize = (size) => this.#server.allowFrameSize(size);
    this.#server.onMaxFrameSize = (size) => this.#client.allowFrameSize(size);
    if (switched === 'h2c-response') this.#streams.upgraded();
  }

  feed(event: StreamEvent): readonly (HttpEvent | Notice)[] {
    if (this.#over) return NOTHING;
    this.#last = event.origin;
    switch (event.kind) {
      case 'data':
        this.#lastByte = event.origin.time;
        this.#liveness.heard(event.from, event.origin);
        if (event.from === 'client') {
          this.#client.feed(event.bytes, event.origin);
        } else {
          if (this.#client.began) this.#server.peerBegan = true;
          this.#server.feed(event.bytes, event.origin);
        }
        break;
      case 'gap':
        this.#liveness.lost();
        this.#direction(event.from).gap(event.length, event.origin);
        break;
      case 'closed':
        if (event.from === null) {
          const by = BROKEN_BY[event.reason];
          this.#close(event.origin, by === undefined ? undefined : this.#cut(by, event));
        } else {
          this.#emitAll(this.#liveness.ended(event.origin));
          this.#direction(event.from).end(event.origin);
          this.#streams.sideClosed(event.from, event.origin, this.#cut(event.from, event));
        }
        break;
      case 'opaque':
        this.#close(event.origin);
        break;
      case 'tls-established':
        this.#isTls = true;
        break;
    }
    return this.#streams.waiting ? this.#streams.take() : NOTHING;
  }

  end(): readonly (HttpEvent | Notice)[] {
    if (!this.#over && this.#last !== null) this.#close(this.#last);
    return this.#streams.take();
  }

  #close(origin: Origin, cut?: Cut): void {
    this.#over = true;
    this.#emitAll(this.#liveness.ended(origin));
    this.#client.end(origin);
    this.#server.end(origin);
    this.#streams.allClosed(origin, cut);
  }

  #emitAll(notices: readonly Notice[]): void {
    for (const one of notices) this.#streams.emit(one);
  }

  #cut(by: Side, event: StreamEvent & { readonly kind: 'closed' }): Cut {
    const { time } = event.origin;
    return { by, how: endOf(event, this.#isTls), silentNs: time - (this.#lastByte ?? time) };
  }

  #direction(side: 'client' | 'server'): Http2Direction {
    return side === 'client' ? this.#client : this.#server;
  }
}

/** Buffers events until the bytes show which side is the client, or a limit is reached. */
class UndecidedSession implements Stage<StreamEvent, HttpEvent | Notice> {
  readonly #connection: Connection;
  readonly #tables: HeaderTables | null;
  #kept: StreamEvent[] = [];
  #bytes = 0;
  /** A session whose output only shows which side sends requests. */
  readonly #trial: Http2Session;
  #session: Http2Session | null = null;
  #reversed: Connection | null = null;

  constructor(connection: Connection, tables: HeaderTables | null) {
    this.#connection = connection;
    this.#tables = tables;
    this.#trial = new Http2Session(connection, tables);
  }

  feed(event: StreamEvent): readonly (HttpEvent | Notice)[] {
    if (this.#session !== null) return this.#session.feed(this.#oriented(event));
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
    for (const event of this.#kept) for (const item of this.#session.feed(this.#oriented(event))) out.push(item);
    this.#kept = [];
    return out;
  }

  #oriented(event: StreamEvent): StreamEvent {
    return this.#reversed === null ? event : reversedEvent(event, this.#reversed);
  }
}

/**
 * Limit in bytes: what waits until client and server are distinguished: a request or a response appears long before, unless all streams
 * were open before the capture and are silent; then the ports decide.
 */
const MAX_KEPT_BYTES = 64 * 1024;
/** Limit: segments of these bytes. */
const MAX_KEPT_EVENTS = 256;

/** Whether the sides were guessed from inconclusive ports: both ephemeral, or neither. */
function needsOrientation(connection: Connection): boolean {
  if (connection.roles !== 'port') return false;
  return connection.server.port >= EPHEMERAL || connection.client.port < EPHEMERAL;
}

/** @param events output of a session with the guessed sides for `input`. */
function orientationOf(input: StreamEvent, events: readonly (HttpEvent | Notice)[]): 'right' | 'reversed' | 'more' {
  if (input.kind === 'data' && signatureAt(input.bytes, 0, PREFACE) === 'yes')
    return input.from === 'client' ? 'right' : 'reversed';
  for (const event of events) {
    if (event.kind !== 'head') continue;
    const { head } = event;
    // Pseudo-header fields of the wrong kind remain among the fields, because a head is read as one of the side that sent it.
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

const REQUEST_ONLY = [':method', ':path', ':scheme', ':authority'];

/** Linux assigns client ports from 32768 on, and Kubernetes node ports end below it. */
const EPHEMERAL = 32768;
