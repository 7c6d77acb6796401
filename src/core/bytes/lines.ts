// Cuts bytes into lines.

import { concat, copyOf } from './bytes.js';

/** Limit in bytes: one line: a message with a body of 16 MiB, which JSON can make three times as long. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** What takes lines. Bytes are borrowed, and a line feed stands behind each line. */
export interface LineReader {
  /** A line that begins at `start`; its line feed stands at `end`. */
  take(bytes: Uint8Array, start: number, end: number): void;
  /** A line that is beyond the limit. */
  tooLong(): void;
}

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

  /** @param bytes borrowed. @param reader takes each line that they end. */
  feed(bytes: Uint8Array, reader: LineReader): void {
    let start = 0;
    const last = bytes.lastIndexOf(LINE_FEED);
    if (this.#length > 0 && last >= 0) {
      const end = bytes.indexOf(LINE_FEED);
      this.#push(bytes.subarray(0, end));
      this.#takeParts(reader);
      start = end + 1;
    }
    while (start <= last) {
      this.number += 1;
      const end = bytes.indexOf(LINE_FEED, start);
      if (end - start > this.#limit) reader.tooLong();
      else reader.take(bytes, start, end);
      start = end + 1;
    }
    if (start < bytes.length) this.#push(copyOf(bytes.subarray(start)));
  }

  /** Gives what stands after the last line feed, if anything. */
  end(reader: LineReader): void {
    if (this.#length > 0) this.#takeParts(reader);
  }

  #push(part: Uint8Array): void {
    this.#length += part.length;
    if (this.#length <= this.#limit) this.#parts.push(part);
    else this.#parts = [];
  }

  #takeParts(reader: LineReader): void {
    this.number += 1;
    const length = this.#length;
    const parts = this.#parts;
    this.#parts = [];
    this.#length = 0;
    if (length > this.#limit) {
      reader.tooLong();
      return;
    }
    reader.take(concat([...parts, END_OF_LINE]), 0, length);
  }
}

const LINE_FEED = 0x0a;
const END_OF_LINE = Uint8Array.of(LINE_FEED);
