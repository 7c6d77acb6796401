import { describe, expect, it } from 'vitest';
import { headerTableLine, type ObservedHeaderTable } from '../core/header-table.js';
import { HeaderTableStore } from './header-tables.js';

const [SERVER, CLIENT] = [
  { address: '192.0.2.10', port: 6443 },
  { address: '192.0.2.11', port: 46130 },
];
const BLOCK = Buffer.from('82d8d7bfc0', 'hex');
const TABLE: ObservedHeaderTable = {
  local: SERVER,
  remote: CLIENT,
  length: BLOCK.length,
  start: BLOCK.toString('hex'),
  inserted: 7,
  time: 1_000_000_000_000n,
  entries: [{ number: 7, name: 'a', value: 'b' }],
};

function stored(...changes: Partial<ObservedHeaderTable>[]): HeaderTableStore {
  const store = new HeaderTableStore();
  for (const change of changes) expect(store.add(headerTableLine({ ...TABLE, ...change }))).toBe('table');
  return store;
}

describe('HeaderTableStore', () => {
  it('is looked up by the endpoints of a direction and a block', () => {
    const store = stored({});
    expect(store.at(CLIENT, SERVER, BLOCK, TABLE.time)).toEqual({ inserted: 7, entries: TABLE.entries });
    expect(store.at(SERVER, CLIENT, BLOCK, TABLE.time)).toBeNull();
    expect(store.at({ ...CLIENT, port: 1 }, SERVER, BLOCK, TABLE.time)).toBeNull();
    expect(store.at(CLIENT, SERVER, Buffer.from('82d8d7bfc1', 'hex'), TABLE.time)).toBeNull();
    expect(store.at(CLIENT, SERVER, BLOCK, TABLE.time + 600_000_000n)).toBeNull();
  });

  it('entries of all moments count, also those that came later', () => {
    const later = {
      inserted: 9,
      start: '82',
      length: 1,
      time: TABLE.time + 5n,
      entries: [{ number: 9, name: 'c', value: 'd' }],
    };
    expect(
      stored({}, later)
        .at(CLIENT, SERVER, BLOCK, TABLE.time)
        ?.entries.map(({ number }) => number),
    ).toEqual([7, 9]);
  });

  it('equal blocks with insertions between them are ambiguous', () => {
    expect(stored({}, { time: TABLE.time + 3n }).at(CLIENT, SERVER, BLOCK, TABLE.time)).not.toBeNull();
    expect(stored({}, { time: TABLE.time + 3n, inserted: 8 }).at(CLIENT, SERVER, BLOCK, TABLE.time)).toBeNull();
  });

  it('an entry that differs later invalidates the direction', () => {
    const other = { entries: [{ number: 7, name: 'a', value: 'of another connection' }] };
    expect(stored({}, { ...other, time: TABLE.time + 9n }).at(CLIENT, SERVER, BLOCK, TABLE.time)).toBeNull();
  });

  it('returns the lines of used directions, and no others', () => {
    const store = stored({}, { remote: { ...CLIENT, port: 50000 } });
    store.at(CLIENT, SERVER, BLOCK, TABLE.time);
    expect(store.usedLines()).toEqual([`${headerTableLine(TABLE)}\n`]);
  });
});
