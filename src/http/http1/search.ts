// Searches one HTTP/1 direction for the next head or chunk after a loss, after bytes that are no HTTP, or in mid-stream.

import type { Origin } from '../../core/origin.js';
import type { Side } from '../../tcp/stream-event.js';
import type { RequestHead, ResponseHead } from '../http-event.js';
import { chunkBegins } from './chunks.js';
import type { Refusal } from './head.js';

/** Receives the results of a search. */
export interface SearchOwner {
  /** Chunks of a body without captured head begin. */
  onHeadless(from: Side, origin: Origin): void;
  onEnd(from: Side, origin: Origin, complete: boolean): void;
  /** Messages may be missing from here on. */
  onLoss(from: Side, origin: Origin): void;
  /** Whether a captured request has no response yet. */
  readonly awaitsResponse: boolean;
  /** Whether chunks that begin here may continue the interrupted message. */
  continuesSameMessage(from: Side): boolean;
  /** Bytes are no HTTP, or a head is malformed or too long. */
  onMalformed(from: Side, origin: Origin, why: Refusal): void;
  /** @param length of the skipped bytes; null if unknown. @param found reading continues here. */
  onUnread(from: Side, length: number | null, origin: Origin, found: boolean): void;
}

export class MessageSearch {
  /** What the latest `read` found at the position that it returned. */
  found: 'head' | 'chunk' | null = null;
  readonly #from: Side;
  readonly #owner: SearchOwner;
  /** A message without a captured end may continue. */
  #interrupted = false;
  /** Chunks may continue here, of a chunked body or in mid-stream. */
  #chunksMayFollow: boolean;
  /** The body of a response from before the capture may continue, and its text may look like a head. */
  #bodyMayContinue: boolean;
  /** The next byte begins a line. */
  #lineStart = false;
  /** A found head is being read; if it is none, the search continues without another notice. */
  #tentative = false;
  #unread: number | null = 0;

  constructor(from: Side, owner: SearchOwner, chunksMayFollow: boolean) {
    this.#from = from;
    this.#owner = owner;
    this.#chunksMayFollow = chunksMayFollow;
    this.#bodyMayContinue = chunksMayFollow;
  }

  // ── reading stops ──

  /**
   * Begins a search because bytes are missing.
   * @param unread missing bytes that belong to no known message; null if unknown.
   * @param cut kind of the current body.
   */
  interrupt(unread: number | null, cut: 'sized' | 'chunked' | null, origin: Origin): void {
    // If a found head was being tried, the message that was interrupted before it remains.
    if (cut !== null) this.#interrupted = true;
    this.#chunksMayFollow = cut === 'chunked' || (this.#tentative && this.#chunksMayFollow);
    this.skip(unread);
    this.#tentative = false;
    this.#lineStart = false;
    this.#owner.onLoss(this.#from, origin);
  }

  /**
   * What was read is no message.
   *
   * @param lineStart the next byte begins a line.
   */
  fail(origin: Origin, why: Refusal, lineStart: boolean): void {
    const searching = this.#tentative;
    this.#tentative = false;
    this.#lineStart = lineStart;
    if (searching && why !== 'too-long') {
      // Text that is no head is what a search meets; what ends like a request line was meant as one.
      if (why === 'request-line') this.#owner.onMalformed(this.#from, origin, why);
      return;
    }
    this.#chunksMayFollow = false;
    this.#owner.onLoss(this.#from, origin);
    this.#owner.onMalformed(this.#from, origin, why);
  }

  /** Counts skipped bytes. @param length null if unknown. */
  skip(length: number | null): void {
    this.#unread = this.#unread === null || length === null ? null : this.#unread + length;
  }

  // ── searching ──

  /**
   * Searches at the starts of segments and lines for a head or, if chunks may follow, a chunk.
   * @returns where reading can continue, or the end of the bytes.
   */
  read(bytes: Uint8Array, start: number): number {
    let at = start;
    let lineStart = start === 0 || this.#lineStart;
    while (at < bytes.length) {
      if (lineStart) {
        if (this.#chunksMayFollow && chunkBegins(bytes, at, at === 0)) {
          this.found = 'chunk';
          this.skip(at - start);
          return at;
        }
        if (canBeginHead(bytes[at], this.#from) && seemsHead(bytes, at, this.#from) && !this.#isQuoted(at)) {
          this.found = 'head';
          this.#tentative = true;
          this.skip(at - start);
          return at;
        }
      }
      at = nextLine(bytes, at);
      lineStart = true;
    }
    this.found = null;
    this.#lineStart = bytes[bytes.length - 1] === LF;
    this.skip(bytes.length - start);
    return bytes.length;
  }

  /** Whether a head may be part of a body: a server writes a response by itself, so its head begins a segment. */
  #isQuoted(at: number): boolean {
    return at > 0 && this.#bodyMayContinue && !this.#owner.awaitsResponse;
  }

