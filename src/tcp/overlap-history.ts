// The last bytes of one direction that were handed on, kept for one purpose: to see whether a later segment claims
// them with other content. Knows offsets and bytes, no protocol.
//
// Handed-on bytes are borrowed and gone, so a retransmission with other bytes, the oldest trick to make two readers
// see two streams (Ptacek and Newsham 1998), would pass in silence without this copy. One memcpy per segment.
//
//   ring, a power of two long: the byte of offset n lies at n & mask; valid are #from … #to - 1

import { EMPTY_BYTES } from '../core/bytes/bytes.js';

export class RecentBytes {
  #ring: Uint8Array = EMPTY_BYTES;
  #from = 0;
  #to = 0;

  /** Keeps a copy of `bytes`, which begin at `offset`; an offset other than the last end forgets what was before. */
  write(offset: number, bytes: Uint8Array, pool: RingPool): void {
    const length = bytes.length;
    if (offset !== this.#to) this.#from = offset;
    const end = offset + length;
    if (end - this.#from > this.#ring.length && this.#ring.length < RECENT_BYTES) this.#grow(offset, end, pool);
    this.#to = end;
    const ring = this.#ring;
    const size = ring.length;
    if (end - this.#from > size) this.#from = end - size;
    if (size === 0) return;
    if (length < SHORT) {
      for (let i = 0; i < length; i++) ring[(offset + i) & (size - 1)] = bytes[i];
      return;
    }
    const at = offset & (size - 1);
    if (length <= size - at) ring.set(bytes, at);
    else putAround(ring, offset, bytes);
  }

  /** Whether `bytes`, claimed for the offsets from `start`, differ from what is still known of them. */
  differs(start: number, bytes: Uint8Array): boolean {
    const mask = this.#ring.length - 1;
    const from = Math.max(start, this.#from);
    const to = Math.min(start + bytes.length, this.#to);
    for (let offset = from; offset < to; offset++) {
      if (this.#ring[offset & mask] !== bytes[offset - start]) return true;
    }
    return false;
  }

  /** Gives the memory back. */
  release(pool: RingPool): void {
    pool.give(this.#ring);
    this.#ring = EMPTY_BYTES;
    this.#from = this.#to;
  }

  // Room for the bytes up to `end`, as far as there is any; those from #from to `filled` are kept.
  #grow(filled: number, end: number, pool: RingPool): void {
    const old = this.#ring;
    let size = Math.max(old.length, SMALLEST_RING);
    while (size < RECENT_BYTES && size < end - this.#from) size *= 2;
    const ring = pool.take(size);
    if (ring === null) return;
    if (filled > this.#from) {
      // What is kept lies in one stretch of the old ring's length or in two, and each has one place in the new ring, which
      // is some of them long. What is copied beside it is not valid there either.
      const stretch = this.#from - (this.#from & (old.length - 1));
      ring.set(old, stretch & (size - 1));
      if (filled > stretch + old.length) ring.set(old, (stretch + old.length) & (size - 1));
    }
    pool.give(old);
    this.#ring = ring;
  }
}

/**
 * The memory of all rings: bounded, and used again, so that short connections do not cost an allocation each.
 */
export class RingPool {
  #left = RECENT_BYTES_TOTAL;
  readonly #free = new Map<number, Uint8Array[]>();

  /** A ring of `size` bytes, its content undefined; null if there is no more memory for it. */
  take(size: number): Uint8Array | null {
    const free = this.#free.get(size)?.pop();
    if (free !== undefined) return free;
    if (size > this.#left) return null;
    this.#left -= size;
    return new Uint8Array(size);
  }

  give(ring: Uint8Array): void {
    if (ring.length === 0) return;
    const free = this.#free.get(ring.length);
    if (free === undefined) this.#free.set(ring.length, [ring]);
    else free.push(ring);
  }
}

// Writes `bytes` of offset `offset`, around the end of the ring; the last ones win where they are more than fit.
function putAround(ring: Uint8Array, offset: number, bytes: Uint8Array): void {
  const skip = Math.max(0, bytes.length - ring.length);
  const at = (offset + skip) & (ring.length - 1);
  const room = ring.length - at;
  ring.set(bytes.subarray(skip, skip + room), at);
  if (bytes.length - skip > room) ring.set(bytes.subarray(skip + room), 0);
}

/**
 * Kept of each direction: more than the ten segments that may be in flight at the start (RFC 6928) and than two of
 * usual size later. A power of two.
 */
export const RECENT_BYTES = 16_384;

/** Requests without a body fit, and 8,192 connections that only listen do not take much. A power of two. */
const SMALLEST_RING = 256;

/** Below this a loop is faster than a call of `set`. */
const SHORT = 24;

/**
 * For all directions together: 512 busy ones in full. Beyond it, directions are checked only against bytes that still
 * wait, which costs no data, only the chance to see a forgery.
 */
const RECENT_BYTES_TOTAL = 8 * 1024 * 1024;
