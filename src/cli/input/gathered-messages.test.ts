import { expect, it } from 'vitest';
import { exchanged, message } from '../../../test/kit/messages.js';
import type { Message } from '../../index.js';
import { GatheredMessages } from './gathered-messages.js';

/** Each with a body of 100 bytes, whose bytes no part of the message shows. */
const MESSAGES: readonly Message[] = Array.from({ length: 8 }, (_, i) =>
  message({ seq: i + 1, details: { fields: () => [], body: () => 'text' as never, bodyBytes: () => 100 } }),
);

function gathered(options: { readonly whole: boolean; readonly bodies: boolean }, messages: number, bodyBytes: number) {
  const all = new GatheredMessages({}, { ...options, quiet: true, limits: { messages, bodyBytes } });
  for (const one of MESSAGES) all.add(one);
  const notices = all.notices();
  const observation = all.observation(notices, () => true);
  all.close();
  return { ...observation, details: notices.map(({ code, detail }) => `${code}: ${detail}`) };
}

it('a whole diagram holds so many messages, and says how many are not in it', () => {
  const { messages, details } = gathered({ whole: true, bodies: false }, 5, 1e9);
  expect(messages.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
  expect(details).toEqual([
    expect.stringMatching(
      /^limit\.held: the last 3 messages are left out, as a diagram of everything holds 5; --follow/,
    ),
  ]);
});

it('bodies over their limit are left out, and counted', () => {
  const { messages, details } = gathered({ whole: true, bodies: true }, 100, 350);
  expect(messages.map((one) => one.details !== undefined)).toEqual([true, true, true, ...Array(5).fill(false)]);
  expect(details).toEqual([expect.stringMatching(/^limit\.held: 5 bodies are left out/)]);
});

it('a selection with bodies goes on in a spool without them', () => {
  const { messages, details } = gathered({ whole: false, bodies: true }, 5, 1e9);
  expect(messages.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(messages.some((one) => one.details !== undefined)).toBe(false);
  expect(details).toEqual([expect.stringMatching(/^limit\.held: 8 bodies are left out/)]);
});

it('says nothing within its limits', () => {
  for (const whole of [true, false]) expect(gathered({ whole, bodies: true }, 8, 800).details).toEqual([]);
});

it.each([
  ['in memory, some as copies without bodies', { whole: true, bodies: true }, 100, 100],
  ['out of a spool', { whole: false, bodies: true }, 1, 1e9],
])('messages %s have the requests beside them', (_, options, limit, bodyBytes) => {
  const details = { fields: () => [], body: () => 'text' as never, bodyBytes: () => 80 };
  const given = [1, 2, 3].flatMap(() =>
    exchanged({ verb: 'list', resource: 'pods', details }, { status: 200, details }),
  );
  const all = new GatheredMessages({}, { ...options, quiet: true, limits: { messages: limit, bodyBytes } });
  for (const one of given) all.add(one);
  const { messages } = all.observation([], () => true);
  all.close();
  expect(messages.map(({ request }) => request && messages.indexOf(request))).toEqual([
    ...[undefined, 0, undefined, 2, undefined, 4],
  ]);
});
