// Reads the heads and bodies of one direction of an HTTP/1 connection.

import { concat, copyOf, EMPTY_BYTES } from '../../core/bytes/bytes.js';
import { isInOrder, type Origin } from '../../core/origin.js';
import type { Side } from '../../tcp/stream-event.js';
import type { Fields, RequestHead, ResponseHead } from '../http-event.js';
import { CHUNKED, INVALID, TUNNEL, UNTIL_CLOSE } from './body-length.js';
import { ChunkReader } from './chunks.js';
import { HeadReader, type Refusal } from './head.js';
import { canBeginHead, MessageSearch, type SearchOwner, STATUS_LINE_START, seemsHead } from './search.js';

/** Receives the content of a direction. */
export interface DirectionOwner extends SearchOwner {
  /**
   * @returns bytes of the body, CHUNKED, UNTIL_CLOSE, TUNNEL or INVALID; INTERIM for a head that is no message (1xx).
   */
  onHead(from: Side, head: RequestHead | ResponseHead, first: Origin, last: Origin): number;
  /** Whether the latest head may respond to a HEAD request that was not captured, and so has no body. */
  mayHaveNoBody(from: Side): boolean;
  onBody(from: Side, bytes: Uint8Array, origin: Origin): void;
  onBodyGap(from: Side, length: number | null, origin: Origin): void;
  onTrailers(from: Side, fields: Fields, origin: Origin): void;
}

/** Result of `onHead` for an interim response, after which the next head follows. */
export const INTERIM = -5;

//            ┌────────────── end of message ─────────────┐
//            ▼                                           │
//         BETWEEN ── first byte ──► HEAD ── complete ──► BODY ──────► TUNNEL (for good)
//            │ no head begins so     │ gap, no head       │ gap, bad framing
//            └──────────────────►  SEARCH ◄──────────────┘
type DirectionState = 'between' | 'head' | BodyState | 'tunnel' | 'search' | 'closed' | 'unsure';
/** How a body ends. After a head without a captured request it is `unsure` whether the next bytes are of a body or a head. */
type BodyState = 'sized' | 'chunks' | 'to-close';

export class Http1Direction {
  readonly #from: Side;
  readonly #owner: DirectionOwner;
  readonly #heads: HeadReader;
  /** Created for the first chunked body. */
  #chunks: ChunkReader | null = null;
  #state: DirectionState;
  #first: Origin | null = null;
  /** SIZED: remaining bytes of the body. */
  #remaining = 0;
  /** Bytes of the current body are missing. */
  #damaged = false;
  #unsure: BodyOrHead | null = null;
  /** Created for the first loss, also that of the beginning. */
  #search: MessageSearch | null;

  /** @param midway the first bytes may come from the middle of a message. */
  constructor(from: Side, owner: DirectionOwner, midway: boolean) {
    this.#from = from;
    this.#owner = owner;
    this.#heads = new HeadReader(from === 'client' ? 'REQUEST' : 'RESPONSE');
    this.#state = midway ? 'search' : 'between';
    this.#search = midway ? new MessageSearch(from, owner, from === 'server') : null;
  }

  /** Whether the next byte begins a message. */
  get between(): boolean {
    return this.#state === 'between';
  }

  data(bytes: Uint8Array, origin: Origin): void {
    let at = 0;
    while (at < bytes.length) {
      switch (this.#state) {
        case 'between':
          at = this.#begin(bytes, at, origin);
          break;
        case 'head':
          at = this.#readHead(bytes, at, origin);
          break;
        case 'sized':
          at = this.#readSized(bytes, at, origin);
          break;
        case 'chunks':
          at = this.#readChunks(bytes, at, origin);
          break;
        case 'search':
          at = this.#readSearch(bytes, at, origin);
          break;
        case 'unsure':
          at = this.#readUnsure(bytes, at, origin);
          break;
        case 'closed':
          return;
        default:
          this.#owner.onBody(this.#from, at === 0 ? bytes : bytes.subarray(at), origin);
          return;
      }
    }
  }