  /** More bytes are missing. */
  gap(length: number | null, origin: Origin): void {
    this.skip(length);
    this.#lineStart = false;
    this.#owner.onLoss(this.#from, origin);
  }

  /** Whether a head that was found by the search is one: its method must be known. */
  accepts(head: RequestHead | ResponseHead): boolean {
    return !this.#tentative || head.kind === 'response-head' || isKnownMethod(head.method!);
  }

  // ── reading goes on ──

  /** A head was read, which ends the search if that had found it. */
  headRead(origin: Origin): void {
    this.#bodyMayContinue = false;
    if (this.#tentative) this.#resume(origin);
  }

  /** A chunk was found, of the interrupted message or of one without captured head. */
  chunkFound(origin: Origin): void {
    const same = this.#interrupted && this.#owner.continuesSameMessage(this.#from);
    if (same) this.#interrupted = false;
    this.#resume(origin);
    if (!same) this.#owner.onHeadless(this.#from, origin);
  }

  // Reports the skipped bytes and ends the interrupted message.
  #resume(origin: Origin): void {
    if (this.#interrupted) this.endInterrupted(origin);
    this.#tentative = false;
    this.#owner.onUnread(this.#from, this.#unread, origin, true);
    this.#unread = 0;
  }

  /** The interrupted message is over. */
  endInterrupted(origin: Origin): void {
    this.#interrupted = false;
    this.#owner.onEnd(this.#from, origin, false);
  }

  end(origin: Origin): void {
    if (this.#interrupted) this.endInterrupted(origin);
    if (this.#unread !== 0) this.#owner.onUnread(this.#from, this.#unread, origin, false);
    this.#unread = 0;
  }
}

/** Methods that a search accepts: RFC 9110, RFC 5789, WebDAV. Another word may be any text. */
const METHODS: ReadonlySet<string> = new Set(
  (
    'GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH ' +
    'PROPFIND PROPPATCH MKCOL COPY MOVE LOCK UNLOCK SEARCH REPORT'
  ).split(' '),
);

export function isKnownMethod(method: string): boolean {
  return METHODS.has(method);
}

/** Whether a byte can begin a request (an upper-case method) or response (`HTTP/`). */
export function canBeginHead(byte: number, from: Side): boolean {
  return from === 'client' ? byte >= 0x41 && byte <= 0x5a : byte === STATUS_LINE[0];
}

/** Whether the bytes begin like `METHOD SP` or `HTTP/1.d SP 3DIGIT` (or `HTTP/0.d`), as far as they reach. */
export function seemsHead(bytes: Uint8Array, start: number, from: Side): boolean {
  return from === 'client' ? seemsRequest(bytes, start) : seemsResponse(bytes, start);
}

/** Position after the next LF, or the end. */
export function nextLine(bytes: Uint8Array, start: number): number {
  const lf = bytes.indexOf(LF, start);
  return lf < 0 ? bytes.length : lf + 1;
}

function seemsRequest(bytes: Uint8Array, start: number): boolean {
  let method = '';
  for (let at = start; at < bytes.length && at - start <= LONGEST_METHOD; at++) {
    if (bytes[at] === SPACE) return METHODS.has(method);
    method += String.fromCharCode(bytes[at]);
  }
  if (start + method.length < bytes.length) return false;
  for (const known of METHODS) if (known.startsWith(method)) return true;
  return false;
}

function seemsResponse(bytes: Uint8Array, start: number): boolean {
  const end = Math.min(bytes.length - start, STATUS_LINE.length);
  for (let i = 0; i < end; i++) {
    const expected = STATUS_LINE[i];
    const byte = bytes[start + i];
    const last = i === MAJOR ? 0x31 : 0x39;
    if (expected === DIGIT ? byte < 0x30 || byte > last : byte !== expected) return false;
  }
  return true;
}

/** Bytes that `seemsHead` compares in a response. */
export const STATUS_LINE_START = 12;

const LF = 0x0a;
const SPACE = 0x20;
const LONGEST_METHOD = 9;
const DIGIT = 0;
/** `HTTP/d.d ddd`, with 0 for a digit. */
const STATUS_LINE = Uint8Array.from([0x48, 0x54, 0x54, 0x50, 0x2f, 0, 0x2e, 0, 0x20, 0, 0, 0]);
/** Position of the first digit of the version. */
const MAJOR = 5;
