// Bytes that the snap length cut off, while they may still come: a capture with copies (`-i any` with a tunnel, two captures)
// can hold the cut one first and the whole one behind it. Knows ranges and how long to hope; not time.

import type { Origin } from '../core/origin.js';
import { PIECE_COST } from './buffered-segment.js';
import type { HalfConnection } from './half-connection.js';

/** [start, end) of a direction was on the wire and not in the frame `origin`, segment number `order`. */
interface TruncatedRange {
  readonly half: HalfConnection;
  readonly start: number;
  readonly end: number;
  readonly origin: Origin;
  readonly order: number;
}

/** Those of one connection, in order of arrival. */
export class TruncatedRanges {
  #cuts: TruncatedRange[] = NONE;
  /** A whole copy was waited for in vain: the capture holds cut packets alone. */
  #neverRecovered = false;

  /** ns: the oldest; undefined where none waits. */
  get oldest(): bigint | undefined {
    return this.#cuts.length === 0 ? undefined : this.#cuts[0].origin.time;
  }

  get wait(): boolean {
    return this.#cuts.length !== 0;
  }

  /** Waits for a copy of [start, end), or gives it up at once where that was in vain, or keeps too much waiting. */
  add(half: HalfConnection, start: number, end: number, origin: Origin, order: number): void {
    if (this.#neverRecovered) {
      half.lose(start, end, origin, order);
      return;
    }
    if (this.#cuts === NONE) this.#cuts = [];
    this.#cuts.push({ half, start, end, origin, order });
    half.cost += PIECE_COST;
    if (half.cost > TRUNCATION_BUDGET) this.lose(order);
  }

  /** Forgets those that have come. */
  forget(): void {
    while (this.#cuts.length !== 0 && this.#cuts[0].end <= this.#cuts[0].half.received.next) this.#take();
  }

  /** What segments up to number `order` lack is lost. */
  lose(order: number): void {
    this.forget();
    while (this.#cuts.length !== 0 && this.#cuts[0].order <= order) {
      const { half, start, end, origin, order: own } = this.#take();
      if (half.received.missing(start, end).length !== 0) this.#neverRecovered = true;
      half.lose(start, end, origin, own);
    }
  }

  #take(): TruncatedRange {
    const cut = this.#cuts.shift()!;
    cut.half.cost -= PIECE_COST;
    return cut;
  }
}

/** Never changed: most captures have whole packets. */
const NONE: TruncatedRange[] = [];

/**
 * What may wait for whole copies in one direction, counted as pieces are: a quarter of `outOfOrder`, so that a capture that
 * has none does not run into that limit.
 */
const TRUNCATION_BUDGET = 256 * 1024;
