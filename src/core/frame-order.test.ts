import { describe, expect, it } from 'vitest';
import { CLOCK_STEP_NS, FrameOrder } from './frame-order.js';
import type { Origin } from './origin.js';

const at = (frame: number, time: bigint, capture = 0): Origin => ({ capture, frame, time });

describe('events of one connection', () => {
  const timesInOrder = (...origins: Origin[]): bigint[] => {
    const order = new FrameOrder<object>();
    const connection = {};
    return origins.map((origin) => order.sortKeyOf(connection, origin).time);
  };

  it('keeps its time', () => expect(timesInOrder(at(1, 5n), at(2, 7n), at(2, 7n))).toEqual([5n, 7n, 7n]));

  it('is not before an earlier frame if the clock was set back', () => {
    expect(timesInOrder(at(1, 50n), at(2, 20n), at(3, 30n), at(4, 51n))).toEqual([50n, 50n, 50n, 51n]);
  });

  it('is before a later frame if it is emitted late', () => {
    expect(timesInOrder(at(1, 50n), at(5, 70n), at(3, 60n))).toEqual([50n, 70n, 60n]);
  });

  it('keeps its time if the frames of several queues are not in order', () => {
    // Requests in frames 8 and 9, their responses in 2 and 3: the capture has the server's direction first.
    expect(timesInOrder(at(8, 50n), at(9, 52n), at(2, 60n), at(3, 62n), at(9, 52n))).toEqual([50n, 52n, 60n, 62n, 52n]);
  });

  it('keeps its time if the clock was set back farther, or belongs to another capture', () => {
    expect(timesInOrder(at(1, CLOCK_STEP_NS + 1n), at(2, 0n), at(3, 1n))).toEqual([CLOCK_STEP_NS + 1n, 0n, 1n]);
    expect(timesInOrder(at(1, 50n), at(2, 20n, 1))).toEqual([50n, 20n]);
  });
});

it('connections are independent of each other', () => {
  const order = new FrameOrder<object>();
  order.sortKeyOf({}, at(1, 50n));
  const origin = at(2, 20n);
  expect(order.sortKeyOf({}, origin)).toBe(origin);
});
