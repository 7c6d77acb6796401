import { expect, it } from 'vitest';
import { HoldQueue } from './message-emitter.js';

it('lets pass what waits for nothing', () => {
  const queue = new HoldQueue<string>();
  queue.push('a', 0n, null);
  queue.push('b', 0n, null);
  expect(queue.release(0n)).toEqual(['a', 'b']);
  expect(queue.release(0n)).toEqual([]);
});

it('keeps the order behind one that waits, until it is settled', () => {
  const queue = new HoldQueue<string>();
  let settled = false;
  queue.push('a', 100n, () => settled);
  queue.push('b', 0n, null);
  expect(queue.release(10n)).toEqual([]);
  settled = true;
  expect(queue.release(20n)).toEqual(['a', 'b']);
});

it('waits no longer than its limit, and passes that it is final', () => {
  const queue = new HoldQueue<string>();
  const asked: boolean[] = [];
  queue.push('a', 100n, (final) => {
    asked.push(final);
    return false;
  });
  expect(queue.release(99n)).toEqual([]);
  expect(queue.release(100n)).toEqual(['a']);
  expect(asked).toEqual([false, true]);
});

it('holds a bounded number', () => {
  const queue = new HoldQueue<number>();
  queue.push(0, 1n << 62n, () => false);
  for (let i = 1; i <= 10_000; i++) queue.push(i, 0n, null);
  expect(queue.release(0n)).toHaveLength(10_001);
});

it('gives everything at the end', () => {
  const queue = new HoldQueue<string>();
  queue.push('a', 100n, () => false);
  queue.push('b', 0n, null);
  expect(queue.releaseAll()).toEqual(['a', 'b']);
});
