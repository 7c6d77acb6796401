// Keeps messages in their order while one of them waits for its cause.

import { Fifo } from '../../core/collections/fifo.js';

interface HeldItem<T> {
  readonly item: T;
  readonly until: bigint;
  readonly settle: ((final: boolean) => boolean) | null;
}

/** @typeParam T what is held. */
export class HoldQueue<T> {
  /** What has nothing in front of it that waits. */
  #ready: T[] = [];
  readonly #entries = new Fifo<HeldItem<T>>();

  /**
   * @param settle tries to complete the item, and returns whether it is complete; with `final` for the last time. null: it is complete.
   * @param until ns of capture time after which no more is waited for.
   */
  push(item: T, until: bigint, settle: ((final: boolean) => boolean) | null): void {
    if (settle === null && this.#entries.length === 0) this.#ready.push(item);
    else this.#entries.push({ item, until, settle });
  }

  /** What need not wait any longer at `now`, in the order of `push`. */
  release(now: bigint): readonly T[] {
    if (this.#entries.length > 0) this.#settle(now);
    const ready = this.#ready;
    if (ready.length === 0) return ready;
    this.#ready = [];
    return ready;
  }

  releaseAll(): readonly T[] {
    for (const { item, settle } of this.#entries.take(this.#entries.length)) {
      settle?.(true);
      this.#ready.push(item);
    }
    return this.#ready;
  }

  #settle(now: bigint): void {
    const entries = this.#entries;
    let ready = 0;
    while (ready < entries.length) {
      const { settle, until } = entries.at(ready);
      const final = until <= now || entries.length - ready > MAX_HELD;
      if (settle !== null && !settle(final) && !final) break;
      ready += 1;
    }
    if (ready > 0) for (const { item } of entries.take(ready)) this.#ready.push(item);
  }
}

/** Limit: messages behind one that waits: a second of a busy API server. */
const MAX_HELD = 10_000;
