// Text that is written byte by byte: JSON of a million messages is copied once, from the fields to where it is printed.
// Strings put together piece by piece and encoded at the end took three times as long and all of it had to be collected.
// Knows ASCII, UTF-8 and the escapes of JSON; not what is written.

import { keep } from '../../core/collections/bounded.js';
import { jsonText } from '../escape/json-text.js';

export class LineBuffer {
  #bytes: Uint8Array;
  #at = 0;
  readonly #size: number;

  /** @param size bytes to begin with. */
  constructor(size: number) {
    this.#size = size;
    this.#bytes = new Uint8Array(size);
  }

  get length(): number {
    return this.#at;
  }

  /** Text of ASCII characters, as it stands. */
  ascii(text: string): void {
    const { length } = text;
    if (this.#at + length > this.#bytes.length) this.#grow(length);
    const bytes = this.#bytes;
    let at = this.#at;
    for (let i = 0; i < length; i++) bytes[at++] = UNIT_AT.call(text, i);
    this.#at = at;
  }

  /** Bytes of a text that never changes: see `asciiBytes`. */
  fixed(text: Uint8Array): void {
    const { length } = text;
    if (this.#at + length > this.#bytes.length) this.#grow(length);
    this.#bytes.set(text, this.#at);
    this.#at += length;
  }

  /** One ASCII character. */
  byte(code: number): void {
    if (this.#at >= this.#bytes.length) this.#grow(1);
    this.#bytes[this.#at++] = code;
  }

  /** What was written from `begin` on; the caller's to keep. */
  copy(begin: number): Uint8Array {
    return this.#bytes.slice(begin, this.#at);
  }

  /** The same as `quoted`, for texts that are likely to come again: their bytes are remembered. */
  repeated(text: string): void {
    let known = REPEATED.get(text);
    if (known === undefined) {
      known = ENCODER.encode(jsonText(text));
      if (known.length > LONGEST_REPEATED) {
        this.quoted(text);
        return;
      }
      keep(REPEATED, text, known, MAX_REPEATED);
    }
    this.fixed(known);
  }

  /** Text as a JSON string, quotes and all. */
  quoted(text: string): void {
    const { length } = text;
    if (this.#at + length + 2 > this.#bytes.length) this.#grow(length + 2);
    const bytes = this.#bytes;
    let at = this.#at;
    bytes[at++] = QUOTE;
    for (let i = 0; i < length; i++) {
      const unit = UNIT_AT.call(text, i);
      if (unit < 0x20 || unit > 0x7e || unit === QUOTE || unit === BACKSLASH) {
        this.json(jsonText(text));
        return;
      }
      bytes[at++] = unit;
    }
    bytes[at++] = QUOTE;
    this.#at = at;
  }

  /** JSON as it stands, in UTF-8. */
  json(text: string): void {
    const most = text.length * 3;
    if (this.#at + most > this.#bytes.length) this.#grow(most);
    this.#at += ENCODER.encodeInto(text, this.#bytes.subarray(this.#at)).written;
  }

  /** A whole number, not negative, in decimal digits; anything else as JSON has it. */
  number(value: number): void {
    if (!(value >= 0 && value <= 0x7fffffff) || value !== (value | 0)) {
      this.ascii(String(value));
      return;
    }
    let digits = 1;
    for (let rest = value; rest > 9; digits++) rest = (rest / 10) | 0;
    this.digits(value, digits);
  }

  /** The last `count` decimal digits of a whole number below 2^31, with leading zeros. */
  digits(value: number, count: number): void {
    if (this.#at + count > this.#bytes.length) this.#grow(count);
    let rest = value;
    for (let at = this.#at + count - 1; at >= this.#at; at--) {
      const tenth = (rest / 10) | 0;
      this.#bytes[at] = 0x30 + rest - tenth * 10;
      rest = tenth;
    }
    this.#at += count;
  }

  /** What was written since the last time; the caller's to keep. */
  take(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.#at);
    this.#bytes = new Uint8Array(this.#size);
    this.#at = 0;
    return taken;
  }

  /** The same as text; the room is used again. */
  text(): string {
    const text = DECODER.decode(this.#bytes.subarray(0, this.#at));
    this.#at = 0;
    return text;
  }

  #grow(more: number): void {
    const grown = new Uint8Array(Math.max(this.#at + more, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = grown;
  }
}

// V8 has a dozen kinds of strings, and a place that sees more than four looks up the method for each character: `call`
// spares that (measured: 130 instead of 300 ns for a text of 25 characters).
const UNIT_AT = String.prototype.charCodeAt;
/** For `LineBuffer.fixed`. */
export function asciiBytes(text: string): Uint8Array {
  return ENCODER.encode(text);
}

const ENCODER = new TextEncoder();
// A byte order mark inside a text is a character of it.
const DECODER = new TextDecoder('utf-8', { ignoreBOM: true });
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const REPEATED = new Map<string, Uint8Array>();
/** Names, targets and connections of a busy minute, some 200 bytes each. */
const MAX_REPEATED = 8192;
const LONGEST_REPEATED = 512;
