// Finds the options of a TCP header (RFC 9293, section 3.2) that tell copies and losses: timestamps and selective acknowledgments.

import { u32be } from '../core/bytes/bytes.js';

/** TSval of the TCP options `b[at … end)` (RFC 7323, 3.2); 0 without one. */
export function timestampIn(b: Uint8Array, at: number, end: number): number {
  const value = find(TIMESTAMPS, b, at, end);
  return value < 0 || value + 8 > end ? 0 : u32be(b, value);
}

/** @returns the left edge of the lowest block of the TCP options `b[at … end)` (RFC 2018, section 3); undefined without one. */
export function sackIn(b: Uint8Array, at: number, end: number): number | undefined {
  // Nearly every segment has timestamps alone.
  if (end - at <= TIMESTAMPS_ALONE) return undefined;
  const value = find(SACK, b, at, end);
  if (value < 0) return undefined;
  let lowest: number | undefined;
  for (let block = value; block + 8 <= value + b[value - 1] - 2 && block + 8 <= end; block += 8) {
    const edge = u32be(b, block);
    if (lowest === undefined || ((edge - lowest) | 0) < 0) lowest = edge;
  }
  return lowest;
}

/** @returns where the value of an option begins; -1 without it. */
function find(wanted: number, b: Uint8Array, from: number, end: number): number {
  for (let at = from; at + 1 < end; ) {
    const kind = b[at];
    if (kind === wanted) return at + 2;
    if (kind === END_OF_OPTIONS) return -1;
    at += kind === NO_OPERATION ? 1 : Math.max(2, b[at + 1]);
  }
  return -1;
}

const END_OF_OPTIONS = 0;
const NO_OPERATION = 1;
const SACK = 5;
const TIMESTAMPS = 8;
/** Bytes of the option with its padding. */
const TIMESTAMPS_ALONE = 12;
