import { expect, it } from 'vitest';
import { indexMessages, type Message } from '../../src/index.js';
import { observeWhole, WITH_CAPTURES } from '../kit/whole-fixtures.js';

it.each(WITH_CAPTURES)('%s: each message has the request of its exchange', async (name) => {
  const { messages } = await observeWhole(name);
  const index = indexMessages(messages);
  const wrong = messages.filter((one) => {
    const { request } = index.exchangeOf(one);
    return (
      one.request !== (one.kind === 'request' || request === undefined || request.seq > one.seq ? undefined : request)
    );
  });
  expect(wrong.map(({ seq, kind, exchange }) => `${seq} ${kind} of ${exchange}`)).toEqual([]);
});

it('copies, as those without bodies, get the copied requests in an index', async () => {
  const { messages } = await observeWhole('run-nginx-http1');
  const copies: Message[] = messages.map((one) => ({ ...one, details: undefined }));
  const index = indexMessages(copies);
  expect(copies.map(({ request }) => request && copies.indexOf(request))).toEqual(
    messages.map(({ request }) => request && messages.indexOf(request)),
  );
  expect(index.exchangeOf(copies[1]).request).toBe(copies[1].request ?? copies[1]);
});