  gap(length: number | null, origin: Origin): void {
    const owner = this.#owner;
    if (this.#state === 'unsure') this.#decide(this.#unsure!.bodyState);
    switch (this.#state) {
      case 'sized':
        this.#damaged = true;
        if (length !== null && length <= this.#remaining) {
          owner.onBodyGap(this.#from, length, origin);
          this.#remaining -= length;
          if (this.#remaining === 0) this.#endMessage(origin);
          return;
        }
        owner.onBodyGap(this.#from, length === null ? null : this.#remaining, origin);
        this.#interrupt(length === null ? null : length - this.#remaining, 'sized', origin);
        // With a known length of the gap, all of this body was accounted for.
        if (length !== null) this.#search!.endInterrupted(origin);
        return;
      case 'chunks':
        this.#damaged = true;
        if (length !== null && this.#chunks!.skip(length)) owner.onBodyGap(this.#from, length, origin);
        else {
          owner.onBodyGap(this.#from, null, origin);
          this.#interrupt(0, 'chunked', origin);
        }
        return;
      case 'to-close':
      case 'tunnel':
        this.#damaged = true;
        owner.onBodyGap(this.#from, length, origin);
        return;
      case 'head':
        this.#skipHead();
        this.#interrupt(length, null, origin);
        return;
      case 'search':
        this.#search!.gap(length, origin);
        return;
      case 'between':
        this.#interrupt(length, null, origin);
        return;
    }
  }

  /** All bytes from here on are a tunnel; an unfinished message ends. */
  becomeTunnel(origin: Origin): void {
    if (this.#state === 'closed') return;
    this.#giveUp(origin, false);
    this.#state = 'tunnel';
    this.#damaged = false;
  }

  /** Ends the direction. @param clean its sender ended it (FIN). */
  close(origin: Origin, clean: boolean): void {
    if (this.#state === 'closed') return;
    this.#giveUp(origin, clean);
    this.#state = 'closed';
  }

  #begin(bytes: Uint8Array, start: number, origin: Origin): number {
    let at = start;
    // Empty lines before a message are ignored (RFC 9112 section 2.2).
    while (at < bytes.length && (bytes[at] === CR || bytes[at] === LF)) at += 1;
    if (at === bytes.length) return at;
    if (!canBeginHead(bytes[at], this.#from)) {
      this.#fail(origin, 'malformed', false);
      return at;
    }
    this.#first = origin;
    this.#state = 'head';
    return at;
  }

  #readHead(bytes: Uint8Array, at: number, origin: Origin): number {
    const heads = this.#heads;
    const next = heads.read(bytes, at);
    const head = heads.head;
    if (head === null && heads.error === null) return next;
    const search = this.#search;
    if (head === null || (search !== null && !search.accepts(head))) {
      const why = heads.error ?? 'malformed';
      this.#skipHead();
      // The parser stops after the line that it refused, but a limit stops it anywhere.
      this.#fail(origin, why, why !== 'too-long');
      return next;
    }
    heads.reset();
    if (search !== null) search.headRead(this.#first!);
    this.#damaged = false;
    this.#enterBody(this.#owner.onHead(this.#from, head, this.#first!, origin), origin);
    return next;
  }

  #enterBody(length: number, origin: Origin): void {
    this.#remaining = length;
    const body = length > 0 ? 'sized' : BODY_STATES.get(length);
    if (body === 'chunks') this.#beginChunks();
    if (body !== undefined && this.#owner.mayHaveNoBody(this.#from)) {
      this.#unsure = new BodyOrHead(body, origin);
      this.#state = 'unsure';
    } else if (body !== undefined) this.#state = body;
    else if (length === 0) this.#endMessage(origin);
    else if (length === TUNNEL) this.#state = 'tunnel';
    else if (length === INVALID) {
      this.#owner.onEnd(this.#from, origin, false);
      this.#fail(origin, 'malformed', false);
    } else this.#state = 'between';
  }

  #readUnsure(bytes: Uint8Array, at: number, origin: Origin): number {
    const unsure = this.#unsure!;
    const found = unsure.look(bytes, at, origin);
    if (found === 'more') return bytes.length;
    if (found === 'head') this.#endMessage(unsure.endBefore(origin));
    this.#decide(found === 'head' ? 'between' : unsure.bodyState);
    return at;
  }

  #decide(state: DirectionState): void {
    this.#state = state;
    const buffered = this.#unsure!.take();
    if (buffered !== null) this.data(buffered.bytes, buffered.origin);
  }

  #readSized(bytes: Uint8Array, at: number, origin: Origin): number {
    const end = Math.min(bytes.length, at + this.#remaining);
    this.#owner.onBody(this.#from, at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end), origin);
    this.#remaining -= end - at;
    if (this.#remaining === 0) this.#endMessage(origin);
    return end;
  }

  #readChunks(bytes: Uint8Array, at: number, origin: Origin): number {
    const chunks = this.#chunks!;
    const next = chunks.read(bytes, at);
    if (chunks.dataEnd > chunks.dataStart)
      this.#owner.onBody(this.#from, bytes.subarray(chunks.dataStart, chunks.dataEnd), origin);
    if (chunks.done) {
      if (chunks.trailers.length > 0) this.#owner.onTrailers(this.#from, chunks.trailers, origin);
      this.#endMessage(origin);
    } else if (chunks.broken) {
      this.#owner.onBodyGap(this.#from, null, origin);
      this.#interrupt(0, 'chunked', origin);
      this.#owner.onMalformed(this.#from, origin, 'malformed');
    }
    return next;
  }

  #endMessage(origin: Origin): void {
    this.#state = 'between';
    this.#owner.onEnd(this.#from, origin, !this.#damaged);
  }

  #beginChunks(): void {
    if (this.#chunks === null) this.#chunks = new ChunkReader();
    else this.#chunks.restart();
    this.#state = 'chunks';
  }

  // ── unreadable bytes ──

  #readSearch(bytes: Uint8Array, at: number, origin: Origin): number {
    const search = this.#search!;
    const next = search.read(bytes, at);
    if (search.found === 'head') {
      this.#first = origin;
      this.#state = 'head';
    } else if (search.found === 'chunk') {
      search.chunkFound(origin);
      this.#damaged = true;
      this.#beginChunks();
    }
    return next;
  }

  #fail(origin: Origin, why: Refusal, lineStart: boolean): void {
    this.#state = 'search';
    this.#getSearch().fail(origin, why, lineStart);
  }

  #interrupt(unread: number | null, cut: 'sized' | 'chunked' | null, origin: Origin): void {
    this.#state = 'search';
    this.#getSearch().interrupt(unread, cut, origin);
  }

  #skipHead(): void {
    this.#getSearch().skip(this.#heads.length);
    this.#heads.reset();
  }

  #getSearch(): MessageSearch {
    this.#search ??= new MessageSearch(this.#from, this.#owner, false);
    return this.#search;
  }

