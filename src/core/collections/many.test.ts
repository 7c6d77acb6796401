import { describe, expect, it } from 'vitest';
import { append, largestOf, smallestOf } from './many.js';

/** A call with so many arguments throws RangeError. */
const MANY = Array.from({ length: 300_000 }, (_, i) => (i * 7919) % 300_007);

describe('lists of any length', () => {
  it('are added, and have a smallest and a largest number', () => {
    const list = [-1];
    append(list, MANY);
    expect(list.length).toBe(300_001);
    expect(list.slice(0, 3)).toEqual([-1, 0, 7919]);
    const sorted = [...MANY].sort((a, b) => a - b);
    expect([smallestOf(MANY), largestOf(MANY)]).toEqual([sorted[0], sorted[sorted.length - 1]]);
  });

  it('agree with Math on nothing and on no number', () => {
    expect([smallestOf([]), largestOf([])]).toEqual([Math.min(), Math.max()]);
    expect([smallestOf([1, Number.NaN]), largestOf([1, Number.NaN])]).toEqual([Number.NaN, Number.NaN]);
  });
});
