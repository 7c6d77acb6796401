// Finds where an HTTP/2 frame begins in mid-stream, after a gap or a malformed frame; a chain of frame headers is the proof.

import { u24be } from '../../core/bytes/bytes.js';
import type { Origin } from '../../core/origin.js';
import { FRAME_HEADER, isPlausibleHeader, MAX_STREAM } from './frame-types.js';

interface WindowPiece {
  /** Offset in the window. */
  readonly at: number;
  readonly origin: Origin;
}

/** Bytes of one captured packet, borrowed until the next call of the search. */
export interface FoundPiece {
  readonly bytes: Uint8Array;
  readonly origin: Origin;
}

export class FrameSearch {
  // window  [ given up ... | candidate ...... | not scanned ]
  //                                           ^#scanned      ^#length
  #window: Uint8Array = new Uint8Array(0);
  #length = 0;
  #pieces: WindowPiece[] = [];
  #scanned = 0;
  /** Undecided offsets where a frame may begin; the earliest proven one is taken. */
  #candidates: number[] = [];
  #skipped = 0;
  /** Highest accepted stream id. */
  maxStream = MAX_STREAM;

  /** @returns the bytes from the first proven frame on, piece by piece; null if none is proven yet. */
  push(bytes: Uint8Array, origin: Origin): FoundPiece[] | null {
    let rest = bytes;
    while (rest.length > 0) {
      const taken = Math.min(rest.length, WINDOW - this.#length);
      this.#append(rest.subarray(0, taken), origin);
      rest = rest.subarray(taken);
      const found = this.#find();
      if (found >= 0) {
        const pieces = this.#take(found);
        if (rest.length > 0) pieces.push({ bytes: rest, origin });
        return pieces;
      }
      if (this.#length === WINDOW) this.reset();
    }
    return null;
  }

  /** Bytes given up since the last call, without the buffered ones. */
  skipped(): number {
    const skipped = this.#skipped;
    this.#skipped = 0;
    return skipped;
  }

  /** Gives up the buffered bytes, because a gap follows them. */
  reset(): void {
    this.#skipped += this.#length;
    this.#length = 0;
    this.#pieces = [];
    this.#scanned = 0;
    this.#candidates = [];
  }

  #append(bytes: Uint8Array, origin: Origin): void {
    const needed = this.#length + bytes.length;
    if (needed > this.#window.length) {
      const larger = new Uint8Array(Math.min(WINDOW, Math.max(needed * 2, 1024)));
      larger.set(this.#window.subarray(0, this.#length));
      this.#window = larger;
    }
    this.#window.set(bytes, this.#length);
    this.#pieces.push({ at: this.#length, origin });
    this.#length = needed;
  }

  /** Offset of the first proven frame, or -1. Each offset is tried once, and each candidate again with every piece that arrives. */
  #find(): number {
    const undecided: number[] = [];
    for (const at of this.#candidates) {
      const verdict = this.#judge(at);
      if (verdict === PROVEN) return at;
      if (verdict === UNDECIDED) undecided.push(at);
    }
    this.#candidates = undecided;
    const end = this.#length - FRAME_HEADER;
    for (let at = this.#scanned; at <= end; at++) {
      if (!isPlausibleHeader(this.#window, at, this.maxStream)) continue;
      const verdict = this.#judge(at);
      if (verdict === PROVEN) return at;
      if (verdict === UNDECIDED && undecided.length < MAX_CANDIDATES) undecided.push(at);
    }
    this.#scanned = Math.max(this.#scanned, end + 1);
    return -1;
  }

  /**
   * A frame is proven by three points: one for each plausible header from `at` on, one if the last frame ends with the bytes, and one if
   * `at` is where a piece begins, because a segment or TLS record usually begins and ends with a frame.
   */
  #judge(at: number): number {
    const points = pointsOfChain(this.#window, at, this.#length, this.maxStream);
    if (points === 0) return REFUTED;
    return points + (this.#startsPiece(at) ? 1 : 0) >= 3 ? PROVEN : UNDECIDED;
  }

  #startsPiece(at: number): boolean {
    const pieces = this.#pieces;
    let low = 0;
    let high = pieces.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const piece = pieces[middle];
      if (piece.at === at) {
        const end = middle + 1 < pieces.length ? pieces[middle + 1].at : this.#length;
        return end - at >= FRAME_HEADER;
      }
      if (piece.at < at) low = middle + 1;
      else high = middle - 1;
    }
    return false;
  }

  #take(found: number): FoundPiece[] {
    const out: FoundPiece[] = [];
    for (let i = 0; i < this.#pieces.length; i++) {
      const end = i + 1 < this.#pieces.length ? this.#pieces[i + 1].at : this.#length;
      if (end <= found) continue;
      const start = Math.max(found, this.#pieces[i].at);
      out.push({ bytes: this.#window.subarray(start, end), origin: this.#pieces[i].origin });
    }
    // What lies before the frame counts as skipped.
    this.#length = found;
    this.reset();
    this.#window = new Uint8Array(0);
    return out;
  }
}

/**
 * Follows at most three frame headers from `at` on, which must lie whole before `end`.
 * @returns 0 if a header is implausible; else the number of headers, plus one if the last frame ends exactly at `end`.
 */
function pointsOfChain(b: Uint8Array, at: number, end: number, maxStream: number): number {
  let headers = 0;
  let next = at;
  while (headers < 3 && next + FRAME_HEADER <= end) {
    if (!isPlausibleHeader(b, next, maxStream)) return 0;
    headers++;
    next += FRAME_HEADER + u24be(b, next);
  }
  return headers + (next === end ? 1 : 0);
}

const REFUTED = 0;
const UNDECIDED = 1;
const PROVEN = 2;

/**
 * Limit in bytes: reach of the search for the next frame after a loss: four frames of the default maximum size (16 KiB), so that at
 * least two frame headers follow each other there.
 */
const WINDOW = 64 * 1024;

/** Limit: undecided offsets where a frame may begin: text looks like no frame header, binary bodies rarely; more are an attack. */
const MAX_CANDIDATES = 32;
