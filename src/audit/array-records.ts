// Cuts a JSON array of records into the texts of its records, however they are broken into lines.

import { concat, copyOf } from '../core/bytes/bytes.js';

export class ArrayRecords {
  readonly #limit: number;
  /** Of a record whose end is still to come. */
  #parts: Uint8Array[] = [];
  #length = 0;
  #depth = 0;
  #isInText = false;
  #isEscaped = false;

  /** @param limit bytes of one record. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @param bytes borrowed. @param take gets the bytes of each record; null: one that is beyond the limit. */
  feed(bytes: Uint8Array, take: (record: Uint8Array | null) => void): void {
    let start = 0;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at];
      if (this.#isInText) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) this.#isInText = false;
      } else if (byte === QUOTE) this.#isInText = true;
      else if (byte === OPEN_BRACE) {
        if (this.#depth === 0) start = at;
        this.#depth += 1;
      } else if (byte === CLOSE_BRACE && this.#depth > 0) {
        this.#depth -= 1;
        if (this.#depth > 0) continue;
        this.#push(bytes.subarray(start, at + 1));
        take(this.#length > this.#limit ? null : concat(this.#parts));
        this.#parts = [];
        this.#length = 0;
      }
    }
    if (this.#depth > 0) this.#push(bytes.subarray(start));
  }

  /** Whether a record has begun that has not ended. */
  get isOpen(): boolean {
    return this.#depth > 0;
  }

  #push(part: Uint8Array): void {
    this.#length += part.length;
    if (this.#length <= this.#limit) this.#parts.push(copyOf(part));
    else this.#parts = [];
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
