import fc from 'fast-check';
import { expect, it } from 'vitest';
import { measured } from '../../../test/kit/measured.js';
import { LINEAR, powerOf } from '../../../test/kit/powers.js';
import { Fifo } from './fifo.js';

it('behaves like an array', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('push' as const), n: fc.nat(200) }),
    fc.record({ kind: fc.constant('take' as const), n: fc.nat(200) }),
    fc.record({ kind: fc.constant('shift' as const), n: fc.nat(200) }),
    fc.record({ kind: fc.constant('insert' as const), n: fc.nat(200) }),
  );
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const fifo = new Fifo<number>();
      const model: number[] = [];
      let next = 0;
      for (const { kind, n } of steps) {
        if (kind === 'take') {
          const count = Math.min(n, model.length);
          expect(fifo.take(count)).toEqual(model.splice(0, count));
        } else if (kind === 'shift') {
          for (let i = Math.min(n, model.length); i > 0; i--) expect(fifo.shift()).toBe(model.shift());
        } else if (kind === 'insert') {
          const place = Math.min(n, model.length);
          fifo.insert(place, next);
          model.splice(place, 0, next++);
        } else {
          for (let i = 0; i < n; i++, next++) {
            fifo.push(next);
            model.push(next);
          }
        }
        expect(fifo.length).toBe(model.length);
        expect(model.map((_, i) => fifo.at(i))).toEqual(model);
      }
    }),
  );
});

measured('a long queue moves each item only once', () => {
  const pass = (n: number) => {
    const fifo = new Fifo<number>();
    for (let i = 0; i < n; i++) fifo.push(i);
    for (let i = 0; i < n; i++) {
      fifo.push(i);
      fifo.take(1);
    }
  };
  expect(powerOf(pass, 25_000)).toBeLessThan(LINEAR);
});
