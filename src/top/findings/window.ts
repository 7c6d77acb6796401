// Remembers the latest times at which something happened, as far as they lie within a window.

export class RecentOccurrences {
  readonly #window: bigint;
  readonly #most: number;
  #items: { readonly time: bigint; readonly seq: number }[] = [];

  /** @param window ns. @param most how many are remembered at most. */
  constructor(window: bigint, most: number) {
    this.#window = window;
    this.#most = most;
  }

  /** @returns all within the window, once there are `most` of them; null before. */
  add(time: bigint, seq: number): readonly { readonly time: bigint; readonly seq: number }[] | null {
    const items = this.#items;
    items.push({ time, seq });
    if (items.length > this.#most) items.shift();
    while (items.length > 0 && time - items[0].time > this.#window) items.shift();
    return items.length >= this.#most ? items : null;
  }

  clear(): void {
    if (this.#items.length > 0) this.#items = [];
  }
}
