// Values that are not shown and yet told apart: that a field has another value than before may be seen. Knows the values of one run,
// and gives out no more than their length and a number.

import { keep } from '../core/bounded.js';
import { isRedacted, redactedText, type Shown, shown } from './shown.js';

export class HiddenValues {
  readonly #numbers = new Map<string, number>();
  #last = 0;

  /** @returns `REDACTED (12 characters, value 3)`: the third one that is not shown. */
  told(text: string): Shown {
    if (text === '' || isRedacted(text)) return redactedText(text);
    let number = this.#numbers.get(text);
    if (number === undefined) {
      this.#last += 1;
      number = this.#last;
      keep(this.#numbers, text, number, MAX_VALUES);
    }
    return shown(redactedText(text).replace(/\)$/, `, value ${number})`));
  }
}

/** Of the bodies of one object; a Pod has some dozen. */
const MAX_VALUES = 10_000;
