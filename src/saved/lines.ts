// Cuts bytes into lines.

import { concat, copyOf, text } from '../core/bytes/bytes.js';

/** Limit in bytes: one line: a message with a body of 16 MiB, which JSON can make three times as long. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

export class Lines {
  /** Number of the last line that was given, from 1. */
  number = 0;
  #parts: Uint8Array[] = [];
  #length = 0;
  readonly #limit: number;

  constructor(limit: number = MAX_LINE_BYTES) {
    this.#limit = limit;
  }

  /** @param bytes borrowed. @returns the lines that they end; null for one beyond the limit. */
  *feed(bytes: Uint8Array): Generator<string | null> {
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
      this.#push(bytes.subarray(start, end));
      yield this.#take();
      start = end + 1;
    }
    if (start < bytes.length) this.#push(copyOf(bytes.subarray(start)));
  }

  /** What stands after the last line feed; undefined: nothing. */
  end(): string | null | undefined {
    return this.#length === 0 ? undefined : this.#take();
  }

  #push(part: Uint8Array): void {
    this.#length += part.length;
    if (this.#length <= this.#limit) this.#parts.push(part);
    else this.#parts = [];
  }

  #take(): string | null {
    const line = this.#length > this.#limit ? null : this.#length === 0 ? '' : text(concat(this.#parts));
    this.#parts = [];
    this.#length = 0;
    this.number += 1;
    return line;
  }
}

const LINE_FEED = 0x0a;
