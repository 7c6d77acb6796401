// Finds where frames begin in bytes that nobody knows the place of: after a late start, a gap, a broken frame. Knows
// what frame headers look like; proof is a chain of them, each where the one before says it is.

import { u24be } from '../../core/bytes/bytes.js';
import type { Origin } from '../../core/origin.js';
import { FRAME_HEADER, isPlausibleHeader, MAX_STREAM } from './frame-types.js';

interface WindowPiece {
  /** Offset in the window. */
  readonly at: number;
  readonly origin: Origin;
}

/** Bytes of one frame of the capture, found again: borrowed until the search is used again. */
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
  /** Offsets where a frame may begin, as far as can be seen; the earliest that is proven wins. */
  #candidates: number[] = [];
  #skipped = 0;
  /** Highest stream that is believed; frames of later ones are none. */
  maxStream = MAX_STREAM;

  /** @returns the bytes from the first proven frame on, piece by piece; null: none is proven yet. */
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

  /** Bytes given up since this was last asked; those still waiting are not among them. */
  skipped(): number {
    const skipped = this.#skipped;
    this.#skipped = 0;
    return skipped;
  }

  /** Gives up what waits: what follows does not continue it. */
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

  /** Offset of the first proven frame, or -1. Looks at each offset once and at each candidate once a piece. */
  #find(): number {
    const still: number[] = [];
    for (const at of this.#candidates) {
      const verdict = this.#judge(at);
      if (verdict === PROVEN) return at;
      if (verdict === OPEN) still.push(at);
    }
    this.#candidates = still;
    const end = this.#length - FRAME_HEADER;
    for (let at = this.#scanned; at <= end; at++) {
      if (!isPlausibleHeader(this.#window, at, this.maxStream)) continue;
      const verdict = this.#judge(at);
      if (verdict === PROVEN) return at;
      if (verdict === OPEN && still.length < MAX_CANDIDATES) still.push(at);
    }
    this.#scanned = Math.max(this.#scanned, end + 1);
    return -1;
  }

  #judge(at: number): number {
    const chain = followChain(this.#window, at, this.#length, this.maxStream);
    if (chain === 0) return REFUTED;
    // A segment or TLS record usually begins with a frame and ends with one.
    const atStart = this.#startsPiece(at);
    const headers = chain >> 1;
    const ends = (chain & 1) + (atStart ? 1 : 0);
    return headers + ends >= 3 ? PROVEN : OPEN;
  }

  #startsPiece(at: number): boolean {
    // Pieces are few and sorted: binary search.
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
    this.#length = found;
    this.reset();
    this.#window = new Uint8Array(0);
    return out;
  }
}

/**
 * Follows frame headers from `at` on, at most three.
 * @returns 0 where one is implausible; else twice the number of headers seen, plus one where the last frame ends exactly
 *   at `end`.
 */
export function followChain(b: Uint8Array, at: number, end: number, maxStream = MAX_STREAM): number {
  let headers = 0;
  let next = at;
  while (headers < 3 && next + FRAME_HEADER <= end) {
    if (!isPlausibleHeader(b, next, maxStream)) return 0;
    headers++;
    next += FRAME_HEADER + u24be(b, next);
  }
  return headers * 2 + (next === end ? 1 : 0);
}

const REFUTED = 0;
const OPEN = 1;
const PROVEN = 2;

// Four of the largest usual frames (16 KiB): a frame boundary with a second header behind it lies in there.
const WINDOW = 64 * 1024;

// Text has no frame headers in it and binary bodies few; more candidates than this are an attack on time.
const MAX_CANDIDATES = 32;
