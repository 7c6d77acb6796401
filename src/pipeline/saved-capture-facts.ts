// Keeps what saved messages say of their captures: names, digits of times, the first frame.

import type { SavedCapture } from '../saved/saved.js';

export class SavedCaptureFacts {
  /** Names of the captures: those of the files, unless saved messages name others. */
  readonly #names: string[];
  readonly #digits = new Map<number, number>();
  #first: bigint | null = null;

  /** @param names of the files, by capture: replaced where saved messages name others. */
  constructor(names: string[]) {
    this.#names = names;
  }

  note({ capture, file, digits, first }: SavedCapture): void {
    if (file !== null) this.#names[capture] = file;
    this.#digits.set(capture, digits);
    if (first !== null) this.#first = this.earlier(first);
  }

  /** Digits of a second's fraction in the times of a capture; undefined: no saved messages are of it. */
  digits(capture: number): number | undefined {
    return this.#digits.get(capture);
  }

  /** @param first ns since the epoch: the first frame of other captures; null: none. @returns the earliest of all. */
  earlier(first: bigint | null): bigint | null {
    return first === null || (this.#first !== null && this.#first < first) ? this.#first : first;
  }
}
