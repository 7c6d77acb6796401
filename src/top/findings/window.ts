// Remembers the latest times at which something happened, as far as they lie within a window.

export class RecentOccurrences {
  readonly #window: bigint;
  readonly #threshold: number;
  #items: { readonly time: bigint; readonly seq: number }[] = [];

  /** @param window ns. @param threshold how many make a finding; no more are remembered. */
  constructor(window: bigint, threshold: number) {
    this.#window = window;
    this.#threshold = threshold;
  }

  /** @returns all within the window, once there are `threshold` of them; null before. */
  add(time: bigint, seq: number): readonly { readonly time: bigint; readonly seq: number }[] | null {
    const items = this.#items;
    items.push({ time, seq });
    if (items.length > this.#threshold) items.shift();
    while (items.length > 0 && time - items[0].time > this.#window) items.shift();
    return items.length >= this.#threshold ? items : null;
  }

  clear(): void {
    if (this.#items.length > 0) this.#items = [];
  }
}
