// What waits in one direction: a piece of it, and what it counts against the limits.

import type { Origin } from '../core/origin.js';

/** Bytes that wait behind a hole, or bytes that are known to be missing (`bytes` null) and wait for their turn. */
export interface BufferedSegment {
  readonly start: number;
  readonly end: number;
  /** A copy. */
  readonly bytes: Uint8Array | null;
  readonly origin: Origin;
  /** Number of the segment that brought it: the order in which the two directions are put together again. */
  readonly order: number;
  /** Offset of the other direction below which its sender had everything: that comes out before it. */
  readonly needs: number;
}

export function costOf(piece: BufferedSegment): number {
  return PIECE_COST + (piece.bytes === null ? 0 : piece.bytes.length);
}

/**
 * What one waiting piece counts beside its bytes: about what its objects take. It bounds the number of pieces, and so of
 * ranges, to 4,096 under the limit of 1 MiB, whatever the segments' size (Linux charges `truesize` for the same reason).
 */
export const PIECE_COST = 256;
