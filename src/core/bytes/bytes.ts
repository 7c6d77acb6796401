// Reads numbers and text from bytes, and allocates, copies and joins byte arrays.

import { uncleared } from '../../platform/bytes.js';

export {
  base64Bytes,
  base64Text,
  equalsAt,
  flattenString,
  hexBytes,
  hexText,
  indexOfBytes,
  latin1,
  latin1Bytes,
  text,
  utf8Bytes,
  utf8Length,
} from '../../platform/bytes.js';

export const EMPTY_BYTES: Uint8Array = new Uint8Array(0);

export function u16be(b: Uint8Array, at: number): number {
  return (b[at] << 8) | b[at + 1];
}

export function u24be(b: Uint8Array, at: number): number {
  return (b[at] << 16) | (b[at + 1] << 8) | b[at + 2];
}

/** Unsigned: 0 … 2^32 - 1. */
export function u32be(b: Uint8Array, at: number): number {
  return ((b[at] << 24) | (b[at + 1] << 16) | (b[at + 2] << 8) | b[at + 3]) >>> 0;
}

export function u16le(b: Uint8Array, at: number): number {
  return b[at] | (b[at + 1] << 8);
}

/** Unsigned: 0 … 2^32 - 1. */
export function u32le(b: Uint8Array, at: number): number {
  return (b[at] | (b[at + 1] << 8) | (b[at + 2] << 16) | (b[at + 3] << 24)) >>> 0;
}

/** A copy that outlives the borrowed buffer. */
export function copyOf(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}

/**
 * Uninitialised memory. Small arrays are slices of 8 KiB slabs, because an ArrayBuffer costs several times the copy (measured for
 * 300 bytes: 2 instead of 0.5 µs); a slice keeps at most one slab alive.
 */
export function allocate(length: number): Uint8Array {
  if (length > SLAB / 4) return uncleared(length);
  if (slabUsed + length > SLAB) {
    slab = new Uint8Array(SLAB);
    slabUsed = 0;
  }
  slabUsed += length;
  return slab.subarray(slabUsed - length, slabUsed);
}

/** A copy of `bytes[start, end)` in a slab of `allocate`. */
export function copyRange(bytes: Uint8Array, start = 0, end = bytes.length): Uint8Array {
  const copy = allocate(end - start);
  if (end - start > SHORT) copy.set(start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end));
  else for (let i = start; i < end; i++) copy[i - start] = bytes[i];
  return copy;
}

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0];
  let length = 0;
  for (const part of parts) length += part.length;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const SLAB = 8 * 1024;
let slab = new Uint8Array(SLAB);
let slabUsed = 0;

/** Bytes up to which a loop is as fast as a view and a call out of JavaScript. */
const SHORT = 64;
