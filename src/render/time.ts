// Formats capture times for people and programs.

import type { LineBuffer } from './messages/line-buffer.js';

/**
 * RFC 3339 in UTC.
 * @param ns since the epoch. @param digits of the fraction: 6 or 9.
 */
export function formatTime(ns: bigint, digits: number): string {
  enterSecond(ns);
  const fraction = String(Number(ns - secondStart)).padStart(9, '0');
  return `${secondText}${fraction.slice(0, digits)}Z`;
}

/** Writes the text of `formatTime`. */
export function writeTime(out: LineBuffer, ns: bigint, digits: number): void {
  const fraction = enterSecond(ns);
  out.ascii(secondText);
  if (digits === 9) out.digits(fraction, 9);
  else out.digits((fraction / 1000) | 0, 6);
  out.ascii('Z');
}

/** Formats the second of `ns`, unless it is the same as before. @returns ns since that second. */
function enterSecond(ns: bigint): number {
  const fraction = Number(ns - secondStart);
  if (fraction >= 0 && fraction < 1e9) return fraction;
  const second = ns / NS_PER_SECOND;
  secondStart = second * NS_PER_SECOND;
  secondText = `${new Date(Number(second) * 1000).toISOString().slice(0, 19)}.`;
  return Number(ns - secondStart);
}

/** Seconds since a beginning, with six digits: `2.500000`. */
export function formatOffset(ns: bigint): string {
  const sign = ns < 0n ? '-' : '';
  const positive = ns < 0n ? -ns : ns;
  const micros = String((positive % NS_PER_SECOND) / 1000n).padStart(6, '0');
  return `${sign}${positive / NS_PER_SECOND}.${micros}`;
}

const NS_PER_SECOND = 1_000_000_000n;
// Messages of the same second follow each other, so its text is kept.
let secondStart = -NS_PER_SECOND;
let secondText = '';
