import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InterfaceClock } from './clock.js';

describe('InterfaceClock', () => {
  it.each([
    ['seconds', 0, 1_700_000_000n, 1_700_000_000_000_000_000n],
    ['microseconds', 6, 1_700_000_000_000_001n, 1_700_000_000_000_001_000n],
    ['nanoseconds', 9, 1_700_000_000_000_000_001n, 1_700_000_000_000_000_001n],
    ['picoseconds, rounded down', 12, 1_999_999n, 1999n],
    ['halves of a second', 0x81, 3n, 1_500_000_000n],
    ['2^-32 seconds (NTP)', 0xa0, (5n << 32n) | 0x80000000n, 5_500_000_000n],
  ])('%s', (_name, resolution, ticks, time) => {
    expect(at(new InterfaceClock(resolution, 0n), ticks)).toBe(time);
  });

  it('adds the offset', () => {
    expect(at(new InterfaceClock(6, 10n), 1n)).toBe(10_000_001_000n);
    expect(at(new InterfaceClock(6, -1n), 2_000_000n)).toBe(1_000_000_000n);
  });

  it('is fine beyond microseconds', () => {
    expect([6, 7, 0x80 | 20, 0x80 | 21].map((r) => new InterfaceClock(r, 0n).fine)).toEqual([false, true, false, true]);
  });

  it('stays within 63 bits and never below 0, for any resolution, offset and count', () => {
    const word = fc.integer({ min: 0, max: 0xffffffff });
    fc.assert(
      fc.property(
        fc.nat(255),
        fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n }),
        word,
        word,
        (r, offset, h, l) => {
          const time = new InterfaceClock(r, offset).time(h, l);
          return time >= 0n && time < 1n << 63n;
        },
      ),
    );
  });
});

function at(clock: InterfaceClock, ticks: bigint): bigint {
  return clock.time(Number(ticks >> 32n), Number(ticks & 0xffffffffn));
}
