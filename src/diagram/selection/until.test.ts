// When reading up to a time is over.
import { expect, it } from 'vitest';
import type { Message } from '../../kubernetes/messages/message.js';
import { UntilTracker } from './until.js';

const SECOND = 1_000_000_000n;

function message(kind: Message['kind'], exchange: number, second: number): Message {
  return { kind, exchange, time: BigInt(second) * SECOND } as Message;
}

it('takes what comes in time and ten seconds later, which may show what that belongs to', () => {
  const until = new UntilTracker(10n * SECOND);
  expect([message('request', 1, 1), message('response', 1, 10)].map((one) => until.feed(one))).toEqual([true, true]);
  expect([until.feed(message('request', 2, 20)), until.isOver]).toEqual([true, false]);
  expect([until.feed(message('request', 3, 21)), until.isOver]).toEqual([false, true]);
});

it('waits for the response to a request that came in time', () => {
  const until = new UntilTracker(10n * SECOND);
  until.feed(message('request', 1, 9));
  expect([until.feed(message('event', 7, 25)), until.isOver]).toEqual([true, false]);
  expect([until.feed(message('response', 1, 26)), until.isOver]).toEqual([true, true]);
});

it('does not wait for streams, nor for more than 30 s', () => {
  const streaming = new UntilTracker(10n * SECOND);
  streaming.feed(message('request', 1, 1));
  streaming.feed(message('data', 1, 2));
  streaming.feed(message('event', 9, 21));
  expect(streaming.isOver).toBe(true);
  const silent = new UntilTracker(10n * SECOND);
  silent.feed(message('request', 1, 1));
  silent.feed(message('event', 9, 40));
  expect(silent.isOver).toBe(false);
  silent.feed(message('event', 9, 41));
  expect(silent.isOver).toBe(true);
});
