// Reads the HTTP/1.0 and 1.1 messages of one connection and its switches to other protocols.

import { copyOf } from '../../core/bytes/bytes.js';
import { type Notice, notice } from '../../core/notice.js';
import type { Origin } from '../../core/origin.js';
import { counted } from '../../core/quantity.js';
import { NOTHING, type Stage } from '../../core/stage.js';
import { BROKEN_BY, type Connection, type Side, type StreamEvent } from '../../tcp/stream-event.js';
import { type Cut, endOf, type Fields, type HttpEvent, type RequestHead, type ResponseHead } from '../http-event.js';
import type { HttpProtocol } from '../protocol.js';
import { requestBodyLength, requestsTunnel, responseBodyLength, TUNNEL, tunnelProtocol } from './body-length.js';
import { detectHttp1 } from './detect.js';
import { type DirectionOwner, Http1Direction, INTERIM } from './direction.js';
import { HEADLESS, MAX_HEAD_BYTES, type Refusal } from './head.js';
import { Http1Pairing, MAX_WAITING, type WaitingRequest } from './pairing.js';
import { canBeginHead } from './search.js';

/** Limit in bytes: what waits of a client for the response that shows whether it belongs to a tunnel: one TCP window. */
export const MAX_HELD_BYTES = 64 * 1024;

/**
 * Notices: http.malformed, http.resynchronised, http.unread-response, limit.header, limit.streams.
 * @param connection if its `roles` show that its beginning was not captured, the first message is searched for.
 */
export function http1Session(connection: Connection): Stage<StreamEvent, HttpEvent | Notice> {
  return new Http1Session(connection, connection.roles !== 'handshake');
}

export const http1Protocol: HttpProtocol = { name: 'http/1', detect: detectHttp1, open: http1Session };

class Http1Session implements Stage<StreamEvent, HttpEvent | Notice>, DirectionOwner {
  readonly #connection: Connection;
  readonly #pairing = new Http1Pairing();
  readonly #client: Http1Direction;
  readonly #server: Http1Direction;
  /** Ordinals of the exchanges whose request and response are being read. */
  #clientStream = 0;
  #serverStream = 0;
  /** Whether the request of the current response was captured. */
  #requestSeen = true;
  #out: (HttpEvent | Notice)[] = [];
  #last: Origin | null = null;
  /** Client bytes and gaps that wait for a response. */
  #held: HeldEvent[] | null = null;
  #heldBytes = 0;
  /** What the server sent after the client had ended its direction: a response, unless the client resets the connection for it. */
  #late: HeldEvent[] | null = null;
  #lateBytes = 0;
  /** Ordinal of a request for a switch until its response; else 0. */
  #switchRequest = 0;
  #tunnel = false;
  readonly #givenUp: WaitingRequest[] = [];
  #hasLimitNotice = false;
  /** How the side that ended its direction first did so. */
  #endedFirst: (Cut & { readonly origin: Origin }) | undefined;
  /** ns: time of the latest byte. */
  #lastByte: bigint | null = null;
  /** Whether bytes are missing since the latest head of a side. */
  readonly #hasGap: Record<Side, boolean> = { client: false, server: false };
  #isTls = false;

  constructor(connection: Connection, midway: boolean) {
    this.#connection = connection;
    this.#client = new Http1Direction('client', this, midway);
    this.#server = new Http1Direction('server', this, midway);
  }

