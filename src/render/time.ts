// Times as people and programs read them. Knows no clock: what it formats came from a capture.

/**
 * RFC 3339 in UTC.
 * @param ns since the epoch. @param digits of the fraction: 6 or 9.
 */
export function formatTime(ns: bigint, digits: number): string {
  const second = ns / NS_PER_SECOND;
  if (second !== lastSecond) {
    lastSecond = second;
    lastText = new Date(Number(second) * 1000).toISOString().slice(0, 19);
  }
  const fraction = String(ns - second * NS_PER_SECOND).padStart(9, '0');
  return `${lastText}.${fraction.slice(0, digits)}Z`;
}

/** Seconds since a beginning, with six digits: `2.500000`. */
export function formatOffset(ns: bigint): string {
  const sign = ns < 0n ? '-' : '';
  const positive = ns < 0n ? -ns : ns;
  const micros = String((positive % NS_PER_SECOND) / 1000n).padStart(6, '0');
  return `${sign}${positive / NS_PER_SECOND}.${micros}`;
}

const NS_PER_SECOND = 1_000_000_000n;
// Messages of one second come together: its text is made once.
let lastSecond = -1n;
let lastText = '';
