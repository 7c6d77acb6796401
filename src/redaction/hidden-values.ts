// Gives each hidden value of a run a number, so that a reader sees that a field changed, and nothing of its value.

import { keep } from '../core/collections/bounded.js';
import { isRedacted, REDACTED, redactedText, type Shown, shown } from './shown.js';

export class HiddenValues {
  readonly #numbers = new Map<string, number>();
  #last = 0;

  /** @returns `REDACTED (12 characters, value 3)`: the third one that is not shown. */
  redacted(text: string): Shown {
    if (text === '' || isRedacted(text)) return redactedText(text);
    return shown(redactedText(text).replace(/\)$/, `, value ${this.#numberOf(text)})`));
  }

  /** Of a secret, whose length is nobody's business. @returns `REDACTED (value 3)`. */
  redactedSecret(text: string): Shown {
    return text === '' || isRedacted(text) ? shown(text) : shown(`${REDACTED} (value ${this.#numberOf(text)})`);
  }

  #numberOf(text: string): number {
    let number = this.#numbers.get(text);
    if (number === undefined) {
      this.#last += 1;
      number = this.#last;
      keep(this.#numbers, text, number, MAX_VALUES);
    }
    return number;
  }
}

/** Of the bodies of one object; a Pod has some dozen. */
const MAX_VALUES = 10_000;
