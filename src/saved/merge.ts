// Brings messages of several sources into one order: by time, numbered anew. Knows numbers that must stay unique (seq,
// exchanges, connections) and what refers to them; not what a message says.

import type { Message } from '../kubernetes/message.js';

/** Numbers the messages of all sources 1, 2, 3 … as they come, and keeps what refers to a number with its source. */
export class Renumbering {
  #seq = 0;
  #exchanges = 0;

  /** @returns the renumberer of one more source. */
  source(): (message: Message) => Message {
    const seqs = new Numbers();
    const exchanges = new Numbers();
    return (message) => {
      this.#seq += 1;
      seqs.set(message.seq, this.#seq);
      let exchange = exchanges.get(message.exchange);
      if (exchange === undefined) {
        this.#exchanges += 1;
        exchange = this.#exchanges;
        exchanges.set(message.exchange, exchange);
      }
      const causedBy = message.causedBy === undefined ? undefined : seqs.get(message.causedBy);
      return { ...message, seq: this.#seq, exchange, causedBy };
    };
  }
}

/** From old numbers to new ones; the oldest are forgotten beyond the limit. */
class Numbers {
  readonly #known = new Map<number, number>();

  get(old: number): number | undefined {
    return this.#known.get(old);
  }

  set(old: number, now: number): void {
    this.#known.set(old, now);
    if (this.#known.size <= MAX_NUMBERS) return;
    const [first] = this.#known.keys();
    this.#known.delete(first);
  }
}

/** Causes lie seconds back, watches hours: a million messages are some minutes of a busy API server, in 60 MB. */
const MAX_NUMBERS = 1_000_000;
