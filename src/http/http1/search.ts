// What lies between the messages of one HTTP/1 direction that can be read: after a late start, a loss or bytes that are no
// HTTP it looks for a line that begins a head or, where chunks were being read, for a chunk. Knows what was interrupted
// and how much went unread; not how messages are read.

import type { Origin } from '../../core/origin.js';
import type { Side } from '../../tcp/stream-event.js';
import type { RequestHead, ResponseHead } from '../http-event.js';
import { chunkBegins } from './chunks.js';
import type { Refusal } from './head.js';

/** What a search says, and asks. */
export interface SearchOwner {
  /** Chunks of a body whose head is not in the capture begin. */
  onHeadless(from: Side, origin: Origin): void;
  onEnd(from: Side, origin: Origin, complete: boolean): void;
  /** Messages may be missing from here on. */
  onLoss(from: Side, origin: Origin): void;
  /** A request that was seen has no response yet. */
  readonly awaitsResponse: boolean;
  /** May chunks that begin here go on with the message that was interrupted? */
  sameMessageGoesOn(from: Side): boolean;
  /** Bytes are no HTTP, a request line is none or a head is too long; the search for the next message begins. */
  onMalformed(from: Side, origin: Origin, why: Refusal): void;
  /** `length` bytes were given up, null if nobody knows how many; `found` if reading goes on here. */
  onUnread(from: Side, length: number | null, origin: Origin, found: boolean): void;
}

/** Unreadable bytes of one direction in; out, the place where reading goes on and, to the owner, what was lost before it. */
export class MessageSearch {
  /** What the last `read` found at the position that it returned; null: nothing in all of its bytes. */
  found: 'head' | 'chunk' | null = null;
  readonly #from: Side;
  readonly #owner: SearchOwner;
  /** A message whose end was not seen waits to go on or to be ended. */
  #interrupted = false;
  /** Chunks may go on here; a late start or a chunked body was interrupted. */
  #chunksMayFollow: boolean;
  /** The body of a response that began before the capture may go on: its text may look like a head. */
  #bodyMayGoOn: boolean;
  /** The next byte begins a line. */
  #lineStart = false;
  /** A head that was found is being read: if it is none, the search goes on without another word. */
  #tentative = false;
  #unread: number | null = 0;

  constructor(from: Side, owner: SearchOwner, chunksMayFollow: boolean) {
    this.#from = from;
    this.#owner = owner;
    this.#chunksMayFollow = chunksMayFollow;
    this.#bodyMayGoOn = chunksMayFollow;
  }

  // ── reading stops ──

  /**
   * Bytes are missing.
   *
   * @param unread how many of them belong to no message that is known; null: nobody knows.
   * @param cut the body that was being read.
   */
  interrupt(unread: number | null, cut: 'sized' | 'chunked' | null, origin: Origin): void {
    // A head being tried during a search leaves what was interrupted before as it was.
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

  /** `length` bytes are given up; null: nobody knows how many. */
  skip(length: number | null): void {
    this.#unread = this.#unread === null || length === null ? null : this.#unread + length;
  }

  // ── searching ──

  /**
   * Looks at the start of a segment or of a line for a head or, where chunks were being read, a chunk.
   *
   * @returns where reading can go on, or the end of the bytes.
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

  /** A server sends a response by itself, so its head begins a segment unless the request was there before. */
  #isQuoted(at: number): boolean {
    return at > 0 && this.#bodyMayGoOn && !this.#owner.awaitsResponse;
  }

  /** More is missing. */
  gap(length: number | null, origin: Origin): void {
    this.skip(length);
    this.#lineStart = false;
    this.#owner.onLoss(this.#from, origin);
  }

  /** A search finds lines that look like a head; only a method that is known makes one a head. */
  believes(head: RequestHead | ResponseHead): boolean {
    return !this.#tentative || head.kind === 'response-head' || isKnownMethod(head.method!);
  }

  // ── reading goes on ──

  /** A head was read and believed; where it was searched for, this ends the search. */
  headRead(origin: Origin): void {
    this.#bodyMayGoOn = false;
    if (this.#tentative) this.#resume(origin);
  }

  /** Chunks go on: with the message that was interrupted, or with one whose head is not in the capture. */
  chunkFound(origin: Origin): void {
    const same = this.#interrupted && this.#owner.sameMessageGoesOn(this.#from);
    if (same) this.#interrupted = false;
    this.#resume(origin);
    if (!same) this.#owner.onHeadless(this.#from, origin);
  }

  // What was between is accounted for, what was interrupted is over.
  #resume(origin: Origin): void {
    if (this.#interrupted) this.endInterrupted(origin);
    this.#tentative = false;
    this.#owner.onUnread(this.#from, this.#unread, origin, true);
    this.#unread = 0;
  }

  /** It is known that nothing of the message that was interrupted will come. */
  endInterrupted(origin: Origin): void {
    this.#interrupted = false;
    this.#owner.onEnd(this.#from, origin, false);
  }

  /** There is nothing more to search. */
  end(origin: Origin): void {
    if (this.#interrupted) this.endInterrupted(origin);
    if (this.#unread !== 0) this.#owner.onUnread(this.#from, this.#unread, origin, false);
    this.#unread = 0;
  }
}

/** Methods that a search believes in: RFC 9110, RFC 5789, WebDAV. An unknown word may be any text. */
const METHODS: ReadonlySet<string> = new Set(
  (
    'GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH ' +
    'PROPFIND PROPPATCH MKCOL COPY MOVE LOCK UNLOCK SEARCH REPORT'
  ).split(' '),
);

export function isKnownMethod(method: string): boolean {
  return METHODS.has(method);
}

/** First byte of a request (an upper-case method) or response (`HTTP/`). */
export function canBeginHead(byte: number, from: Side): boolean {
  return from === 'client' ? byte >= 0x41 && byte <= 0x5a : byte === STATUS_LINE[0];
}

/** `METHOD SP` or `HTTP/1.d SP 3DIGIT`, `HTTP/0.d` too, as far as there are bytes. */
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

/** Bytes that `seemsHead` looks at in a response. */
export const STATUS_LINE_START = 12;

const LF = 0x0a;
const SPACE = 0x20;
const LONGEST_METHOD = 9;
const DIGIT = 0;
/** `HTTP/d.d ddd`, zero standing for a digit. */
const STATUS_LINE = Uint8Array.from([0x48, 0x54, 0x54, 0x50, 0x2f, 0, 0x2e, 0, 0x20, 0, 0, 0]);
/** Where the version's first digit is. */
const MAJOR = 5;
