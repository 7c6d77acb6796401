import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareOrigins, type Origin } from '../origin.js';
import { ReorderBuffer } from './reorder.js';

const at = (time: number, capture = 0, frame = 1): { at: Origin } => ({ at: { capture, frame, time: BigInt(time) } });

it('orders by time, then capture, then frame, then arrival', () => {
  const buffer = new ReorderBuffer<{ at: Origin; name?: string }>();
  for (const one of [at(5), at(3, 1), at(3, 0, 2), at(3, 0, 1), { ...at(4), name: 'x' }, { ...at(4), name: 'y' }])
    buffer.push(one);
  const out = buffer.releaseAll();
  expect(out.map((one) => [Number(one.at.time), one.at.capture, one.at.frame, one.name])).toEqual([
    [3, 0, 1, undefined],
    [3, 0, 2, undefined],
    [3, 1, 1, undefined],
    [4, 0, 1, 'x'],
    [4, 0, 1, 'y'],
    [5, 0, 1, undefined],
  ]);
});

it('orders by the given key, if there is one', () => {
  const buffer = new ReorderBuffer<{ at: Origin }>();
  const [first, back, between] = [at(50, 0, 1), at(20, 0, 2), at(30, 0, 9)];
  buffer.push(first);
  buffer.push(back, { ...back.at, time: 50n });
  buffer.push(between);
  expect(buffer.quietUntil).toBe(30n);
  expect(release(buffer, 50n)).toEqual([between]);
  expect(buffer.releaseAll()).toEqual([first, back]);
});

it('releases only what is older', () => {
  const buffer = new ReorderBuffer<{ at: Origin }>();
  for (const time of [1, 2, 3]) buffer.push(at(time));
  expect(buffer.quietUntil).toBe(1n);
  expect(release(buffer, 1n)).toHaveLength(0);
  expect(release(buffer, 3n)).toHaveLength(2);
  expect(release(buffer, 3n)).toHaveLength(0);
  expect(buffer.releaseAll()).toHaveLength(1);
});

it('holds no more than 20,000', () => {
  const buffer = new ReorderBuffer<{ at: Origin }>();
  for (let i = 0; i < 20_003; i++) buffer.push(at(i));
  expect(buffer.quietUntil).toBeLessThan(0n);
  expect(release(buffer, 0n).map((one) => one.at.time)).toEqual([0n, 1n, 2n]);
  expect(buffer.quietUntil).toBe(3n);
});

it('sorts any order within the window and loses nothing', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 200 }), (times) => {
      const buffer = new ReorderBuffer<{ at: Origin }>();
      const out: { at: Origin }[] = [];
      times.forEach((jitter, i) => {
        buffer.push(at(i * 10 + jitter, 0, i));
        out.push(...release(buffer, BigInt(i * 10 - 50)));
      });
      out.push(...buffer.releaseAll());
      expect(out).toHaveLength(times.length);
      expect(out.every((one, i) => i === 0 || compareOrigins(out[i - 1].at, one.at) <= 0)).toBe(true);
    }),
  );
});

function release<T extends { readonly at: Origin }>(buffer: ReorderBuffer<T>, time: bigint): T[] {
  const out: T[] = [];
  for (let one = buffer.next(time); one !== undefined; one = buffer.next(time)) out.push(one);
  return out;
}
