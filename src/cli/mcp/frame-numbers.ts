// Keeps the frames of every message, in 12 bytes each.

import { framesText, type Message } from '../../index.js';

export class FrameNumbers {
  /** Three numbers a message: capture, first and last frame. */
  #numbers = new Uint32Array(3 * 1024);
  /** Names of the captures, if there are several. */
  #names: readonly string[] | undefined;

  add({ seq, capture, frames }: Message): void {
    const at = 3 * seq;
    if (at + 3 > this.#numbers.length) {
      const larger = new Uint32Array(Math.max(at + 3, 2 * this.#numbers.length));
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    this.#numbers.set([capture, ...frames], at);
  }

  /** @param names of the captures, if there are several. */
  name(names: readonly string[] | undefined): void {
    this.#names = names;
  }

  /** `frames 12 to 14 of FILE`; undefined: there is no such message. */
  textOf(seq: number): string | undefined {
    const [capture = 0, first = 0, last = 0] = this.#numbers.subarray(3 * seq, 3 * seq + 3);
    if (first === 0) return undefined;
    const name = this.#names?.[capture];
    return `${framesText([first, last])}${name === undefined ? '' : ` of ${name}`}`;
  }
}