  feed(event: StreamEvent): readonly (HttpEvent | Notice)[] {
    this.#last = event.origin;
    switch (event.kind) {
      case 'data':
        this.#lastByte = event.origin.time;
        if (event.from === 'server') {
          if (!this.#holdLate(event)) this.#server.data(event.bytes, event.origin);
        } else if (!this.#hold(event)) this.#client.data(event.bytes, event.origin);
        break;
      case 'gap':
        this.#hasGap[event.from] = true;
        if (event.from === 'server') {
          if (!this.#holdLate(event)) this.#server.gap(event.length, event.origin);
        } else if (!this.#hold(event)) this.#client.gap(event.length, event.origin);
        break;
      case 'closed':
        if (event.from === 'client' && this.#held !== null) this.#held.push(event);
        else if (event.from === 'server' && this.#late !== null) this.#late.push(event);
        else this.#closed(event);
        break;
      case 'opaque':
        this.#releaseLate();
        this.#close(null, event.origin, false);
        break;
      case 'tls-established':
        this.#isTls = true;
        break;
    }
    return this.#take();
  }

  end(): readonly (HttpEvent | Notice)[] {
    this.#releaseLate();
    if (this.#last !== null) this.#close(null, this.#last, false);
    return this.#take();
  }

  #take(): readonly (HttpEvent | Notice)[] {
    if (this.#out.length === 0) return NOTHING;
    const out = this.#out;
    this.#out = [];
    return out;
  }

  #closed(event: Extract<StreamEvent, { kind: 'closed' }>): void {
    const { from, origin, reason } = event;
    const by = from ?? BROKEN_BY[reason];
    if (by !== undefined) {
      const silentNs = origin.time - (this.#lastByte ?? origin.time);
      this.#endedFirst ??= { by, how: endOf(event, this.#isTls), silentNs, origin };
    }
    if (from === null && reason === 'aborted') this.#dropLate();
    else if (from === null) this.#releaseLate();
    this.#close(from, origin, reason === 'fin');
  }

  #close(from: Side | null, origin: Origin, clean: boolean): void {
    if (from !== 'server') {
      this.#release();
      this.#client.close(origin, clean);
    }
    if (from === 'client') return;
    this.#server.close(origin, clean);
    for (const request of this.#pairing.waiting.splice(0)) {
      const cut = this.#pairing.mayBeLost(request) ? undefined : this.#endedFirst;
      // A client that ended its direction waits no longer, however long the server takes to end its own.
      this.#endUnanswered(request, cut?.origin ?? origin, cut);
    }
  }

  // ── DirectionOwner ──

  onHead(from: Side, head: RequestHead | ResponseHead, first: Origin, last: Origin): number {
    this.#hasGap[from] = false;
    return head.kind === 'request-head' ? this.#onRequest(head, first, last) : this.#onResponse(head, first, last);
  }

  #onRequest(head: RequestHead, first: Origin, last: Origin): number {
    if (this.#pairing.waiting.length === MAX_WAITING) {
      this.#endUnanswered(this.#pairing.waiting.shift()!, last);
      const detail = `more than ${MAX_WAITING} requests wait for a response`;
      if (!this.#hasLimitNotice) this.#emitNotice('limit.streams', last, detail);
      this.#hasLimitNotice = true;
    }
    const { ordinal } = this.#pairing.request(head, last);
    this.#clientStream = ordinal;
    this.#pushHead('client', ordinal, head, first, last, true);
    if (requestsTunnel(head)) this.#switchRequest = ordinal;
    return requestBodyLength(head);
  }

  #onResponse(head: ResponseHead, first: Origin, last: Origin): number {
    const status = head.status!;
    if (status < 200 && status !== 101) return INTERIM;
    const request = this.#pairing.response(first, this.#givenUp);
    if (this.#givenUp.length > 0) for (const old of this.#givenUp.splice(0)) this.#endUnanswered(old, last);
    this.#requestSeen = request !== null;
    this.#serverStream = request?.ordinal ?? this.#pairing.newOrdinal();
    this.#pushHead('server', this.#serverStream, head, first, last, true);
    const length = responseBodyLength(head, request?.head.method ?? null);
    if (length === TUNNEL) {
      this.#switch(tunnelProtocol(head, request?.head ?? null), request?.head ?? null, last);
    } else if (this.#held !== null && this.#switchRequest <= this.#serverStream) {
      this.#switchRequest = 0;
      this.#release();
    } else if (this.#switchRequest === this.#serverStream) this.#switchRequest = 0;
    return length;
  }

  mayHaveNoBody(from: Side): boolean {
    return from === 'server' && !this.#requestSeen;
  }

  onHeadless(_from: Side, origin: Origin): void {
    this.#serverStream = this.#pairing.newOrdinal();
    this.#pushHead('server', this.#serverStream, HEADLESS, origin, origin, false);
  }

  onBody(from: Side, bytes: Uint8Array, origin: Origin): void {
    const stream = from === 'client' ? this.#clientStream : this.#serverStream;
    this.#out.push({ kind: 'body', connection: this.#connection, stream, from, bytes, origin });
  }

  onBodyGap(from: Side, length: number | null, origin: Origin): void {
    const stream = this.#streamOf(from);
    this.#out.push({ kind: 'body-gap', connection: this.#connection, stream, from, length, origin });
  }

  onTrailers(from: Side, fields: Fields, origin: Origin): void {
    const stream = this.#streamOf(from);
    this.#out.push({ kind: 'trailers', connection: this.#connection, stream, from, fields, partial: [], origin });
  }

  onEnd(from: Side, origin: Origin, complete: boolean): void {
    // What is missing from the capture may be the end.
    const cut = this.#hasGap[from] ? undefined : this.#endedFirst;
    this.#pushEnd(from, this.#streamOf(from), origin, complete, cut);
  }

  onLoss(from: Side, origin: Origin): void {
    this.#pairing.lost(from, origin);
  }

  get awaitsResponse(): boolean {
    return this.#pairing.waiting.length > 0;
  }

  continuesSameMessage(from: Side): boolean {
    return from === 'client' || this.#pairing.quiet;
  }

  onMalformed(from: Side, origin: Origin, why: Refusal): void {
    if (why === 'too-long')
      this.#emitNotice('limit.header', origin, `a head of the ${from} is longer than ${MAX_HEAD_BYTES} bytes`);
    else if (why === 'request-line')
      this.#emitNotice(
        'http.malformed',
        origin,
        `a request line of the ${from} is none; its answer is shown without a request`,
      );
    else this.#emitNotice('http.malformed', origin, `bytes of the ${from} are no HTTP/1 message`);
  }

  onUnread(from: Side, length: number | null, origin: Origin, found: boolean): void {
    if (length === 0) return;
    this.#out.push({ kind: 'unread', connection: this.#connection, from, length, origin });
    const bytes = length === null ? 'an unknown number of bytes' : `${length} bytes`;
    const detail = `${bytes} of the ${from} were missing or not understood`;
    if (found) this.#emitNotice('http.resynchronised', origin, detail);
  }

  // ── tunnels ──

  // Holds client bytes while it is undecided whether they are a request or belong to a tunnel.
  #hold(event: HeldEvent): boolean {
    if (this.#held === null) {
      if (this.#tunnel || !this.#mayBeTunnel(event)) return false;
      this.#held = [];
    }
    const length = event.kind === 'data' ? event.bytes.length : 0;
    if (this.#heldBytes + length > MAX_HELD_BYTES || this.#held.length >= MAX_HELD_EVENTS) {
      this.#switchRequest = 0;
      this.#release();
      return false;
    }
    this.#heldBytes += length;
    this.#held.push(event.kind === 'data' ? { ...event, bytes: copyOf(event.bytes) } : event);
    return true;
  }

  #mayBeTunnel(event: HeldEvent): boolean {
    if (this.#pairing.waiting.length === 0 || !this.#client.between) return false;
    // docker's client does not always request a switch, but its bytes then seldom look like a request.
    if (this.#switchRequest !== 0) return true;
    if (event.kind !== 'data') return false;
    const first = event.bytes[0];
    return !canBeginHead(first, 'client') && first !== CR && first !== LF;
  }

  #release(): void {
    const held = this.#held;
    if (held === null) return;
    this.#held = null;
    this.#heldBytes = 0;
    for (const event of held) {
      if (event.kind === 'data') this.#client.data(event.bytes, event.origin);
      else if (event.kind === 'gap') this.#client.gap(event.length, event.origin);
      else this.#client.close(event.origin, event.reason === 'fin');
    }
  }

  // ── responses to a client that has gone ──

  /** A host answers bytes that come after a program closed the connection with a reset (RFC 9293, section 3.10.7.1; RFC 1122, 4.2.2.13). */
  #holdLate(event: HeldEvent): boolean {
    if (this.#late === null) {
      const isAwaited = this.#pairing.waiting.length > 0 && this.#server.between;
      if (!isAwaited || this.#endedFirst?.by !== 'client') return false;
      this.#late = [];
    }
    this.#lateBytes += event.kind === 'data' ? event.bytes.length : 0;
    if (this.#lateBytes > MAX_HELD_BYTES || this.#late.length >= MAX_HELD_EVENTS) {
      this.#releaseLate();
      return false;
    }
    this.#late.push(event.kind === 'data' ? { ...event, bytes: copyOf(event.bytes) } : event);
    return true;
  }

  #releaseLate(): void {
    const late = this.#late;
    if (late === null) return;
    // Nothing is held any more, even if the client had gone.
    this.#late = null;
    this.#lateBytes = Number.POSITIVE_INFINITY;
    for (const event of late) {
      if (event.kind === 'data') this.#server.data(event.bytes, event.origin);
      else if (event.kind === 'gap') this.#server.gap(event.length, event.origin);
      else this.#close('server', event.origin, event.reason === 'fin');
    }
  }

  /** The client reset the connection for what came. */
  #dropLate(): void {
    const late = this.#late;
    if (late === null) return;
    this.#late = null;
    const detail = `${counted(this.#lateBytes, 'byte')} of the server came after the client had ended the connection, and were read by nobody`;
    this.#emitNotice('http.unread-response', late[0].origin, detail);
  }

  #switch(protocol: string, request: RequestHead | null, origin: Origin): void {
    const connection = this.#connection;
    const stream = this.#serverStream;
    this.#tunnel = true;
    this.#switchRequest = 0;
    this.#client.becomeTunnel(origin);
    this.#clientStream = stream;
    this.#out.push({ kind: 'upgraded', connection, stream, from: 'server', protocol, request, origin });
    this.#release();
  }

  // ── events ──

  #streamOf(from: Side): number {
    return from === 'client' ? this.#clientStream : this.#serverStream;
  }

  #endUnanswered(request: WaitingRequest, origin: Origin, cut?: Cut): void {
    this.#pushEnd('server', request.ordinal, origin, false, cut);
  }

  #pushHead(
    from: Side,
    stream: number,
    head: RequestHead | ResponseHead,
    first: Origin,
    last: Origin,
    complete: boolean,
  ): void {
    this.#out.push({ kind: 'head', connection: this.#connection, stream, from, head, first, last, complete });
  }

  #pushEnd(from: Side, stream: number, origin: Origin, complete: boolean, cut?: Cut): void {
    this.#out.push({ kind: 'end', connection: this.#connection, stream, from, origin, complete, cut });
  }

  #emitNotice(code: Notice['code'], origin: Origin, detail: string): void {
    this.#out.push(notice(code, detail, { origin, connection: this.#connection.name }));
  }
}

type HeldEvent = Extract<StreamEvent, { kind: 'data' | 'gap' | 'closed' }>;

/** Limit: segments of these bytes. */
const MAX_HELD_EVENTS = 1024;
const CR = 0x0d;
const LF = 0x0a;
