import { expect, it } from 'vitest';
import { keep } from './bounded.js';

it('holds what it may, and begins anew with one more', () => {
  const known = new Map<string, number>();
  for (const [i, key] of ['a', 'b', 'c'].entries()) keep(known, key, i, 3);
  expect([...known]).toEqual([
    ['a', 0],
    ['b', 1],
    ['c', 2],
  ]);
  keep(known, 'a', 4, 3);
  expect(known.size).toBe(3);
  keep(known, 'd', 3, 3);
  expect([...known]).toEqual([['d', 3]]);
});
