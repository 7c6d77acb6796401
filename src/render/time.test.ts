import { expect, it } from 'vitest';
import { LineBuffer } from './messages/line-buffer.js';
import { formatOffset, formatTime, writeTime } from './time.js';

const SECOND = 1_000_000_000n;

it.each([
  [0n, 6, '1970-01-01T00:00:00.000000Z'],
  [1n, 9, '1970-01-01T00:00:00.000000001Z'],
  [1_792_000_000n * SECOND + 781_628_999n, 6, '2026-10-14T17:46:40.781628Z'],
  [1_792_000_000n * SECOND + 781_628_999n, 9, '2026-10-14T17:46:40.781628999Z'],
  // Back within the second before, and the last nanosecond of one.
  [1_791_999_999n * SECOND + 999_999_999n, 9, '2026-10-14T17:46:39.999999999Z'],
])('%s ns with %i digits', (ns, digits, expected) => {
  const out = new LineBuffer(64);
  writeTime(out, ns, digits);
  expect([formatTime(ns, digits), out.text()]).toEqual([expected, expected]);
});

it.each([
  [2_500_000_000n, '2.500000'],
  [-1_000n, '-0.000001'],
])('offset of %s ns', (ns, expected) => {
  expect(formatOffset(ns)).toBe(expected);
});
