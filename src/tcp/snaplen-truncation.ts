// Waits for bytes that the snap length cut off: a capture with copies (`-i any` with a tunnel, two captures) can have the cut packet
// first and the whole one later.

import type { Origin } from '../core/origin.js';
import { type HalfConnection, PIECE_COST } from './half-connection.js';

/** [start, end) of a direction was on the wire and not in the frame `origin`, segment number `order`. */
interface TruncatedRange {
  readonly half: HalfConnection;
  readonly start: number;
  readonly end: number;
  readonly origin: Origin;
  readonly order: number;
}

/** The truncated ranges of one connection, in order of arrival. */
export class TruncatedRanges {
  #ranges: TruncatedRange[] = NONE;
  /** A whole copy did not arrive in time once, so the capture has cut packets only. */
  #neverRecovered = false;

  /** ns: time of the oldest range. */
  get oldest(): bigint | undefined {
    return this.#ranges.length === 0 ? undefined : this.#ranges[0].origin.time;
  }

  get isEmpty(): boolean {
    return this.#ranges.length === 0;
  }

  /** Waits for a copy of [start, end), or gives it up at once if there was no copy before or too much is buffered. */
  add(half: HalfConnection, start: number, end: number, origin: Origin, order: number): void {
    if (this.#neverRecovered) {
      half.lose(start, end, origin, order, true);
      return;
    }
    if (this.#ranges === NONE) this.#ranges = [];
    this.#ranges.push({ half, start, end, origin, order });
    half.cost += PIECE_COST;
    if (half.cost > TRUNCATION_BUDGET) this.lose(order);
  }

  /** Removes ranges that have arrived. */
  dropReceived(): void {
    while (this.#ranges.length !== 0 && this.#ranges[0].end <= this.#ranges[0].half.received.next) this.#take();
  }

  /** Gives up the ranges of segments up to number `order`. */
  lose(order: number): void {
    this.dropReceived();
    while (this.#ranges.length !== 0 && this.#ranges[0].order <= order) {
      const { half, start, end, origin, order: own } = this.#take();
      if (half.received.missing(start, end).length !== 0) this.#neverRecovered = true;
      half.lose(start, end, origin, own, true);
    }
  }

  #take(): TruncatedRange {
    const range = this.#ranges.shift()!;
    range.half.cost -= PIECE_COST;
    return range;
  }
}

/** Shared and never changed: most captures have whole packets. */
const NONE: TruncatedRange[] = [];

/**
 * Limit in bytes: what waits in one direction for whole copies of packets that the snap length cut: a quarter of `outOfOrder`, so a
 * capture without copies never reaches that limit.
 */
const TRUNCATION_BUDGET = 256 * 1024;
