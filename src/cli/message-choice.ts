// Selects messages as the user says by --from, --to, --since, --until and --where.

import { type Message, Selector } from '../index.js';
import type { Session } from './input/session.js';
import { isSelecting, selectionOf } from './option-values.js';
import type { CommonOptions } from './options.js';

export class MessageChoice {
  readonly #options: CommonOptions;
  readonly #session: Session;
  #selector: Selector | null = null;
  /** None of the options is given. */
  readonly isAll: boolean;

  constructor(options: CommonOptions, session: Session) {
    this.#options = options;
    this.#session = session;
    this.isAll = !isSelecting(options);
  }

  /** @param message in the order of time. @returns selected messages in order; some wait until later ones decide. */
  feed(message: Message): readonly Message[] {
    if (this.isAll) return [message];
    // Times are from the first frame, which is known when there is a message.
    this.#selector ??= new Selector(selectionOf(this.#options, this.#session));
    return this.#selector.feed(message);
  }

  /** After the last message. */
  end(): readonly Message[] {
    return this.#selector?.end() ?? [];
  }

  /** What is selected of all messages that there are. */
  of(messages: readonly Message[]): readonly Message[] {
    return [...messages.flatMap((message) => this.feed(message)), ...this.end()];
  }
}
