// Puts what comes nearly in order into order: bytes that waited behind a hole are older than what was read meanwhile.
// Knows places in time, not what stands there.

import { Fifo } from './fifo.js';
import { compareOrigins, FOREVER, NEVER, type Origin } from './origin.js';

export class ReorderBuffer<T extends { readonly at: Origin }> {
  readonly #waiting = new Fifo<T>();

  push(item: T): void {
    const waiting = this.#waiting;
    const { length } = waiting;
    let place = length;
    // Equal places keep the order in which they came: the search runs from the end.
    while (place > 0 && compareOrigins(waiting.at(place - 1).at, item.at) > 0) place -= 1;
    if (place === length) waiting.push(item);
    else waiting.insert(place, item);
  }

  /** ns: `next` of this time, or of an earlier one, gives nothing. */
  get quietUntil(): bigint {
    const { length } = this.#waiting;
    return length === 0 ? FOREVER : length > MAX_WAITING ? NEVER : this.#waiting.at(0).at.time;
  }

  /** The first in order, if it is older than `time` (ns); undefined where it is not. More than `MAX_WAITING` never wait. */
  next(time: bigint): T | undefined {
    const waiting = this.#waiting;
    const { length } = waiting;
    if (length === 0 || (length <= MAX_WAITING && waiting.at(0).at.time >= time)) return undefined;
    return waiting.shift();
  }

  releaseAll(): readonly T[] {
    return this.#waiting.take(this.#waiting.length);
  }
}

/** Messages of a busy API server in a second. */
const MAX_WAITING = 20_000;
