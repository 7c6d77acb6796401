// One direction of an HTTP/1 connection: heads, bodies, what is lost between them. Knows where messages begin and end;
// must not know which request a response answers: its owner tells it where a body ends.

import type { Origin } from '../core/origin.js';
import type { Side } from '../tcp/stream-event.js';
import type { Fields, RequestHead, ResponseHead } from './http-event.js';
import { CHUNKED, INVALID, TUNNEL, UNTIL_CLOSE } from './http1-body-length.js';
import { ChunkReader, chunkBegins } from './http1-chunks.js';
import { HeadReader } from './http1-head.js';
import { canBeginHead, isKnownMethod, nextLine, seemsHead } from './http1-resync.js';

/** What a direction says; `http1.ts` turns it into events with connection and ordinal. */
export interface DirectionOwner {
  /**
   * A head is complete.
   * @returns bytes of its body, CHUNKED, UNTIL_CLOSE, TUNNEL or INVALID; LEFT_OUT for a head that is no message (1xx).
   */
  onHead(from: Side, head: RequestHead | ResponseHead, first: Origin, last: Origin): number;
  /** Chunks of a body whose head is not in the capture begin. */
  onHeadless(from: Side, origin: Origin): void;
  onBody(from: Side, bytes: Uint8Array, origin: Origin): void;
  onBodyGap(from: Side, length: number | null, origin: Origin): void;
  onTrailers(from: Side, fields: Fields, origin: Origin): void;
  onEnd(from: Side, origin: Origin, complete: boolean): void;
  /** Messages may be missing from here on. */
  onLoss(from: Side, origin: Origin): void;
  /** May chunks that begin here go on with the message that was interrupted? */
  sameMessageGoesOn(from: Side): boolean;
  /** Bytes are no HTTP, or a head is too long; the search for the next message begins. */
  onMalformed(from: Side, origin: Origin, why: 'malformed' | 'too-long'): void;
  /** `length` bytes were given up, null if nobody knows how many; `found` if reading goes on here. */
  onUnread(from: Side, length: number | null, origin: Origin, found: boolean): void;
}

/** Answer to `onHead` for heads that begin no message: the next head follows. */
export const LEFT_OUT = -5;

//            ┌────────────── end of message ─────────────┐
//            ▼                                           │
//         BETWEEN ── first byte ──► HEAD ── complete ──► BODY ──────► TUNNEL (for good)
//            │ no head begins so     │ gap, no head       │ gap, bad framing
//            └──────────────────►  SEARCH ◄──────────────┘
const BETWEEN = 0;
const HEAD = 1;
const SIZED = 2;
const CHUNKS = 3;
const TO_CLOSE = 4;
const IN_TUNNEL = 5;
const SEARCH = 6;
const CLOSED = 7;

export class Http1Direction {
  readonly #from: Side;
  readonly #owner: DirectionOwner;
  readonly #heads: HeadReader;
  /** Made for the first chunked body. */
  #chunks: ChunkReader | null = null;
  #state: number;
  #first: Origin | null = null;
  /** SIZED: bytes of the body still to come. */
  #remaining = 0;
  /** Bytes of the current body are missing. */
  #damaged = false;
  /** SEARCH: a message whose end was not seen waits to go on or to be ended. */
  #interrupted = false;
  /** SEARCH: chunks may go on here; a late start or a chunked body was interrupted. */
  #chunksMayFollow = false;
  /** SEARCH: the next byte begins a line. */
  #lineStart = false;
  /** HEAD was entered from SEARCH: if it is none, the search goes on without another word. */
  #tentative = false;
  #unread: number | null = 0;

  /** @param midway the first bytes may come from the middle of a message. */
  constructor(from: Side, owner: DirectionOwner, midway: boolean) {
    this.#from = from;
    this.#owner = owner;
    this.#heads = new HeadReader(from === 'client' ? 'REQUEST' : 'RESPONSE');
    this.#state = midway ? SEARCH : BETWEEN;
    this.#chunksMayFollow = midway && from === 'server';
  }

  /** No message is being read and none was lost: the next byte begins one. */
  get between(): boolean {
    return this.#state === BETWEEN;
  }

