// Reads the protobuf wire format (protobuf.dev, "Encoding") field by field, without allocating for each field. A reader never
// throws and never reads past its end.

import { EMPTY_BYTES, text } from '../core/bytes/bytes.js';

/** Why a reader stopped before the end of its bytes. */
export type WireFault =
  /** A tag, number or length runs past the end. */
  | 'truncated'
  /** A varint longer than ten bytes, field number 0, wire type 6 or 7, or the end of a group that did not begin. */
  | 'malformed';

export const VARINT = 0;
export const FIXED64 = 1;
export const LENGTH_DELIMITED = 2;
export const START_GROUP = 3;
export const END_GROUP = 4;
export const FIXED32 = 5;

/**
 * Iterates over the fields of one message:
 * ```
 *   while (reader.next()) switch (reader.field) { case 1: … reader.start … reader.end … }
 * ```
 * `[start, end)` is the value: the content for length-delimited fields and groups, the encoded number for the others.
 */
export class FieldReader {
  bytes: Uint8Array = EMPTY_BYTES;
  /** Field number and wire type of the current field. */
  field = 0;
  type = 0;
  start = 0;
  end = 0;
  fault: WireFault | null = null;

  #at = 0;
  #limit = 0;
  /** Halves of the current number, each as a signed 32-bit integer. */
  #low = 0;
  #high = 0;

  constructor(bytes: Uint8Array = EMPTY_BYTES, start = 0, end: number = bytes.length) {
    this.open(bytes, start, end);
  }

  /** Starts over with another message, so that one reader serves many. */
  open(bytes: Uint8Array, start: number, end: number): this {
    this.bytes = bytes;
    this.#at = start;
    this.#limit = Math.min(end, bytes.length);
    this.fault = null;
    return this;
  }

  /** @returns false at the end of the message and at a fault. */
  next(): boolean {
    if (this.#at >= this.#limit || this.fault !== null) return false;
    // The tag of fields 1 … 15, nearly every tag in practice, is one byte.
    let tag = this.bytes[this.#at];
    if (tag < 0x80) this.#at += 1;
    else {
      if (!this.#varint()) return false;
      if (this.#high !== 0) return this.#fail('malformed');
      tag = this.#low >>> 0;
    }
    this.field = tag >>> 3;
    this.type = tag & 7;
    if (this.field === 0) return this.#fail('malformed');
    return this.#value();
  }

  /** The content of this field as UTF-8; invalid bytes become U+FFFD. */
  text(): string {
    return text(this.bytes, this.start, this.end);
  }

  /** The number of this field, unsigned; above 2^53 the nearest double (`uint64` is exact). */
  uint(): number {
    return (this.#high >>> 0) * 0x1_0000_0000 + (this.#low >>> 0);
  }

  /** The number of this field as two's complement of 64 bits; beyond ±2^53 the nearest double. */
  int(): number {
    return this.#high * 0x1_0000_0000 + (this.#low >>> 0);
  }

  /** The low 32 bits, signed: int32 and bool. */
  int32(): number {
    return this.#low;
  }

  /** Exact: a number up to 2^53, else decimal digits as in protobuf's JSON mapping. */
  uint64(): number | string {
    const value = this.uint();
    return value <= Number.MAX_SAFE_INTEGER ? value : this.#big().toString();
  }

  /** Exact: a number within ±2^53, else decimal digits. */
  int64(): number | string {
    const value = this.int();
    return Number.isSafeInteger(value) ? value : BigInt.asIntN(64, this.#big()).toString();
  }

  /** Reads the varint at `at`, for packed fields. @returns where the next one begins, or -1 at a fault. */
  varintAt(at: number, limit: number): number {
    const outerAt = this.#at;
    const outerLimit = this.#limit;
    this.#at = at;
    this.#limit = limit;
    const ok = this.#varint();
    const after = this.#at;
    this.#at = outerAt;
    this.#limit = outerLimit;
    return ok ? after : -1;
  }

  #big(): bigint {
    return (BigInt(this.#high >>> 0) << 32n) | BigInt(this.#low >>> 0);
  }

  #value(): boolean {
    const from = this.#at;
    this.start = from;
    switch (this.type) {
      case VARINT:
        if (!this.#varint()) return false;
        this.end = this.#at;
        return true;
      case LENGTH_DELIMITED: {
        let length = this.#at < this.#limit ? this.bytes[this.#at] : 0x80;
        if (length < 0x80) this.#at += 1;
        else {
          if (!this.#varint()) return false;
          length = this.uint();
        }
        this.start = this.#at;
        // The available part of a cut value is still worth reading; `fault` records the cut.
        if (length > this.#limit - this.#at) {
          this.fault = 'truncated';
          this.end = this.#limit;
        } else this.end = this.#at + length;
        this.#at = this.end;
        return true;
      }
      case FIXED64:
        return this.#fixed(8);
      case FIXED32:
        return this.#fixed(4);
      case START_GROUP:
        return this.#group();
      default:
        return this.#fail('malformed');
    }
  }

  #fixed(size: number): boolean {
    if (this.#limit - this.#at < size) return this.#fail('truncated');
    const b = this.bytes;
    const at = this.#at;
    this.#low = b[at] | (b[at + 1] << 8) | (b[at + 2] << 16) | (b[at + 3] << 24);
    this.#high = size === 4 ? 0 : b[at + 4] | (b[at + 5] << 8) | (b[at + 6] << 16) | (b[at + 7] << 24);
    this.#at += size;
    this.end = this.#at;
    return true;
  }

  #varint(): boolean {
    const b = this.bytes;
    const limit = this.#limit;
    let at = this.#at;
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (at >= limit) return this.#fail('truncated');
      const byte = b[at++];
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high = bits >>> 4;
      } else if (shift < 63) high |= bits << (shift - 32);
      else high |= bits << 31;
      if (byte < 0x80) {
        this.#at = at;
        this.#low = low;
        this.#high = high;
        return true;
      }
    }
    return this.#fail('malformed');
  }

  /** Skips a group with its fields. Nesting is counted instead of recursed into, so a deep group costs no stack. */
  #group(): boolean {
    let depth = 1;
    const field = this.field;
    const start = this.#at;
    while (depth > 0) {
      if (this.#at >= this.#limit) return this.#fail('truncated');
      const tagAt = this.#at;
      if (!this.#varint()) return false;
      const type = this.#low & 7;
      if (type === START_GROUP) depth += 1;
      else if (type === END_GROUP) {
        depth -= 1;
        this.end = tagAt;
      } else {
        this.type = type;
        if (!this.#value() || this.fault !== null) return this.#fail(this.fault ?? 'malformed');
      }
    }
    this.field = field;
    this.type = START_GROUP;
    this.start = start;
    return true;
  }

  #fail(fault: WireFault): false {
    this.fault = fault;
    this.#at = this.#limit;
    return false;
  }
}

/**
 * Finds the last length-delimited field along a path of field numbers, e.g. `[2, 10]`: field 10 of field 2.
 * @returns true with the content in `reader.start` and `reader.end`; false if there is no such field.
 */
export function findField(
  reader: FieldReader,
  bytes: Uint8Array,
  start: number,
  end: number,
  path: readonly number[],
): boolean {
  let from = start;
  let to = end;
  for (const field of path) {
    reader.open(bytes, from, to);
    let found = false;
    while (reader.next()) {
      if (reader.field !== field || reader.type !== LENGTH_DELIMITED) continue;
      found = true;
      from = reader.start;
      to = reader.end;
    }
    if (!found) return false;
  }
  reader.start = from;
  reader.end = to;
  return true;
}
