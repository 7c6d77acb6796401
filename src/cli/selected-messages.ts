// Notes which messages the user selects (--from, --to, --since, --until, --where), by their numbers.

import { type Message, Selector, SeqSet } from '../index.js';
import type { Session } from './input/session.js';
import { isSelecting, selectionOf } from './option-values.js';
import type { CommonOptions } from './options.js';

export class SelectedMessages {
  readonly #options: CommonOptions;
  readonly #session: Session;
  readonly #isSelecting: boolean;
  readonly #seqs = new SeqSet();
  #selector: Selector | null = null;

  constructor(options: CommonOptions, session: Session) {
    this.#options = options;
    this.#session = session;
    this.#isSelecting = isSelecting(options);
  }

  /** @param message in the order of time. */
  observe(message: Message): void {
    if (!this.#isSelecting) return;
    // Times are from the first frame, which is known when there is a message.
    this.#selector ??= new Selector(selectionOf(this.#options, this.#session));
    for (const { seq } of this.#selector.feed(message)) this.#seqs.add(seq);
  }

  /** After the last message. @returns whether a message is selected, by `seq`; undefined: all are. */
  end(): ((seq: number) => boolean) | undefined {
    if (!this.#isSelecting) return undefined;
    for (const { seq } of this.#selector?.end() ?? []) this.#seqs.add(seq);
    return (seq) => this.#seqs.has(seq);
  }
}
