import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../../http/exchange-event.js';
import { safeReason } from './rpc-labels.js';

const failed = (why: string): Exchange =>
  ({ response: null, trailers: ['grpc-status', '2', 'grpc-message', why] }) as unknown as Exchange;
const UNKNOWN = 2;
const NOT_FOUND = 5;
const UNAVAILABLE = 14;

describe('why a call failed', () => {
  it('is shown where it names what is missing, percent-decoded', () => {
    expect(safeReason(failed('no sandbox %22a39a%22'), NOT_FOUND, false)).toBe('no sandbox "a39a"');
    expect(safeReason(failed('no sandbox %zz'), NOT_FOUND, false)).toBe('no sandbox %zz');
  });

  it('is not shown where it may repeat the request, unless its caller does so', () => {
    expect(safeReason(failed('invalid value swordfish'), UNKNOWN, false)).toBeUndefined();
    expect(safeReason(failed('failed to setup network'), UNKNOWN, true)).toBe('failed to setup network');
  });

  it("is shown in etcd's own words, which are constants", () => {
    for (const why of [
      'etcdserver: leader changed',
      'etcdserver: request timed out, possibly due to previous leader failure',
      'etcdserver: mvcc: required revision has been compacted',
    ])
      expect(safeReason(failed(why), UNAVAILABLE, false)).toBe(why);
    expect(safeReason(failed('etcdserver: key "swordfish"'), UNAVAILABLE, false)).toBeUndefined();
    expect(safeReason(failed(''), NOT_FOUND, true)).toBeUndefined();
  });
});
