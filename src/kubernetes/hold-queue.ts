// Keeps messages in their order while one of them waits for an answer that tells its cause. Knows when to let go, not
// what a cause is.

/** @typeParam T what is held. */
export class HoldQueue<T> {
  #entries: { readonly item: T; readonly until: bigint; readonly settle: ((final: boolean) => boolean) | null }[] = [];

  /**
   * @param settle tries to complete the item; true when it is complete. With `final` it must do with what there is. null: it is.
   * @param until ns of capture time after which no more is waited for.
   */
  push(item: T, until: bigint, settle: ((final: boolean) => boolean) | null): void {
    this.#entries.push({ item, until, settle });
  }

  /** What need not wait any longer at `now`, in the order of `push`. */
  release(now: bigint): readonly T[] {
    const entries = this.#entries;
    if (entries.length === 1 && entries[0].settle === null) {
      this.#entries = [];
      return [entries[0].item];
    }
    let ready = 0;
    while (ready < entries.length) {
      const { settle, until } = entries[ready];
      const final = until <= now || entries.length - ready > MAX_HELD;
      if (settle !== null && !settle(final) && !final) break;
      ready += 1;
    }
    return entries.splice(0, ready).map((entry) => entry.item);
  }

  releaseAll(): readonly T[] {
    const entries = this.#entries;
    this.#entries = [];
    for (const { settle } of entries) settle?.(true);
    return entries.map((entry) => entry.item);
  }
}

/** Messages behind one that waits: a second of a busy API server. */
const MAX_HELD = 10_000;
