import { expect, it } from 'vitest';
import { LruMap } from './bounded.js';
import { entryOf, SeriesTable } from './series-table.js';

it('a table of series keeps the first keys, and counts how often others were asked for', () => {
  const table = new SeriesTable<string, { count: number }>(2);
  for (const key of ['a', 'b', 'a', 'c', 'b', 'c']) {
    const series = table.of(key, () => ({ count: 0 }));
    if (series !== undefined) series.count += 1;
  }
  expect([...table]).toEqual([
    ['a', { count: 2 }],
    ['b', { count: 2 }],
  ]);
  expect(table.leftOut).toBe(2);
});

it('an entry is made once, in maps of any kind', () => {
  const kept = new LruMap<string, number[]>(10);
  entryOf(kept, 'a', () => []).push(1);
  entryOf(kept, 'a', () => []).push(2);
  expect(kept.get('a')).toEqual([1, 2]);
});
