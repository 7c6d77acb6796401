import { describe, expect, it } from 'vitest';
import { StreamTable } from './stream-table.js';

const found = (table: StreamTable, side: 'client' | 'server', id: number, headers = false): boolean =>
  table.find(side, id, headers) !== undefined;

/** Opened and closed again. */
function through(table: StreamTable, ...ids: number[]): StreamTable {
  for (const id of ids) table.remove(table.find('client', id, true)!);
  return table;
}

describe('streams seen from the start', () => {
  it('a request opens one', () => expect(found(new StreamTable(true), 'client', 1, true)).toBe(true));

  it('one that was closed stays closed, even when it is forgotten', () => {
    const table = through(new StreamTable(true), ...Array.from({ length: 1000 }, (_, i) => 2 * i + 1));
    expect([1, 777, 1999].map((id) => found(table, 'server', id))).toEqual([false, false, false]);
  });

  it('one that was skipped was never opened', () => {
    expect(found(through(new StreamTable(true), 1, 9), 'server', 5)).toBe(false);
  });

  it('an answer may be captured before its request', () => {
    const table = through(new StreamTable(true), 1);
    expect(found(table, 'server', 7)).toBe(true);
    expect(table.find('client', 7, true)).toBe(table.find('server', 7, false));
  });
});

describe('streams of a late start', () => {
  it('one below the first that was seen to open may have been open before', () => {
    const table = through(new StreamTable(false), 101);
    expect([found(table, 'server', 5), found(table, 'server', 101)]).toEqual([true, false]);
  });

  it('and is late once it was closed', () => {
    const table = new StreamTable(false);
    table.remove(table.find('server', 5, false)!);
    expect(found(table, 'server', 5)).toBe(false);
  });

  it('after a loss of the client, streams may have opened in it', () => {
    const table = through(new StreamTable(true), 1);
    table.openingsLost();
    through(table, 9);
    expect([1, 5, 9].map((id) => found(table, 'server', id))).toEqual([false, true, false]);
  });
});

describe('resets', () => {
  it('of a stream that is not open leave nothing, and what follows is late', () => {
    const table = new StreamTable(false);
    expect(table.reset('client', 5)).toBeUndefined();
    expect([found(table, 'server', 5), table.size]).toEqual([false, 0]);
  });

  it('of a stream whose request was not captured yet do not keep it from opening', () => {
    const table = new StreamTable(true);
    table.reset('server', 5);
    expect(found(table, 'client', 5, true)).toBe(true);
  });
});

describe('promises', () => {
  it('open a stream once', () => {
    const table = new StreamTable(true);
    expect(table.promise(2)).toBeDefined();
    expect(table.promise(2)).toBeUndefined();
  });
});