  data(bytes: Uint8Array, origin: Origin): void {
    let at = 0;
    while (at < bytes.length) {
      switch (this.#state) {
        case BETWEEN:
          at = this.#begin(bytes, at, origin);
          break;
        case HEAD:
          at = this.#readHead(bytes, at, origin);
          break;
        case SIZED:
          at = this.#readSized(bytes, at, origin);
          break;
        case CHUNKS:
          at = this.#readChunks(bytes, at, origin);
          break;
        case SEARCH:
          at = this.#search(bytes, at, origin);
          break;
        case CLOSED:
          return;
        default:
          this.#owner.onBody(this.#from, at === 0 ? bytes : bytes.subarray(at), origin);
          return;
      }
    }
  }

  gap(length: number | null, origin: Origin): void {
    const owner = this.#owner;
    switch (this.#state) {
      case SIZED:
        this.#damaged = true;
        if (length !== null && length <= this.#remaining) {
          owner.onBodyGap(this.#from, length, origin);
          this.#remaining -= length;
          if (this.#remaining === 0) this.#endMessage(origin);
          return;
        }
        owner.onBodyGap(this.#from, length === null ? null : this.#remaining, origin);
        this.#interrupt(length === null ? null : length - this.#remaining, false, origin);
        // All of this body was accounted for; with an unknown length nobody can say.
        if (length !== null) this.#endInterrupted(origin);
        return;
      case CHUNKS:
        this.#damaged = true;
        if (length !== null && this.#chunks!.skip(length)) owner.onBodyGap(this.#from, length, origin);
        else {
          owner.onBodyGap(this.#from, null, origin);
          this.#interrupt(0, true, origin);
        }
        return;
      case TO_CLOSE:
      case IN_TUNNEL:
        this.#damaged = true;
        owner.onBodyGap(this.#from, length, origin);
        return;
      case HEAD:
        this.#unread = add(this.#unread, this.#heads.length);
        this.#heads.reset();
        this.#interrupt(length, false, origin);
        return;
      case SEARCH:
        this.#unread = add(this.#unread, length);
        this.#lineStart = false;
        owner.onLoss(this.#from, origin);
        return;
      case BETWEEN:
        this.#interrupt(length, false, origin);
        return;
    }
  }

  /** From the next byte on all is one tunnel; an unfinished message ends here. */
  becomeTunnel(origin: Origin): void {
    if (this.#state === CLOSED) return;
    this.#giveUp(origin, false);
    this.#state = IN_TUNNEL;
    this.#damaged = false;
  }

  /** The direction is over. `clean` if its sender said so. */
  close(origin: Origin, clean: boolean): void {
    if (this.#state === CLOSED) return;
    this.#giveUp(origin, clean);
    this.#state = CLOSED;
  }

  #begin(bytes: Uint8Array, start: number, origin: Origin): number {
    let at = start;
    // Empty lines before a message are to be ignored (RFC 9112 section 2.2).
    while (at < bytes.length && (bytes[at] === CR || bytes[at] === LF)) at += 1;
    if (at === bytes.length) return at;
    if (!canBeginHead(bytes[at], this.#from)) {
      this.#fail(origin, 'malformed');
      return at;
    }
    this.#first = origin;
    this.#state = HEAD;
    return at;
  }

  #readHead(bytes: Uint8Array, at: number, origin: Origin): number {
    const heads = this.#heads;
    const next = heads.read(bytes, at);
    const head = heads.head;
    if (head === null && heads.error === null) return next;
    if (head === null || !this.#believed(head)) {
      const why = heads.error ?? 'malformed';
      this.#unread = add(this.#unread, heads.length);
      heads.reset();
      this.#fail(origin, why);
      // The parser stops behind the line that it refused, a limit anywhere.
      this.#lineStart = why === 'malformed';
      return next;
    }
    heads.reset();
    if (this.#tentative) this.#resume(this.#first!);
    this.#damaged = false;
    this.#enterBody(this.#owner.onHead(this.#from, head, this.#first!, origin), origin);
    return next;
  }

  // A search finds lines that look like a head; only a method that is known makes one a head.
  #believed(head: RequestHead | ResponseHead): boolean {
    return !this.#tentative || head.kind === 'response-head' || isKnownMethod(head.method!);
  }

  #enterBody(length: number, origin: Origin): void {
    this.#remaining = length;
    if (length > 0) this.#state = SIZED;
    else if (length === 0) this.#endMessage(origin);
    else if (length === CHUNKED) {
      this.#beginChunks();
    } else if (length === UNTIL_CLOSE) this.#state = TO_CLOSE;
    else if (length === TUNNEL) this.#state = IN_TUNNEL;
    else if (length === INVALID) {
      this.#owner.onEnd(this.#from, origin, false);
      this.#fail(origin, 'malformed');
    } else this.#state = BETWEEN;
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
      this.#interrupt(0, true, origin);
      this.#owner.onMalformed(this.#from, origin, 'malformed');
    }
    return next;
  }

  #endMessage(origin: Origin): void {
    this.#state = BETWEEN;
    this.#owner.onEnd(this.#from, origin, !this.#damaged);
  }

  // ── searching ──

  // At the start of a segment or of a line: a head, or, where chunks were being read, a chunk.
  #search(bytes: Uint8Array, start: number, origin: Origin): number {
    let at = start;
    let lineStart = start === 0 || this.#lineStart;
    while (at < bytes.length) {
      if (lineStart) {
        if (this.#chunksMayFollow && chunkBegins(bytes, at, at === 0)) {
          this.#unread = add(this.#unread, at - start);
          this.#goOnWithChunks(origin);
          return at;
        }
        if (canBeginHead(bytes[at], this.#from) && seemsHead(bytes, at, this.#from)) {
          this.#unread = add(this.#unread, at - start);
          this.#first = origin;
          this.#tentative = true;
          this.#state = HEAD;
          return at;
        }
      }
      at = nextLine(bytes, at);
      lineStart = true;
    }
    this.#lineStart = bytes[bytes.length - 1] === LF;
    this.#unread = add(this.#unread, bytes.length - start);
    return bytes.length;
  }

  #goOnWithChunks(origin: Origin): void {
    const same = this.#interrupted && this.#owner.sameMessageGoesOn(this.#from);
    if (same) this.#interrupted = false;
    this.#resume(origin);
    if (!same) this.#owner.onHeadless(this.#from, origin);
    this.#damaged = true;
    this.#beginChunks();
  }

  #beginChunks(): void {
    if (this.#chunks === null) this.#chunks = new ChunkReader();
    else this.#chunks.restart();
    this.#state = CHUNKS;
  }

  // Reading goes on: what was between is accounted for, what was interrupted is over.
  #resume(origin: Origin): void {
    if (this.#interrupted) this.#endInterrupted(origin);
    this.#tentative = false;
    this.#owner.onUnread(this.#from, this.#unread, origin, true);
    this.#unread = 0;
  }

  #fail(origin: Origin, why: 'malformed' | 'too-long'): void {
    const searching = this.#tentative;
    this.#state = SEARCH;
    this.#tentative = false;
    this.#lineStart = false;
    if (searching && why === 'malformed') return;
    this.#chunksMayFollow = false;
    this.#owner.onLoss(this.#from, origin);
    this.#owner.onMalformed(this.#from, origin, why);
  }

  #interrupt(unread: number | null, inMessage: boolean, origin: Origin): void {
    // A head being tried during a search leaves what was interrupted before as it was.
    if (this.#state === SIZED || inMessage) this.#interrupted = true;
    this.#chunksMayFollow = inMessage || (this.#tentative && this.#chunksMayFollow);
    this.#unread = add(this.#unread, unread);
    this.#state = SEARCH;
    this.#tentative = false;
    this.#lineStart = false;
    this.#owner.onLoss(this.#from, origin);
  }

  #endInterrupted(origin: Origin): void {
    this.#interrupted = false;
    this.#owner.onEnd(this.#from, origin, false);
  }

  // Ends whatever is open.
  #giveUp(origin: Origin, clean: boolean): void {
    const state = this.#state;
    if (state === SIZED || state === CHUNKS) this.#owner.onEnd(this.#from, origin, false);
    if (state === TO_CLOSE || state === IN_TUNNEL) this.#owner.onEnd(this.#from, origin, clean && !this.#damaged);
    if (state === HEAD) {
      this.#unread = add(this.#unread, this.#heads.length);
      this.#heads.reset();
    }
    if (this.#interrupted) this.#endInterrupted(origin);
    if (this.#unread !== 0) this.#owner.onUnread(this.#from, this.#unread, origin, false);
    this.#unread = 0;
  }
}

function add(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}

const CR = 0x0d;
const LF = 0x0a;
