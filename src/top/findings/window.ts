// Remembers the latest times at which something happened, as far as they lie within a window, and tells when they begin to recur.

import { Recurrence } from './finding.js';

export class RecentOccurrences {
  readonly #window: bigint;
  readonly #threshold: number;
  #items: { readonly time: bigint; readonly seq: number }[] = [];
  /** Goes on while there are `threshold` of them within the window; null: it has not begun. */
  #recurrence: Recurrence | null = null;

  /** @param window ns. @param threshold how many make a finding; no more are remembered. */
  constructor(window: bigint, threshold: number) {
    this.#window = window;
    this.#threshold = threshold;
  }

  /** @returns the recurrence that begins with it; null: none does. */
  add(time: bigint, seq: number): Recurrence | null {
    const items = this.#items;
    items.push({ time, seq });
    if (items.length > this.#threshold) items.shift();
    while (items.length > 0 && time - items[0].time > this.#window) items.shift();
    if (items.length < this.#threshold) this.#recurrence = null;
    else if (this.#recurrence !== null) this.#recurrence.add(time, seq);
    else {
      this.#recurrence = new Recurrence();
      for (const one of items) this.#recurrence.add(one.time, one.seq);
      return this.#recurrence;
    }
    return null;
  }

  clear(): void {
    if (this.#items.length > 0) this.#items = [];
    this.#recurrence = null;
  }
}
