import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pb } from '../../../../test/kit/protobuf-kit.js';
import { criTable, etcdTable } from '../../../protobuf/tables.js';
import { hasShape } from './shape.js';

const is = (name: string, bytes: Uint8Array): boolean => hasShape(etcdTable(), `etcdserverpb.${name}`, bytes);
const KEY = '/registry/pods/default/nginx';

describe('a message of its type, whole and as its writer would write it', () => {
  it('known fields in order', () => {
    expect(is('RangeRequest', pb([1, KEY], [3, 1]))).toBe(true);
    expect(is('RangeRequest', pb([3, 1], [1, KEY]))).toBe(false);
    expect(is('RangeRequest', pb([1, KEY], [1, KEY]))).toBe(false);
    expect(is('RangeRequest', pb([1, KEY], [99, 1]))).toBe(false);
  });

  it('of the right kinds', () => {
    expect(is('RangeRequest', pb([1, 5]))).toBe(false);
    expect(is('DeleteRangeRequest', pb([1, KEY], [3, 2]))).toBe(false);
    expect(is('HashResponse', pb([1, pb([1, 1], [3, 1])], [2, 0x1_0000_0000]))).toBe(false);
  });

  it('without defaults, but for members of a oneof', () => {
    expect(is('RangeRequest', pb([1, KEY], [3, 0]))).toBe(false);
    expect(is('RangeRequest', pb([1, '']))).toBe(false);
    const compare = pb([2, 2], [3, KEY], [6, 0]);
    expect(is('TxnRequest', pb([1, compare], [2, pb([2, pb([1, KEY], [2, 'v'])])]))).toBe(true);
  });

  it('with what it is nothing without', () => {
    expect(is('RangeResponse', pb([4, 1]))).toBe(false);
    expect(is('WatchRequest', pb())).toBe(false);
    expect(is('WatchRequest', pb([3, '']))).toBe(true);
    expect(is('TxnRequest', pb([2, '']))).toBe(false);
  });

  it('nothing left over, nothing missing', () => {
    const whole = pb([1, KEY], [2, 'v'], [3, 77]);
    expect(is('PutRequest', whole)).toBe(true);
    expect(is('PutRequest', Buffer.concat([whole, Buffer.from([0])]))).toBe(false);
    expect(is('PutRequest', whole.subarray(0, whole.length - 1))).toBe(false);
  });

  it('texts are UTF-8, maps have texts', () => {
    const sandbox = (label: Uint8Array): Buffer => pb([1, pb([6, pb([1, 'a'], [2, label])])]);
    const fits = (bytes: Uint8Array): boolean => hasShape(criTable(), 'runtime.v1.RunPodSandboxRequest', bytes);
    expect(fits(sandbox(Buffer.from('später')))).toBe(true);
    expect(fits(sandbox(Buffer.from([0xc3])))).toBe(false);
    expect(fits(sandbox(Buffer.from([0xff, 0xfe])))).toBe(false);
  });
});

it('nesting has an end', () => {
  let bytes = pb([2, pb([2, pb([1, KEY], [2, 'v'])])]);
  for (let i = 0; i < 200; i++) bytes = pb([2, pb([4, bytes])]);
  expect(is('TxnRequest', bytes)).toBe(false);
});

it('any bytes: an answer, and soon', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(typeof is('TxnRequest', bytes)).toBe('boolean');
      expect(typeof is('WatchResponse', bytes)).toBe('boolean');
    }),
  );
});
