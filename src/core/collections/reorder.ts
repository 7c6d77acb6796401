// Puts what comes nearly in order into order: bytes that waited behind a hole are older than what was read meanwhile.
// Knows places in time, not what stands there.

import { compareOrigins, MAX_TIME, MIN_TIME, type Origin } from '../origin.js';
import { Fifo } from './fifo.js';

export class ReorderBuffer<T extends { readonly at: Origin }> {
  readonly #waiting = new Fifo<T>();
  /** Of each that waits: what it is sorted by. */
  readonly #places = new Fifo<Origin>();

  /** @param at its place, where that is not its own: see frame-order.ts. */
  push(item: T, at: Origin = item.at): void {
    const places = this.#places;
    const { length } = places;
    let place = length;
    // Equal places keep the order in which they came: the search runs from the end.
    while (place > 0 && compareOrigins(places.at(place - 1), at) > 0) place -= 1;
    if (place === length) {
      this.#waiting.push(item);
      places.push(at);
    } else {
      this.#waiting.insert(place, item);
      places.insert(place, at);
    }
  }

  /** ns: `next` of this time, or of an earlier one, gives nothing. */
  get quietUntil(): bigint {
    const { length } = this.#places;
    return length === 0 ? MAX_TIME : length > MAX_WAITING ? MIN_TIME : this.#places.at(0).time;
  }

  /** The first in order, if it is older than `time` (ns); undefined where it is not. More than `MAX_WAITING` never wait. */
  next(time: bigint): T | undefined {
    const { length } = this.#places;
    if (length === 0 || (length <= MAX_WAITING && this.#places.at(0).time >= time)) return undefined;
    this.#places.shift();
    return this.#waiting.shift();
  }

  releaseAll(): readonly T[] {
    this.#places.take(this.#places.length);
    return this.#waiting.take(this.#waiting.length);
  }
}

/** Messages of a busy API server in a second. */
const MAX_WAITING = 20_000;
