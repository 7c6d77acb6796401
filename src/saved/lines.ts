// Cuts bytes into lines.

import { concat, copyOf } from '../core/bytes/bytes.js';

/** Limit in bytes: one line: a message with a body of 16 MiB, which JSON can make three times as long. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

/**
 * Takes the next line.
 * @param bytes borrowed; a line feed stands at `end`, behind the line. null: the line is beyond the limit.
 */
export type TakeLine = (bytes: Uint8Array | null, start: number, end: number) => void;

export class Lines {
  /** Number of the last line that was given, from 1. */
  number = 0;
  /** Of a line whose end is still to come. */
  #parts: Uint8Array[] = [];
  #length = 0;
  readonly #limit: number;

  constructor(limit: number = MAX_LINE_BYTES) {
    this.#limit = limit;
  }

  /** @param bytes borrowed. @param take called for each line that they end. */
  feed(bytes: Uint8Array, take: TakeLine): void {
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
      if (this.#length > 0) {
        this.#push(bytes.subarray(start, end));
        this.#takeParts(take);
      } else {
        this.number += 1;
        if (end - start > this.#limit) take(null, 0, 0);
        else take(bytes, start, end);
      }
      start = end + 1;
    }
    if (start < bytes.length) this.#push(copyOf(bytes.subarray(start)));
  }

  /** Gives what stands after the last line feed, if anything. */
  end(take: TakeLine): void {
    if (this.#length > 0) this.#takeParts(take);
  }

  #push(part: Uint8Array): void {
    this.#length += part.length;
    if (this.#length <= this.#limit) this.#parts.push(part);
    else this.#parts = [];
  }

  #takeParts(take: TakeLine): void {
    this.number += 1;
    const length = this.#length;
    const line = length > this.#limit ? null : concat([...this.#parts, END_OF_LINE]);
    this.#parts = [];
    this.#length = 0;
    take(line, 0, length);
  }
}

const LINE_FEED = 0x0a;
const END_OF_LINE = Uint8Array.of(LINE_FEED);
