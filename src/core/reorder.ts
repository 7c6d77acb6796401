// Puts what comes nearly in order into order: bytes that waited behind a hole are older than what was read meanwhile.
// Knows places in time, not what stands there.

import { compareOrigins, type Origin } from './origin.js';

export class ReorderBuffer<T extends { readonly at: Origin }> {
  #waiting: T[] = [];

  push(item: T): void {
    const waiting = this.#waiting;
    let place = waiting.length;
    // Equal places keep the order in which they came: the search runs from the end.
    while (place > 0 && compareOrigins(waiting[place - 1].at, item.at) > 0) place -= 1;
    if (place === waiting.length) waiting.push(item);
    else waiting.splice(place, 0, item);
  }

  /** Everything older than `time` (ns), in order. More than `MAX_WAITING` never wait. */
  release(time: bigint): readonly T[] {
    const waiting = this.#waiting;
    if (waiting.length === 0) return waiting;
    let count = Math.max(0, waiting.length - MAX_WAITING);
    while (count < waiting.length && waiting[count].at.time < time) count += 1;
    if (count === waiting.length) {
      this.#waiting = [];
      return waiting;
    }
    return waiting.splice(0, count);
  }

  releaseAll(): readonly T[] {
    const all = this.#waiting;
    this.#waiting = [];
    return all;
  }
}

/** Messages of a busy API server in a second. */
const MAX_WAITING = 20_000;
