// Conversations one behind the other: they join at the end and leave from anywhere, for the cost of two links. Knows
// places, not why one stands there. A conversation stands in one line at a time.

import type { Conversation } from './conversation.js';

//   first ⇄ … ⇄ last
export class Line {
  #first: Conversation | null = null;
  #last: Conversation | null = null;
  #size = 0;

  get first(): Conversation | null {
    return this.#first;
  }

  get size(): number {
    return this.#size;
  }

  /** Puts it at the end, wherever it stood. */
  add(one: Conversation): void {
    one.line?.delete(one);
    one.line = this;
    one.before = this.#last;
    if (this.#last === null) this.#first = one;
    else this.#last.behind = one;
    this.#last = one;
    this.#size += 1;
  }

  /** It leaves, if it stands here. */
  delete(one: Conversation): void {
    if (one.line !== this) return;
    const { before, behind } = one;
    if (before === null) this.#first = behind;
    else before.behind = behind;
    if (behind === null) this.#last = before;
    else behind.before = before;
    one.line = null;
    one.before = null;
    one.behind = null;
    this.#size -= 1;
  }

  *[Symbol.iterator](): Generator<Conversation> {
    for (let one = this.#first; one !== null; one = one.behind) yield one;
  }
}
