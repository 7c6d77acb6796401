// Reads the times of saved lines, RFC 3339 in UTC with six or nine digits, as docs/messages.md has them.

/** @returns ns since the epoch; null: the value is no such time. */
export function timeOf(value: unknown): bigint | null {
  if (typeof value !== 'string') return null;
  const match = TIME.exec(value);
  if (match === null) return null;
  const second = nsOf(match[1]);
  return second === null ? null : second + BigInt(match[2].padEnd(9, '0'));
}

/** @param time that `timeOf` takes. */
export function digitsOf(time: string): 6 | 9 {
  return time.length === MICRO_LENGTH ? 6 : 9;
}

/** @param second `2026-11-21T04:13:27`. */
function nsOf(second: string): bigint | null {
  if (second !== lastSecond) {
    const ms = Date.parse(`${second}Z`);
    if (Number.isNaN(ms)) return null;
    lastSecond = second;
    lastNs = BigInt(ms) * 1_000_000n;
  }
  return lastNs;
}

const TIME = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})\.(\d{6}|\d{9})Z$/;
const MICRO_LENGTH = '2026-11-21T04:13:27.123456Z'.length;
let lastSecond = '';
let lastNs = 0n;
