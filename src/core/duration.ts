// Parses and formats durations: `2s`, `500ms`, `1m30s`.

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

/** In the largest unit that leaves no long fraction. */
export function durationText(ns: bigint): string {
  if (ns < 1_000_000n) return `${Number(ns) / 1000}us`;
  if (ns < 1_000_000_000n) return `${Number(ns / 1000n) / 1000}ms`;
  return `${Number(ns / 1_000_000n) / 1000}s`;
}

/** For readers, without false digits: `0.7 ms`, `12 ms`, `58.4 s`. */
export function elapsedText(ns: bigint): string {
  const ms = Number(ns) / 1e6;
  return ms >= 1000 ? `${(ms / 1000).toFixed(1)} s` : `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
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
