import { expect, it } from 'vitest';
import { BoundedMap, BoundedSet, RecentMap } from './bounded.js';

it('BoundedMap has at most so many entries, and is emptied before a further one', () => {
  const map = new BoundedMap<string, number>(3);
  for (const [i, key] of ['a', 'b', 'c'].entries()) map.set(key, i);
  expect([...map]).toEqual([
    ['a', 0],
    ['b', 1],
    ['c', 2],
  ]);
  map.set('a', 4);
  expect(map.size).toBe(3);
  map.set('d', 3);
  expect([...map]).toEqual([['d', 3]]);
});

it('BoundedSet is emptied before a further value', () => {
  const set = new BoundedSet<string>(2).add('a').add('b').add('a');
  expect([...set]).toEqual(['a', 'b']);
  expect([...set.add('c')]).toEqual(['c']);
});

it('RecentMap drops its oldest entry for a further one', () => {
  const map = new RecentMap<string, number>(2).set('a', 0).set('b', 1).set('a', 2);
  expect([...map.set('c', 3)]).toEqual([
    ['b', 1],
    ['c', 3],
  ]);
});
