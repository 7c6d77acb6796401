// Sorts items that arrive nearly in order: bytes that waited behind a gap are older than bytes that were read meanwhile.

import { compareOrigins, MAX_TIME, MIN_TIME, type Origin } from '../origin.js';
import { Fifo } from './fifo.js';

export class ReorderBuffer<T extends { readonly at: Origin }> {
  readonly #items = new Fifo<T>();
  /** The sort key of each item. */
  readonly #keys = new Fifo<Origin>();

  /** @param key sort key, if it differs from the item's own origin (`FrameOrder`). */
  push(item: T, key: Origin = item.at): void {
    const keys = this.#keys;
    let index = keys.length;
    // The search runs from the end, so items with equal keys keep their order.
    while (index > 0 && compareOrigins(keys.at(index - 1), key) > 0) index -= 1;
    if (index === keys.length) {
      this.#items.push(item);
      keys.push(key);
    } else {
      this.#items.insert(index, item);
      keys.insert(index, key);
    }
  }

  /** ns: up to this time `next` returns nothing. */
  get quietUntil(): bigint {
    const { length } = this.#keys;
    return length === 0 ? MAX_TIME : length > MAX_WAITING ? MIN_TIME : this.#keys.at(0).time;
  }

  /** Removes the first item if it is older than `time` (ns), or if more than `MAX_WAITING` items wait. */
  next(time: bigint): T | undefined {
    const { length } = this.#keys;
    if (length === 0 || (length <= MAX_WAITING && this.#keys.at(0).time >= time)) return undefined;
    this.#keys.shift();
    return this.#items.shift();
  }

  releaseAll(): readonly T[] {
    this.#keys.take(this.#keys.length);
    return this.#items.take(this.#items.length);
  }
}

/** Limit: messages that wait for older ones: those of a busy API server in one second. */
const MAX_WAITING = 20_000;
