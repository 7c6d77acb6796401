import { describe, expect, it } from 'vitest';
import { CONNECTION, originOf } from '../../../test/kit/http1-kit.js';
import type { Origin } from '../../core/origin.js';
import { Liveness } from './liveness.js';

const at = (seconds: number): Origin => ({ ...originOf(1), time: BigInt(seconds * 1000) * 1_000_000n });

/** A connection on which both sides spoke at the start. */
function opened(captured?: { readonly isBothWays: boolean }): Liveness {
  const liveness = new Liveness({ ...CONNECTION, ...(captured === undefined ? null : { captured }) }, true);
  liveness.heard('client', at(0));
  liveness.heard('server', at(0));
  return liveness;
}

const told = (liveness: Liveness, seconds: number): string[] =>
  liveness.ended(at(seconds)).map(({ code, detail }) => `${code}: ${detail}`);

describe('a flow-control window', () => {
  const FULL =
    "http2.window-full: the client's flow-control window of 66 kB was full for 8.0 s: the client took nothing from the server";

  it('is full where nothing of it is left', () => {
    const liveness = opened();
    liveness.sent('server', 1, 65_535, at(2));
    expect(told(liveness, 10)).toEqual([FULL]);
  });

  it('is unknown once more was sent than it has: a WINDOW_UPDATE was missed (RFC 9113, section 6.9.1)', () => {
    for (const [first, second] of [
      [65_535, 1],
      [65_000, 536],
    ]) {
      const liveness = opened();
      liveness.sent('server', 1, first, at(2));
      liveness.sent('server', 1, second, at(3));
      expect(liveness.granted('client', 1, 100_000)).toBeNull();
      expect(told(liveness, 10)).toEqual([]);
    }
  });

  it('has room for frames without bytes, even if it is full', () => {
    const liveness = opened();
    liveness.sent('server', 1, 65_535, at(2));
    liveness.sent('server', 1, 0, at(3));
    expect(told(liveness, 10)).toEqual([FULL]);
  });
});

it('a capture of one direction shows no PING without an answer, no silence, no full window', () => {
  const waiting = (captured?: { readonly isBothWays: boolean }): Liveness => {
    const liveness = opened(captured);
    liveness.ping('client', false, at(1));
    liveness.sent('server', 1, 65_535, at(1));
    return liveness;
  };
  expect(told(waiting(), 10)).toHaveLength(2);
  expect(told(waiting({ isBothWays: true }), 10)).toHaveLength(2);
  expect(told(waiting({ isBothWays: false }), 10)).toEqual([]);
});
