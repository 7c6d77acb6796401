// Steps through JSON text (RFC 8259) as bytes and makes values only of what is read: a list of 10,000 Pods is counted
// without being parsed. Values that are skipped may nest without limit, as depth is counted and not recursed into.

import { text } from '../../core/bytes/bytes.js';
import type { FieldCursor, FieldSet, NamedField } from './fields.js';
import { secondsOf } from './value-cursor.js';

export class JsonCursor implements FieldCursor {
  readonly repeatsFields = false;
  /** false from the first thing that is no JSON, or from the end of cut text; every walk ends there. */
  ok = true;
  /** Where the present value begins; after a value was read or skipped, where it ended. */
  at: number;
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #keyStart = 0;
  #keyEnd = 0;

  constructor(bytes: Uint8Array, start = 0, end: number = bytes.length) {
    this.#bytes = bytes;
    this.#end = Math.min(end, bytes.length);
    this.at = start;
    // A byte order mark is no JSON, but editors write it.
    if (bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf) this.at += 3;
  }

  /** First byte of the present value, -1 at the end. */
  peek(): number {
    this.#space();
    return this.at < this.#end ? this.#bytes[this.at] : -1;
  }

  /** Enters an object or array; false, and no step, where there is none. */
  enter(open: typeof BRACE | typeof BRACKET): boolean {
    if (!this.ok || this.peek() !== open) return false;
    this.at += 1;
    return true;
  }

  /** Steps to the value of the next member of an object; false after the last, outside the object. */
  nextMember(): boolean {
    if (!this.#nextItem(0x7d)) return false;
    if (this.peek() !== QUOTE) return this.#fail();
    this.#keyStart = this.at + 1;
    if (!this.#string()) return false;
    this.#keyEnd = this.at - 1;
    if (this.peek() !== 0x3a) return this.#fail();
    this.at += 1;
    return true;
  }

  /** Steps to the next element of an array; false after the last, outside the array. */
  nextElement(): boolean {
    return this.#nextItem(0x5d);
  }

  /** Name of the present member. */
  key(): string {
    return stringOf(this.#bytes, this.#keyStart, this.#keyEnd);
  }

  next({ byName }: FieldSet): NamedField | undefined {
    while (this.nextMember()) {
      const field = byName.get(this.key());
      if (field !== undefined) return field;
      this.skip();
    }
    return undefined;
  }

  /** Enters the object; after its last field the cursor stands after the object. */
  object(): this | null {
    if (this.enter(BRACE)) return this;
    this.skip();
    return null;
  }

  entries(keys: FieldSet | null, into: Record<string, string>): void {
    const map = this.object();
    if (keys === null) {
      while (map?.nextMember() === true) into[this.key()] = this.text();
      return;
    }
    for (let key = map?.next(keys); key !== undefined; key = this.next(keys)) into[key.name] = this.text();
  }

  list(): boolean {
    if (this.enter(BRACKET)) return true;
    this.skip();
    return false;
  }

  /** Reads a string; any other value is skipped and gives ''. */
  text(): string {
    if (this.peek() !== QUOTE) {
      this.skip();
      return '';
    }
    const start = this.at + 1;
    return this.#string() ? stringOf(this.#bytes, start, this.at - 1) : '';
  }

  /** Reads a number; any other value is skipped and gives 0. */
  number(): number {
    this.#space();
    const start = this.at;
    this.skip();
    const value = Number(text(this.#bytes, start, this.at));
    return Number.isFinite(value) ? value : 0;
  }

  bool(): boolean {
    const isTrue = this.peek() === LETTER_T;
    this.skip();
    return isTrue;
  }

  timestamp(): string {
    return this.text();
  }

  seconds(): number {
    return secondsOf(this.text());
  }

  /** Steps over the present value, whatever it is. */
  skip(): void {
    const b = this.#bytes;
    const first = this.peek();
    if (!this.ok) return;
    if (first === QUOTE) {
      this.#string();
      return;
    }
    if (first !== BRACE && first !== BRACKET) {
      this.#literal();
      return;
    }
    const end = this.#end;
    let depth = 0;
    for (let at = this.at; at < end; at++) {
      const byte = b[at];
      if (byte === QUOTE) at = closingQuote(b, at + 1, end);
      else if (byte === BRACE || byte === BRACKET) depth += 1;
      else if (byte === 0x7d || byte === 0x5d) {
        depth -= 1;
        if (depth === 0) {
          this.at = at + 1;
          return;
        }
      }
    }
    this.at = end;
    this.#fail();
  }

  #nextItem(close: number): boolean {
    if (!this.ok) return false;
    let byte = this.peek();
    if (byte === 0x2c) {
      this.at += 1;
      byte = this.peek();
    }
    if (byte === close) {
      this.at += 1;
      return false;
    }
    return byte === -1 ? this.#fail() : true;
  }

  /** A number, true, false, null: up to what cannot be part of it. Takes at least one byte or fails. */
  #literal(): void {
    const from = this.at;
    while (this.at < this.#end && isLiteral(this.#bytes[this.at])) this.at += 1;
    if (this.at === from) this.#fail();
  }

  /** From an opening quote to after the closing one. */
  #string(): boolean {
    const end = this.#end;
    const at = closingQuote(this.#bytes, this.at + 1, end);
    this.at = Math.min(at + 1, end);
    return at < end || this.#fail();
  }

  #space(): void {
    const b = this.#bytes;
    while (this.at < this.#end) {
      const byte = b[this.at];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return;
      this.at += 1;
    }
  }

  #fail(): false {
    this.ok = false;
    return false;
  }
}

/** How deep arrays and objects nest, counted without recursion: to be checked before a parser builds them. */
export function jsonDepth(bytes: Uint8Array): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = closingQuote(bytes, at + 1, bytes.length);
    else if (byte === BRACE || byte === BRACKET) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
  }
  return deepest;
}

export const BRACE = 0x7b;
export const BRACKET = 0x5b;
const QUOTE = 0x22;
const LETTER_T = 0x74;
const BACKSLASH = 0x5c;

/** Where a string ends: at its closing quote, or at `end`. @param at after the opening one. */
function closingQuote(b: Uint8Array, at: number, end: number): number {
  let run = at;
  let quote = -1;
  while (at < end) {
    const byte = b[at];
    if (byte === QUOTE) return at;
    at += byte === BACKSLASH ? 2 : 1;
    if (byte === BACKSLASH) run = at;
    else if (at - run === LONG_RUN) {
      // No quote is looked for twice: a text of many escapes and none would be read again and again.
      if (quote < at) {
        const ahead = b.subarray(at, end).indexOf(QUOTE);
        quote = ahead < 0 ? end : at + ahead;
      }
      const slash = b.subarray(at, quote).indexOf(BACKSLASH);
      if (slash < 0) return quote;
      at += slash;
      run = at;
    }
  }
  return end;
}

/** Bytes without a quote or an escape, from which on a search of the machine is faster than a loop. */
const LONG_RUN = 64;

function isLiteral(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    byte === 0x2d ||
    byte === 0x2e ||
    byte === 0x2b ||
    byte === 0x45
  );
}

function stringOf(bytes: Uint8Array, start: number, end: number): string {
  const raw = text(bytes, start, end);
  if (!raw.includes('\\')) return raw;
  try {
    return JSON.parse(`"${raw}"`) as string;
  } catch {
    return raw; // An invalid escape: the raw text is better than none.
  }
}