  // Ends the current message.
  #giveUp(origin: Origin, clean: boolean): void {
    if (this.#state === 'unsure') this.#decide(this.#unsure!.bodyState);
    const state = this.#state;
    if (state === 'sized' || state === 'chunks') this.#owner.onEnd(this.#from, origin, false);
    if (state === 'to-close' || state === 'tunnel') this.#owner.onEnd(this.#from, origin, clean && !this.#damaged);
    if (state === 'head') this.#skipHead();
    if (this.#search !== null) this.#search.end(origin);
  }
}

/**
 * Decides what follows a response head whose request was not captured: the declared body or, because a response to HEAD has none
 * (RFC 9112, section 6.3), the next head.
 */
class BodyOrHead {
  /** State in which a body is read. */
  readonly bodyState: BodyState;
  readonly #headLast: Origin;
  /** Bytes so far that match a head, fewer than `STATUS_LINE_START`. */
  #buffered = EMPTY_BYTES;
  #origin: Origin | null = null;

  /** @param headLast frame of the head's last byte. */
  constructor(bodyState: BodyState, headLast: Origin) {
    this.bodyState = bodyState;
    this.#headLast = headLast;
  }

  /** Where a message without a body ended before the `next` head: at its own head, or if that is too late to be ordered, at `next`. */
  endBefore(next: Origin): Origin {
    return isInOrder(this.#headLast, next) ? this.#headLast : next;
  }

  /** Decides by the buffered bytes and those from `start` on; if `more` are needed, it has buffered a copy. */
  look(bytes: Uint8Array, start: number, origin: Origin): 'body' | 'head' | 'more' {
    const next = bytes.subarray(start, start + STATUS_LINE_START - this.#buffered.length);
    const beginning = this.#buffered.length === 0 ? next : concat([this.#buffered, next]);
    if (!seemsHead(beginning, 0, 'server')) return 'body';
    if (beginning.length === STATUS_LINE_START) return 'head';
    this.#buffered = copyOf(beginning);
    this.#origin ??= origin;
    return 'more';
  }

  /** Removes the buffered bytes, which must be read first. @returns null if there are none. */
  take(): { readonly bytes: Uint8Array; readonly origin: Origin } | null {
    if (this.#buffered.length === 0) return null;
    const taken = { bytes: this.#buffered, origin: this.#origin! };
    this.#buffered = EMPTY_BYTES;
    return taken;
  }
}

/** States of bodies whose length is no number. */
const BODY_STATES: ReadonlyMap<number, BodyState> = new Map([
  [CHUNKED, 'chunks'],
  [UNTIL_CLOSE, 'to-close'],
]);
const CR = 0x0d;
const LF = 0x0a;
