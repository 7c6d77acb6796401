// Reads JSON without blanks from the bytes of a line, one value after the other, as JSON.parse would; what it does not know is undefined.

import { text } from '../core/bytes/bytes.js';
import { asciiBytes } from '../render/messages/line-buffer.js';
import { LineTexts } from './line-texts.js';

export class LineCursor {
  at = 0;
  /** A value was not of its type, or not of the usual form. */
  failed = false;
  /** Of the last fraction. */
  digits: 6 | 9 = 6;
  #bytes: Uint8Array = EMPTY_LINE;
  #view = viewOf(EMPTY_LINE);

  /** @param bytes borrowed; the line from `at` on ends with a line feed, which no value can hold. */
  begin(bytes: Uint8Array, at: number): void {
    if (bytes !== this.#bytes) this.#view = viewOf(bytes);
    this.#bytes = bytes;
    this.at = at;
    this.failed = false;
  }

  /** Moves behind `literal` if it stands here. */
  skips(literal: Uint8Array): boolean {
    const bytes = this.#bytes;
    const { at } = this;
    const { length } = literal;
    for (let i = 0; i < length; i++) if (bytes[at + i] !== literal[i]) return false;
    this.at = at + length;
    return true;
  }

  /** Moves behind one character if it stands here. */
  skipsByte(code: number): boolean {
    if (this.#bytes[this.at] !== code) return false;
    this.at += 1;
    return true;
  }

  /** A text that is likely to come again. */
  text(): string | undefined {
    return this.#quoted(true);
  }

  textOrNull(): string | null | undefined {
    return this.skips(NULL) ? null : this.text();
  }

  /** A text that is not likely to come again. */
  newText(): string | undefined {
    return this.#quoted(false);
  }

  /** A number from 1 to 999999999; 0: it is none. */
  count(): number {
    const bytes = this.#bytes;
    const start = this.at;
    let at = start;
    let value = 0;
    for (let digit = bytes[at] - ZERO; digit >= 0 && digit <= 9; digit = bytes[at] - ZERO) {
      value = value * 10 + digit;
      at += 1;
    }
    if (bytes[start] === ZERO || at - start > 9 || OF_NUMBER[bytes[at]] === 1) return 0;
    this.at = at;
    return value;
  }

  /** A number of few digits without sign or exponent; any other is left to JSON.parse. */
  number(): number | undefined {
    const bytes = this.#bytes;
    const start = this.at;
    let at = start;
    let value = 0;
    let power = 1;
    let point = 0;
    for (;;) {
      const digit = bytes[at] - ZERO;
      if (digit >= 0 && digit <= 9) {
        value = value * 10 + digit;
        if (point > 0) power *= 10;
      } else if (digit === POINT && point === 0) point = at;
      else break;
      at += 1;
    }
    const whole = (point === 0 ? at : point) - start;
    const isUsual = whole > 0 && (whole === 1 || bytes[start] !== ZERO) && bytes[at - 1] !== ZERO + POINT;
    if (!isUsual || at - start > 15 || OF_NUMBER[bytes[at]] === 1) {
      const other = this.value();
      return Number.isFinite(other) ? (other as number) : this.#fails();
    }
    this.at = at;
    // Both are whole numbers that a double has, so the quotient is rounded once, as the text would be.
    return power === 1 ? value : value / power;
  }

  /**
   * A time of the second that `second` is the text of, up to its point.
   * @param second `"2026-11-21T04:13:27.`, with the quote.
   * @returns ns since that second; -1: it is none. `digits` is 6 or 9.
   */
  fraction(second: Uint8Array): number {
    const start = this.at;
    if (!this.skips(second)) return -1;
    const bytes = this.#bytes;
    let at = this.at;
    let value = 0;
    for (let digit = bytes[at] - ZERO; digit >= 0 && digit <= 9; digit = bytes[at] - ZERO) {
      value = value * 10 + digit;
      at += 1;
    }
    this.digits = at - this.at === 9 ? 9 : 6;
    const isTime = at - this.at === this.digits && bytes[at] === LETTER_Z && bytes[at + 1] === QUOTE;
    this.at = isTime ? at + 2 : start;
    if (!isTime) return -1;
    return this.digits === 9 ? value : value * 1000;
  }

  flag(): boolean | undefined {
    if (this.skips(TRUE)) return true;
    return this.skips(FALSE) ? false : this.#fails();
  }

  /** Any value. */
  value(): unknown {
    const start = this.at;
    return this.skipsValue() ? (JSON.parse(text(this.#bytes, start, this.at)) as unknown) : this.#fails();
  }

  /** Moves behind a value if JSON.parse would take it; also false where it is nested deeply or has blanks. */
  skipsValue(): boolean {
    const bytes = this.#bytes;
    const view = this.#view;
    let { at } = this;
    let depth = 0;
    let isInObject = false;
    /** A bit for each level outside of the innermost one: whether it is an object. */
    let outer = 0;
    for (;;) {
      const first = bytes[at];
      if (first === OPEN_BRACE || first === OPEN_BRACKET) {
        // In ASCII the closing one is the second next.
        if (bytes[at + 1] === first + 2) at += 2;
        else {
          if (depth === MAX_DEPTH) return false;
          depth += 1;
          outer = (outer << 1) | (isInObject ? 1 : 0);
          isInObject = first === OPEN_BRACE;
          at = isInObject ? endOfName(bytes, view, at + 1) : at + 1;
          if (at < 0) return false;
          continue;
        }
      } else at = first === QUOTE ? endOfText(bytes, view, at + 1) : endOfWord(bytes, at);
      if (at < 0) return false;
      for (;;) {
        if (depth === 0) {
          this.at = at;
          return true;
        }
        const next = bytes[at];
        if (next === COMMA) break;
        if (next !== (isInObject ? CLOSE_BRACE : CLOSE_BRACKET)) return false;
        at += 1;
        depth -= 1;
        isInObject = (outer & 1) === 1;
        outer >>= 1;
      }
      at = isInObject ? endOfName(bytes, view, at + 1) : at + 1;
      if (at < 0) return false;
    }
  }

  #quoted(isRecurring: boolean): string | undefined {
    const bytes = this.#bytes;
    const start = this.at + 1;
    if (bytes[start - 1] !== QUOTE) return this.#fails();
    const end = endOfAscii(bytes, this.#view, start);
    if (bytes[end] !== QUOTE) return this.#otherText(start);
    this.at = end + 1;
    return isRecurring ? TEXTS.get(bytes, this.#view, start, end) : text(bytes, start, end);
  }

  #fails(): undefined {
    this.failed = true;
    return undefined;
  }

  /** One with escapes or beyond ASCII. */
  #otherText(start: number): string | undefined {
    const end = endOfText(this.#bytes, this.#view, start);
    if (end < 0) return this.#fails();
    this.at = end;
    const raw = text(this.#bytes, start, end - 1);
    return raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
  }
}

/** @param at behind the opening quote. @returns behind the closing one; -1: there is none. */
function endOfText(bytes: Uint8Array, view: DataView, at: number): number {
  let end = at;
  for (;;) {
    end = endOfPlain(bytes, view, end);
    if (bytes[end] === QUOTE) return end + 1;
    if (bytes[end] !== BACKSLASH) return -1;
    if (bytes[end + 1] === LETTER_U) {
      for (let i = end + 2; i < end + 6; i++) if (HEX[bytes[i]] !== 1) return -1;
      end += 6;
    } else if (ESCAPED[bytes[end + 1]] === 1) end += 2;
    else return -1;
  }
}

/** The name of an object's member. @returns behind its colon; -1: there is none. */
function endOfName(bytes: Uint8Array, view: DataView, at: number): number {
  if (bytes[at] !== QUOTE) return -1;
  const end = endOfText(bytes, view, at + 1);
  return end > 0 && bytes[end] === COLON ? end + 1 : -1;
}

/** Where characters end that stand for themselves: a quote, a backslash, or what no text may hold. Four bytes at a time: half the time. */
function endOfPlain(bytes: Uint8Array, view: DataView, start: number): number {
  let at = start;
  for (const last = bytes.length - 4; at <= last; at += 4) {
    const four = view.getInt32(at, true);
    const quote = four ^ FOUR_QUOTES;
    const backslash = four ^ FOUR_BACKSLASHES;
    // The high bit of a byte is set where the lowest such byte, and perhaps some behind it, borrow.
    const found =
      ((quote - FOUR_ONES) & ~quote) | ((backslash - FOUR_ONES) & ~backslash) | ((four - FOUR_BLANKS) & ~four);
    if ((found & FOUR_HIGH_BITS) !== 0) break;
  }
  while (PLAIN[bytes[at]] === 1) at += 1;
  return at;
}

/** The same, or the first byte beyond ASCII. */
function endOfAscii(bytes: Uint8Array, view: DataView, start: number): number {
  let at = start;
  for (const last = bytes.length - 4; at <= last; at += 4) {
    const four = view.getInt32(at, true);
    const quote = (four ^ FOUR_QUOTES) - FOUR_ONES;
    const backslash = (four ^ FOUR_BACKSLASHES) - FOUR_ONES;
    if (((four | quote | backslash | (four - FOUR_BLANKS)) & FOUR_HIGH_BITS) !== 0) break;
  }
  while (PLAIN_ASCII[bytes[at]] === 1) at += 1;
  return at;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** A number, `true`, `false` or `null`. @returns behind it; -1: it is none. */
function endOfWord(bytes: Uint8Array, at: number): number {
  const start = at;
  let digits = true;
  for (;;) {
    const code = bytes[at];
    if (!(code >= ZERO && code <= ZERO + 9)) {
      if (OF_WORD[code] !== 1) break;
      digits = false;
    }
    at += 1;
    if (at - start > LONGEST_WORD) return -1;
  }
  if (at === start) return -1;
  if (digits) return at === start + 1 || bytes[start] !== ZERO ? at : -1;
  return WORD.test(text(bytes, start, at)) ? at : -1;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const ZERO = 0x30;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const LETTER_Z = 0x5a;
const LETTER_U = 0x75;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
/** `.`, from `0`. */
const POINT = 0x2e - ZERO;
const TRUE = asciiBytes('true');
const NULL = asciiBytes('null');
const FALSE = asciiBytes('false');
/** RFC 8259, sections 3 and 6. */
const WORD = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
const LONGEST_WORD = 64;
/** Bytes of characters that stand for themselves in a text (RFC 8259, section 7). */
const PLAIN = Uint8Array.from({ length: 256 }, (_, code) =>
  code >= 0x20 && code !== QUOTE && code !== BACKSLASH ? 1 : 0,
);
const PLAIN_ASCII = PLAIN.map((plain, code) => (code < 0x80 ? plain : 0));
const FOUR_ONES = 0x01010101;
const FOUR_QUOTES = FOUR_ONES * QUOTE;
const FOUR_BACKSLASHES = FOUR_ONES * BACKSLASH;
const FOUR_BLANKS = FOUR_ONES * 0x20;
const FOUR_HIGH_BITS = 0x80808080 | 0;
const ESCAPED = bytesIn('"\\/bfnrt');
const HEX = bytesIn('0123456789abcdefABCDEF');
/** What may follow the first digits of a number. */
const OF_NUMBER = bytesIn('0123456789.eE+-');
/** What a number, `true`, `false` or `null` may consist of. */
const OF_WORD = bytesIn('0123456789.E+-abcdefghijklmnopqrstuvwxyz');

/** By byte: 1 for those of an ASCII text. */
function bytesIn(characters: string): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, code) => (characters.includes(String.fromCharCode(code)) ? 1 : 0));
}

/** Limit: nesting of a value that is skipped without JSON.parse, a bit for each level: objects of Kubernetes have some ten. */
const MAX_DEPTH = 30;
const TEXTS = new LineTexts();
const EMPTY_LINE = Uint8Array.of(0x0a);
