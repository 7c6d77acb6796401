import { expect, it } from 'vitest';
import type { ExchangeContext } from '../exchange-context.js';
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

it('gives each of several readers one request, the oldest first, and says that it is not the only one', () => {
  const requests = new OpenRequests();
  for (const seq of [1, 2]) requests.opened(exchangeOf(A), KEY, seq, false);
  expect(requests.reader(KEY, A)).toMatchObject({ request: { seq: 1 }, isOnly: false });
  expect(requests.reader(KEY, A)).toMatchObject({ request: { seq: 2 }, isOnly: false });
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
