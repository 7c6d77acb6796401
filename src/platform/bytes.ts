// Converts between bytes and text, and searches and compares bytes, by what Node.js has of its own for that.

/** Decodes UTF-8; invalid bytes become U+FFFD. */
export function text(bytes: Uint8Array, start = 0, end = bytes.length): string {
  return end <= start ? '' : SLICES.utf8Slice.call(bytes, start, Math.min(end, bytes.length));
}

/** Decodes one character a byte, for protocol heads, whose bytes are not always UTF-8. */
export function latin1(bytes: Uint8Array, start = 0, end = bytes.length): string {
  return end <= start ? '' : SLICES.latin1Slice.call(bytes, start, Math.min(end, bytes.length));
}

/** The same string without references to the strings that it was concatenated of or cut from, which take four times the memory. */
export function flattenString(string: string): string {
  const flat = Buffer.from(string, 'utf8').toString('utf8');
  // A lone surrogate has no UTF-8 form.
  return flat === string ? flat : string;
}

/** Encodes UTF-8; a lone surrogate becomes U+FFFD. */
export function utf8Bytes(string: string): Uint8Array {
  return Buffer.from(string, 'utf8');
}

/** Bytes of a text in UTF-8. */
export function utf8Length(string: string): number {
  return Buffer.byteLength(string);
}

/** One byte a character, of which the lower eight bits count. */
export function latin1Bytes(string: string): Uint8Array {
  return Buffer.from(string, 'latin1');
}

/** @returns the bytes before what is no pair of hexadecimal digits. */
export function hexBytes(hex: string): Uint8Array {
  return Buffer.from(hex, 'hex');
}

/** Hexadecimal digits in lower case. */
export function hexText(bytes: Uint8Array): string {
  return SLICES.hexSlice.call(bytes, 0, bytes.length);
}

/** Decodes base64 of either alphabet (RFC 4648, 4 and 5), with or without padding; other characters are passed over. */
export function base64Bytes(base64: string): Uint8Array {
  return Buffer.from(base64, 'base64');
}

/** Base64 with padding. */
export function base64Text(bytes: Uint8Array): string {
  return SLICES.base64Slice.call(bytes, 0, bytes.length);
}

/** @returns where `wanted` begins in `bytes` at or after `from`; -1: nowhere. */
export function indexOfBytes(bytes: Uint8Array, wanted: Uint8Array, from = 0): number {
  return viewOf(bytes).indexOf(wanted, from);
}

/** Whether `bytes` are those of `other` from `start` on. */
export function equalsAt(other: Uint8Array, start: number, bytes: Uint8Array): boolean {
  return COMPARE.call(other, bytes, 0, bytes.length, start, start + bytes.length) === 0;
}

/** Memory that is not cleared first, in an ArrayBuffer of its own. */
export function uncleared(length: number): Uint8Array {
  return Buffer.allocUnsafeSlow(length);
}

function viewOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

type Slice = (this: Uint8Array, start: number, end: number) => string;
// The internals of `Buffer.toString`, which Node's typings omit: called directly, they need no Buffer (80 instead of 250 ns).
const SLICES = Buffer.prototype as unknown as Readonly<
  Record<'utf8Slice' | 'latin1Slice' | 'hexSlice' | 'base64Slice', Slice>
>;
const COMPARE = Buffer.prototype.compare as (
  this: Uint8Array,
  target: Uint8Array,
  targetStart: number,
  targetEnd: number,
  sourceStart: number,
  sourceEnd: number,
) => number;
