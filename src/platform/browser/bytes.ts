// Converts between bytes and text, and searches and compares bytes, as `platform/bytes.ts` does, by what browsers have.

/** Decodes UTF-8; invalid bytes become U+FFFD. */
export function text(bytes: Uint8Array, start = 0, end = bytes.length): string {
  const stop = Math.min(end, bytes.length);
  if (stop <= start) return '';
  if (stop - start > SHORT) return UTF8.decode(bytes.subarray(start, stop));
  for (let i = start; i < stop; i++) if (bytes[i] >= 0x80) return UTF8.decode(bytes.subarray(start, stop));
  return shortText(bytes, start, stop);
}

/** Decodes one character a byte; `TextDecoder` has no such coding: its `latin1` is windows-1252. */
export function latin1(bytes: Uint8Array, start = 0, end = bytes.length): string {
  const stop = Math.min(end, bytes.length);
  if (stop - start <= CHARACTERS) return stop <= start ? '' : shortText(bytes, start, stop);
  const parts: string[] = [];
  for (let at = start; at < stop; at += CHARACTERS) parts.push(shortText(bytes, at, Math.min(at + CHARACTERS, stop)));
  return parts.join('');
}

function shortText(bytes: Uint8Array, start: number, end: number): string {
  return String.fromCharCode.apply(null, bytes.subarray(start, end) as unknown as number[]);
}

/** The same string without references to the strings that it was concatenated of or cut from. */
export function flattenString(string: string): string {
  const flat = UTF8.decode(ENCODER.encode(string));
  // A lone surrogate has no UTF-8 form.
  return flat === string ? flat : string;
}

/** Encodes UTF-8; a lone surrogate becomes U+FFFD. */
export function utf8Bytes(string: string): Uint8Array {
  return ENCODER.encode(string);
}

/** Bytes of a text in UTF-8. */
export function utf8Length(string: string): number {
  return ENCODER.encode(string).length;
}

/** One byte a character, of which the lower eight bits count. */
export function latin1Bytes(string: string): Uint8Array {
  const bytes = new Uint8Array(string.length);
  for (let i = 0; i < string.length; i++) bytes[i] = string.charCodeAt(i);
  return bytes;
}

/** @returns the bytes before what is no pair of hexadecimal digits. */
export function hexBytes(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length >> 1);
  for (let i = 0; i < bytes.length; i++) {
    const pair = hex.slice(2 * i, 2 * i + 2);
    if (!/^[\da-f]{2}$/i.test(pair)) return bytes.slice(0, i);
    bytes[i] = Number.parseInt(pair, 16);
  }
  return bytes;
}

/** Hexadecimal digits in lower case. */
export function hexText(bytes: Uint8Array): string {
  let hex = '';
  for (const byte of bytes) hex += HEX[byte];
  return hex;
}

/** Decodes base64 of either alphabet (RFC 4648, 4 and 5), with or without padding; other characters are passed over. */
export function base64Bytes(base64: string): Uint8Array {
  const bytes = new Uint8Array(Math.ceil((base64.length * 3) / 4));
  let length = 0;
  let bits = 0;
  let digits = 0;
  for (let i = 0; i < base64.length; i++) {
    const code = base64.charCodeAt(i);
    if (code === EQUALS) break;
    const value = code < 128 ? VALUES[code] : NO_VALUE;
    if (value === NO_VALUE) continue;
    bits = (bits << 6) | value;
    digits += 1;
    if (digits % 4 === 1) continue;
    const shift = 6 - 2 * ((digits - 1) % 4);
    bytes[length] = bits >>> shift;
    length += 1;
  }
  return bytes.slice(0, length);
}

/** Base64 with padding. */
export function base64Text(bytes: Uint8Array): string {
  const out = new Uint8Array(Math.ceil(bytes.length / 3) * 4).fill(EQUALS);
  let at = 0;
  for (let i = 0; i < bytes.length; i += 3) {
    const left = bytes.length - i;
    const three = (bytes[i] << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    out[at] = DIGITS[three >> 18];
    out[at + 1] = DIGITS[(three >> 12) & 63];
    if (left > 1) out[at + 2] = DIGITS[(three >> 6) & 63];
    if (left > 2) out[at + 3] = DIGITS[three & 63];
    at += 4;
  }
  return latin1(out);
}

/** @returns where `wanted` begins in `bytes` at or after `from`; -1: nowhere. */
export function indexOfBytes(bytes: Uint8Array, wanted: Uint8Array, from = 0): number {
  const last = bytes.length - wanted.length;
  for (let at = bytes.indexOf(wanted[0], from); at >= 0 && at <= last; at = bytes.indexOf(wanted[0], at + 1))
    if (equalsAt(bytes, at, wanted)) return at;
  return -1;
}

/** Whether `bytes` are those of `other` from `start` on. */
export function equalsAt(other: Uint8Array, start: number, bytes: Uint8Array): boolean {
  if (start + bytes.length > other.length) return false;
  for (let i = 0; i < bytes.length; i++) if (other[start + i] !== bytes[i]) return false;
  return true;
}

/** Memory in an ArrayBuffer of its own, which browsers always clear. */
export function uncleared(length: number): Uint8Array {
  return new Uint8Array(length);
}

// A byte order mark is a character like others, as in Node.js.
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });
const ENCODER = new TextEncoder();
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const EQUALS = 0x3d;
const NO_VALUE = 0xff;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const DIGITS = latin1Bytes(ALPHABET);
const VALUES = new Uint8Array(128).fill(NO_VALUE);
DIGITS.forEach((code, value) => {
  VALUES[code] = value;
});
VALUES['-'.charCodeAt(0)] = 62;
VALUES['_'.charCodeAt(0)] = 63;
/** Bytes up to which a loop is faster than `TextDecoder`. */
const SHORT = 96;
/** Characters that are handed over as arguments at once. */
const CHARACTERS = 8192;
