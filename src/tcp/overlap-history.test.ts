import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RECENT_BYTES, RecentBytes, RingPool } from './overlap-history.js';

const numbers = (from: number, length: number) => Uint8Array.from({ length }, (_, i) => (from + i) * 31);

describe('RecentBytes', () => {
  it('has what was written', () => {
    const recent = new RecentBytes();
    recent.write(0, numbers(0, 100), new RingPool());
    expect(recent.differs(20, numbers(20, 30))).toBe(false);
    expect(recent.differs(20, numbers(21, 30))).toBe(true);
  });

  it('has no opinion on what was not written', () => {
    const recent = new RecentBytes();
    recent.write(50, numbers(50, 10), new RingPool());
    expect(recent.differs(0, numbers(7, 50))).toBe(false);
    expect(recent.differs(60, numbers(7, 50))).toBe(false);
  });

  it('forgets what was before a gap', () => {
    const recent = new RecentBytes();
    const pool = new RingPool();
    recent.write(0, numbers(0, 10), pool);
    recent.write(20, numbers(20, 10), pool);
    expect(recent.differs(0, numbers(7, 10))).toBe(false);
    expect(recent.differs(20, numbers(7, 10))).toBe(true);
  });

  it('keeps the last bytes of a piece larger than itself', () => {
    const recent = new RecentBytes();
    recent.write(0, numbers(0, 3 * RECENT_BYTES + 5), new RingPool());
    const last = 2 * RECENT_BYTES + 5;
    expect(recent.differs(last, numbers(last, RECENT_BYTES))).toBe(false);
    expect(recent.differs(last, numbers(last + 1, 1))).toBe(true);
    expect(recent.differs(0, numbers(1, 100))).toBe(false);
  });

  it('agrees with an array that keeps everything', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 3000 }), { maxLength: 40 }), fc.nat(), (lengths, nat) => {
        const recent = new RecentBytes();
        const pool = new RingPool();
        let to = 0;
        for (const length of lengths) {
          recent.write(to, numbers(to, length), pool);
          to += length;
        }
        const from = Math.max(0, to - RECENT_BYTES);
        expect(recent.differs(from, numbers(from, to - from))).toBe(false);
        const at = from + (nat % Math.max(1, to - from));
        expect(recent.differs(at, numbers(at + 1, 1))).toBe(to > 0);
      }),
    );
  });

  it('gives its memory back, and the pool is bounded', () => {
    const pool = new RingPool();
    const all = Array.from({ length: 2048 }, () => new RecentBytes());
    const bytes = numbers(0, RECENT_BYTES);
    for (const recent of all) recent.write(0, bytes, pool);
    const late = new RecentBytes();
    late.write(0, numbers(0, 100), pool);
    expect(late.differs(0, numbers(1, 100))).toBe(false);
    all[0].release(pool);
    late.write(100, numbers(100, RECENT_BYTES), pool);
    expect(late.differs(200, numbers(1, 100))).toBe(true);
  });
});
