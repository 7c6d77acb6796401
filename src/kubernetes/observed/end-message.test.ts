import { expect, it } from 'vitest';
import type { ExchangeContext } from '../messages/exchange-context.js';
import { cutOf } from './end-message.js';

type Ended = Parameters<typeof cutOf>[0];

/** @param s seconds from the request of a watch to the end of its response. */
function endAfter(s: number, query = '', { stream = 1 as number | null, ...others } = {}, hasFailed = false): unknown {
  const request = { target: `/api/v1/pods?watch=true${query}` };
  const event = {
    exchange: { stream, upgraded: null, request, response: { status: 200 } },
    at: { time: BigInt(s * 1e9) },
    requestSeen: true,
    responseSeen: true,
    isWhole: true,
    ...others,
  };
  const context = { info: { verb: 'watch', watch: true }, requestSeq: 1, requestEnd: 0n, hasFailed };
  return cutOf(event as unknown as Ended, context as unknown as ExchangeContext)?.how;
}

it('a watch that its server ends before its time is told of', () => {
  expect(endAfter(13, '&timeoutSeconds=422')).toBe('END_STREAM');
  expect(endAfter(13, '&timeoutSeconds=422', { stream: null })).toBe('last chunk');
  expect(endAfter(1799, '')).toBe('END_STREAM');
});

it('a watch that ends in its time, after an error, or without its client is not', () => {
  expect(endAfter(422, '&timeoutSeconds=422')).toBeUndefined();
  // k8s.io/apiserver: a timer of 1,800 s and more, unless the client asks for less.
  expect(endAfter(1800, '')).toBeUndefined();
  expect(endAfter(1800, '&timeoutSeconds=0')).toBeUndefined();
  expect(endAfter(0.001, '&timeoutSeconds=422', {}, true)).toBeUndefined();
  expect(endAfter(13, '&timeoutSeconds=422', { isWhole: false } as object)).toBeUndefined();
});
