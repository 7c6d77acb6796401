import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode } from './decode.js';
import { Table } from './table.js';
import { etcdTable } from './tables.js';

const TABLE = new Table(
  JSON.stringify({
    'a.All': {
      text: [1, 'string'],
      data: [2, 'bytes'],
      int: [3, 'int32'],
      long: [4, 'int64'],
      unsigned: [5, 'uint64'],
      yes: [6, 'bool'],
      real: [7, 'double'],
      color: [8, 'a.Color'],
      inner: [9, 'a.All'],
      ints: [10, 'int64', 'repeated'],
      texts: [11, 'string', 'repeated'],
      colors: [12, 'a.Color', 'repeated'],
      map: [13, 'string', 'map'],
      inners: [14, 'a.All', 'map'],
      reals: [15, 'double', 'repeated'],
      small: [16, 'uint32'],
    },
    enums: { 'a.Color': { RED: 0, BLUE: 1 } },
  }),
);

function read(text: string, depthLimit?: number) {
  const bytes = new Uint8Array(Buffer.from(text.replaceAll(' ', ''), 'hex'));
  return decode(TABLE, 'a.All', bytes, depthLimit === undefined ? {} : { depthLimit });
}

describe('decode', () => {
  it.each([
    ['a string', '0a 02 68 69', { text: 'hi' }],
    ['bytes', '12 02 00 ff', { data: Uint8Array.of(0, 255) }],
    ['a negative int32 in ten bytes', '18 ff ff ff ff ff ff ff ff ff 01', { int: -1 }],
    ['an int64', '20 80 80 80 80 20', { long: 2 ** 33 }],
    ['a uint64 beyond 2^53', '28 ff ff ff ff ff ff ff ff ff 01', { unsigned: '18446744073709551615' }],
    ['a bool', '30 01', { yes: true }],
    ['a double', '39 00 00 00 00 00 00 f8 3f', { real: 1.5 }],
    ['a uint32', '80 01 ff ff ff ff 0f', { small: 4294967295 }],
    ['an enum value', '40 01', { color: 'BLUE' }],
    ['an enum value without a name', '40 07', { color: 7 }],
    ['the last of several', '18 01 18 02', { int: 2 }],
    ['messages merged', '4a 02 18 01 4a 03 0a 01 61', { inner: { int: 1, text: 'a' } }],
    ['numbers one by one', '50 01 50 02', { ints: [1, 2] }],
    ['numbers packed', '52 03 01 80 01', { ints: [1, 128] }],
    ['both in one', '50 01 52 02 02 03', { ints: [1, 2, 3] }],
    ['enum values packed', '62 02 01 00', { colors: ['BLUE', 'RED'] }],
    ['doubles packed', '7a 08 00 00 00 00 00 00 f8 3f', { reals: [1.5] }],
    ['strings', '5a 01 61 5a 00', { texts: ['a', ''] }],
    ['a map', '6a 06 0a 01 6b 12 01 76', { map: { k: 'v' } }],
    ['a map entry without its value', '6a 03 0a 01 6b', { map: { k: '' } }],
    ['a map entry without its key', '6a 03 12 01 76', { map: { '': 'v' } }],
    ['a map of messages', '72 07 0a 01 6b 12 02 18 05', { inners: { k: { int: 5 } } }],
  ])('reads %s', (_, bytes, value) => {
    expect(read(bytes)).toEqual({ value, complete: true, unknownFields: 0, fault: null });
  });

  it('sets a key named __proto__ like any other', () => {
    const { value } = read('6a 0e 0a 09 5f 5f 70 72 6f 74 6f 5f 5f 12 01 76');
    expect(Object.keys(value['map'] as object)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(value['map'])).toBe(Object.prototype);
  });

  it('counts fields that the table does not have, or has with another type', () => {
    const value = { int: 7, $unknownFields: 2 };
    expect(read('a0 06 01 08 05 18 07')).toEqual({ value, complete: true, unknownFields: 2, fault: null });
  });

  it('returns the readable part of a cut message', () => {
    expect(read('18 07 0a 05 68 69')).toEqual({
      value: { int: 7, text: 'hi' },
      complete: false,
      unknownFields: 0,
      fault: 'truncated',
    });
  });

  it('reports an unknown message', () => {
    expect(decode(TABLE, 'a.None', new Uint8Array(0)).fault).toBe('unknown-message');
    expect(decode(TABLE, 'enums', new Uint8Array(0)).fault).toBe('unknown-message');
  });

  it('stops at the depth limit', () => {
    expect(read('4a 04 4a 02 18 01', 3).value).toEqual({ inner: { inner: { int: 1 } } });
    expect(read('4a 04 4a 02 18 01', 2)).toMatchObject({ value: { inner: { inner: {} } }, fault: 'too-deep' });
    let nested = new Uint8Array(0);
    for (let i = 0; i < 2000; i++) nested = Uint8Array.from([0x4a, ...lengthOf(nested.length), ...nested]);
    expect(decode(TABLE, 'a.All', nested).fault).toBe('too-deep');
  });

  it('stops at the limit of values: a bomb of empty messages', () => {
    const bomb = new Uint8Array(8_000_000);
    for (let i = 0; i < bomb.length; i += 2) bomb[i] = 0x5a;
    const read = decode(TABLE, 'a.All', bomb);
    expect([read.fault, (read.value['texts'] as unknown[]).length]).toEqual(['too-many-values', 2_000_000]);
    expect(
      decode(TABLE, 'a.All', Uint8Array.from([0x52, ...lengthOf(3_000_000), ...new Uint8Array(3_000_000)])).fault,
    ).toBe('too-many-values');
  });

  it('never throws, and reports a fault unless it read everything', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        const read = decode(TABLE, 'a.All', bytes);
        return read.complete === (read.fault === null);
      }),
      { numRuns: 10_000 },
    );
  });

  it('reads an etcd transaction as etcd writes it', () => {
    // TxnRequest {compare: [{result: EQUAL, target: MOD, key: "/k", mod_revision: 5}],
    //   success: [{request_put: {key: "/k", value: "v", lease: 2^60}}]}
    const compare = '10 02 1a 02 2f 6b 30 05';
    const put = '0a 02 2f 6b 12 01 76 18 80 80 80 80 80 80 80 80 10';
    const txn = `0a 08 ${compare} 12 13 12 11 ${put}`;
    const bytes = new Uint8Array(Buffer.from(txn.replaceAll(' ', ''), 'hex'));
    const { value, complete } = decode(etcdTable(), 'etcdserverpb.TxnRequest', bytes);
    const key = Buffer.from('/k');
    expect(complete).toBe(true);
    expect(JSON.parse(JSON.stringify(value, texts))).toEqual({
      compare: [{ target: 'MOD', key: key.toString(), mod_revision: 5 }],
      success: [{ request_put: { key: '/k', value: 'v', lease: '1152921504606846976' } }],
    });
  });
});

function texts(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString() : value;
}

function lengthOf(length: number): number[] {
  const bytes: number[] = [];
  for (let rest = length; ; rest >>>= 7) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest & 127) | 128);
  }
}
