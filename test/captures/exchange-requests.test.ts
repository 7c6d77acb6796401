import { expect, it } from 'vitest';
import { indexMessages } from '../../src/index.js';
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
