import { expect, it } from 'vitest';
import { keep } from './bounded.js';

it('has at most so many entries, and is emptied before a further one', () => {
  const map = new Map<string, number>();
  for (const [i, key] of ['a', 'b', 'c'].entries()) keep(map, key, i, 3);
  expect([...map]).toEqual([
    ['a', 0],
    ['b', 1],
    ['c', 2],
  ]);
  keep(map, 'a', 4, 3);
  expect(map.size).toBe(3);
  keep(map, 'd', 3, 3);
  expect([...map]).toEqual([['d', 3]]);
});
