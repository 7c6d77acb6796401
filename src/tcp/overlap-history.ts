// Keeps the last emitted bytes of one direction to detect retransmissions with other content, the oldest trick to make two readers
// see two streams (Ptacek and Newsham 1998). Costs one memcpy per segment.
//
//   ring, whose size is a power of two: the byte of offset n is at n & mask; valid are #from … #to - 1

import { EMPTY_BYTES } from '../core/bytes/bytes.js';

export class RecentBytes {
  #ring: Uint8Array = EMPTY_BYTES;
  #from = 0;
  #to = 0;

  /** Copies `bytes`, which begin at `offset`; an offset other than the last end discards the earlier bytes. */
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

  // Makes room for bytes up to `end`, as far as the pool has memory, and keeps those from #from to `filled`.
  #grow(filled: number, end: number, pool: RingPool): void {
    const old = this.#ring;
    let size = Math.max(old.length, SMALLEST_RING);
    while (size < RECENT_BYTES && size < end - this.#from) size *= 2;
    const ring = pool.take(size);
    if (ring === null) return;
    if (filled > this.#from) {
      // The kept bytes are in one or two stretches of the old ring's length, each of which is contiguous in the new ring, a multiple
      // as long. Bytes that are copied with them are not valid in the new ring either.
      const stretch = this.#from - (this.#from & (old.length - 1));
      ring.set(old, stretch & (size - 1));
      if (filled > stretch + old.length) ring.set(old, (stretch + old.length) & (size - 1));
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
 * Limit in bytes: kept part of a direction to compare overlaps with, a power of two: more than the ten first segments in flight (RFC
 * 6928).
 */
export const RECENT_BYTES = 16_384;

/** A power of two: requests without a body fit, and 8,192 connections with idle watches do not take much. */
const SMALLEST_RING = 256;

/** Below this a loop is faster than a call of `set`. */
const SHORT = 24;

/**
 * Limit in bytes: the same for all directions: 512 busy ones; beyond it only buffered segments are compared, so a forgery may be
 * missed.
 */
const RECENT_BYTES_TOTAL = 8 * 1024 * 1024;
