// Parses durations, `2s`, `500ms`, `1m30s`, and says them to readers.

import { dictionary } from './collections/dictionary.js';

/** @returns ns; null if the text is no duration. */
export function parseDuration(text: string): bigint | null {
  if (!/^(?:\d{1,12}(?:\.\d+)?\s*(?:h|ms|m|s|us|µs|ns)\s*)+$/.test(text)) return null;
  let total = 0n;
  for (const [, number, unit] of text.matchAll(/(\d+(?:\.\d+)?)\s*(h|ms|m|s|us|µs|ns)/g)) {
    const [whole, fraction = ''] = number.split('.');
    const scale = UNITS[unit];
    total += BigInt(whole) * scale + (BigInt(fraction.padEnd(9, '0').slice(0, 9)) * scale) / 1_000_000_000n;
  }
  return total;
}

/** The one form that readers see, without false digits: `85 µs`, `0.66 ms`, `5.5 ms`, `12 ms`, `3.2 s`, `58 s`, `4 min 10 s`, `2 h 5 min`. */
export function elapsedText(ns: bigint | number): string {
  const us = Number(ns) / 1e3;
  if (us < 100) return `${Math.round(us)} µs`;
  if (us < 999_500) return `${shortNumber(us / 1e3)} ms`;
  if (us < 59.5e6) return `${shortNumber(us / 1e6)} s`;
  const seconds = Math.round(us / 1e6);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/** Of a table's cell. @param ms undefined: there was no response. */
export function latencyCell(ms: number | undefined): string {
  return ms === undefined ? '-' : elapsedText(ms * 1e6);
}

function shortNumber(value: number): string {
  return value < 0.995 ? value.toFixed(2) : value < 9.95 ? value.toFixed(1) : String(Math.round(value));
}

const UNITS: Readonly<Record<string, bigint>> = dictionary({
  h: 3_600_000_000_000n,
  m: 60_000_000_000n,
  s: 1_000_000_000n,
  ms: 1_000_000n,
  us: 1000n,
  µs: 1000n,
  ns: 1n,
});
