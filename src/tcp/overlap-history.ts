// Keeps the last emitted bytes of one direction to detect retransmissions with other content, the oldest trick to make two readers
// see two streams (Ptacek and Newsham 1998). Costs one memcpy per segment.
//
//   ring, whose size is a power of two: the byte of offset n is at n & mask; valid are #from … #to - 1

import { EMPTY_BYTES } from '../core/bytes/bytes.js';

export class RecentBytes {
  #ring: Uint8Array = EMPTY_BYTES;
  #from = 0;
  #to = 0;

  /** Copies `bytes`, which begin at `offset`; after a gap, the earlier bytes are discarded. */
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

  /** Whether `bytes` at the offsets from `start` differ from the copy, as far as it reaches. */
  differs(start: number, bytes: Uint8Array): boolean {
    const mask = this.#ring.length - 1;
    const from = Math.max(start, this.#from);
    const to = Math.min(start + bytes.length, this.#to);
    for (let offset = from; offset < to; offset++) {
      if (this.#ring[offset & mask] !== bytes[offset - start]) return true;
    }
    return false;
  }

  /** Returns the memory to the pool. */
  release(pool: RingPool): void {
    pool.give(this.#ring);
    this.#ring = EMPTY_BYTES;
    this.#from = this.#to;
  }

  // Makes room for bytes up to `end`, as far as the pool has memory, and keeps those from #from to `validEnd`.
  #grow(validEnd: number, end: number, pool: RingPool): void {
    const old = this.#ring;
    let size = Math.max(old.length, SMALLEST_RING);
    while (size < RECENT_BYTES && size < end - this.#from) size *= 2;
    const ring = pool.take(size);
    if (ring === null) return;
    if (validEnd > this.#from) {
      // The new ring's length is a multiple of the old one's, so a block of old.length offsets that begins at a multiple of old.length
      // is contiguous in both. The valid bytes lie in one such block or two, and each gets a copy of the whole old ring; what else is
      // copied lies outside of #from … #to.
      const block = this.#from - (this.#from & (old.length - 1));
      ring.set(old, block & (size - 1));
      if (validEnd > block + old.length) ring.set(old, (block + old.length) & (size - 1));
    }
    pool.give(old);
    this.#ring = ring;
  }
}

/** Bounds and reuses the memory of all rings, so that short connections do not cost an allocation each. */
export class RingPool {
  #left = RECENT_BYTES_TOTAL;
  readonly #free = new Map<number, Uint8Array[]>();

  /** @returns a ring of `size` bytes with undefined content; null if the limit is reached. */
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

// Writes `bytes` at `offset`, around the end of the ring; only the last ones if they do not fit.
function putAround(ring: Uint8Array, offset: number, bytes: Uint8Array): void {
  const skip = Math.max(0, bytes.length - ring.length);
  const at = (offset + skip) & (ring.length - 1);
  const room = ring.length - at;
  ring.set(bytes.subarray(skip, skip + room), at);
  if (bytes.length - skip > room) ring.set(bytes.subarray(skip + room), 0);
}

/**
 * Limit in bytes: latest bytes of a direction that are kept to compare overlaps with, a power of two; more than an initial window of
 * ten segments (RFC 6928).
 */
export const RECENT_BYTES = 16_384;

/** A power of two: requests without a body fit, and 8,192 connections with idle watches take 4 MiB. */
const SMALLEST_RING = 256;

/** Below this a loop is faster than a call of `set`. */
const SHORT = 24;

/**
 * Limit in bytes: rings of all directions together: 512 with the largest ring; without a ring, overlaps are only compared with
 * buffered segments, so a forgery may be missed.
 */
const RECENT_BYTES_TOTAL = 8 * 1024 * 1024;
