// Copies that outlive what they were borrowed from.

import { allocate } from '../core/bytes/bytes.js';

/** A copy of `bytes[start, end)`. */
export function keep(bytes: Uint8Array, start = 0, end = bytes.length): Uint8Array {
  const copy = allocate(end - start);
  if (end - start > SHORT) copy.set(start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end));
  else for (let i = start; i < end; i++) copy[i - start] = bytes[i];
  return copy;
}

/** Bytes that are copied one by one: a view and a call out of JavaScript take as long. */
const SHORT = 64;
