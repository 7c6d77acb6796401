import { expect, it } from 'vitest';
import type { ExchangeContext } from '../messages/exchange-context.js';
import type { Participant } from '../messages/message.js';
import { OpenRequests } from './open-requests.js';

const KEY = 'pods. default web';

function server(id: number): Participant {
  const participant = { id } as { id: number; process?: unknown };
  participant.process = participant;
  return participant as Participant;
}

const A = server(1);
const B = server(2);
const exchangeOf = (to: Participant): ExchangeContext => ({ server: to }) as unknown as ExchangeContext;

it('gives an API server its own open request for an object, before those of other API servers', () => {
  const requests = new OpenRequests();
  requests.opened(exchangeOf(A), KEY, 1, false);
  requests.opened(exchangeOf(B), KEY, 2, false);
  expect(requests.reader(KEY, B)).toMatchObject({ request: { seq: 2 }, isOnly: true });
  expect(requests.reader('pods. default other', B)).toBeUndefined();
});

it('gives an API server that has none those of others: it may be one of these under another address', () => {
  const requests = new OpenRequests();
  requests.opened(exchangeOf(A), KEY, 1, true);
  expect(requests.reader(KEY, B)?.request.seq).toBe(1);
  expect(requests.writer(KEY, B)?.request.seq).toBe(1);
});

it('gives each of several readers one request, the oldest first, and reports that it is not the only one', () => {
  const requests = new OpenRequests();
  for (const seq of [1, 2]) requests.opened(exchangeOf(A), KEY, seq, false);
  expect(requests.reader(KEY, A)).toMatchObject({ request: { seq: 1 }, isOnly: false });
  expect(requests.reader(KEY, A)).toMatchObject({ request: { seq: 2 }, isOnly: false });
});

it('gives further reads the last request: GuaranteedUpdate reads again after a conflict (storage/etcd3/store.go)', () => {
  const requests = new OpenRequests();
  for (const seq of [1, 2]) requests.opened(exchangeOf(A), KEY, seq, true);
  expect([1, 2, 3].map(() => requests.reader(KEY, A)?.request.seq)).toEqual([1, 2, 2]);
});

it('gives a writer only where one request can change the object', () => {
  const requests = new OpenRequests();
  requests.opened(exchangeOf(A), KEY, 1, false);
  expect(requests.writer(KEY, A)).toBeUndefined();
  requests.opened(exchangeOf(A), KEY, 2, true);
  expect(requests.writer(KEY, A)?.request.seq).toBe(2);
  requests.opened(exchangeOf(A), KEY, 3, true);
  expect(requests.writer(KEY, A)).toBeUndefined();
});

it('forgets a request with its response, or with the end of its exchange', () => {
  const requests = new OpenRequests();
  const exchange = exchangeOf(A);
  requests.opened(exchange, KEY, 1, true);
  requests.closed(exchange);
  requests.closed(exchange);
  expect(requests.reader(KEY, A)).toBeUndefined();
});

it('finds no writer, and no reader that is the only one, while more than 64 requests for an object are open', () => {
  const requests = new OpenRequests();
  const exchanges = Array.from({ length: 65 }, () => exchangeOf(A));
  for (const [at, exchange] of exchanges.entries()) requests.opened(exchange, KEY, at + 1, true);
  for (const exchange of exchanges.slice(1, 64)) requests.closed(exchange);
  expect(requests.writer(KEY, A)).toBeUndefined();
  expect(requests.reader(KEY, A)).toMatchObject({ request: { seq: 1 }, isOnly: false });
  requests.closed(exchanges[64]);
  expect(requests.writer(KEY, A)).toMatchObject({ request: { seq: 1 }, isOnly: true });
});

it('forgets the object whose requests are open the longest beyond 10,000 objects', () => {
  const requests = new OpenRequests();
  const keyOf = (at: number): string => `pods. default web-${at}`;
  const first = exchangeOf(A);
  requests.opened(first, keyOf(0), 1, true);
  for (let at = 1; at <= 10_000; at += 1) requests.opened(exchangeOf(A), keyOf(at), at + 1, true);
  expect(requests.reader(keyOf(0), A)).toBeUndefined();
  expect(requests.reader(keyOf(1), A)?.request.seq).toBe(2);
  // A later request for that object is its only one.
  requests.opened(exchangeOf(A), keyOf(0), 20_000, true);
  requests.closed(first);
  expect(requests.writer(keyOf(0), A)?.request.seq).toBe(20_000);
});
