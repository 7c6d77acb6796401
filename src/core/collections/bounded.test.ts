import { expect, it } from 'vitest';
import { BoundedMap, BoundedSet, CACHE, keptBy, RecentMap } from './bounded.js';

it('BoundedMap has at most so many entries, and is emptied before a further one', () => {
  const map = new BoundedMap<string, number>(3, CACHE);
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
  const set = new BoundedSet<string>(2, CACHE).add('a').add('b').add('a');
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

it('what has a name is reported to the keeper under which it was made, each time that it forgets', () => {
  const told: string[] = [];
  const keeper = { forgot: (what: string, limit: number) => told.push(`${what} ${limit}`) };
  const [users, cache] = keptBy(keeper, () => [new BoundedSet(2, 'users'), new BoundedSet(2, CACHE)]);
  const alone = new BoundedMap<number, number>(1, 'alone');
  for (let i = 0; i < 5; i++) {
    users.add(i);
    cache.add(i);
    alone.set(i, i);
  }
  expect(told).toEqual(['users 2', 'users 2']);
  const lowered = keptBy({ ...keeper, limitOf: () => 1 }, () => new BoundedMap<number, number>(100, 'few'));
  lowered.set(1, 1).set(2, 2);
  expect([lowered.size, told.at(-1)]).toEqual([1, 'few 1']);
});
