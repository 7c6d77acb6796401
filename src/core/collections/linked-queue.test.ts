import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Linked, LinkedQueue } from './linked-queue.js';

class Member implements Linked<Member> {
  queue: LinkedQueue<Member> | null = null;
  previous: Member | null = null;
  next: Member | null = null;

  constructor(readonly id: number) {}
}

it('removes members from anywhere; each is in one queue at a time', () => {
  const step = fc.record({ queue: fc.nat(1), leaves: fc.boolean(), who: fc.nat(9) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const all = Array.from({ length: 10 }, (_, id) => new Member(id));
      const queues = [new LinkedQueue<Member>(), new LinkedQueue<Member>()];
      const models: Member[][] = [[], []];
      for (const { queue, leaves, who } of steps) {
        const one = all[who];
        if (leaves) {
          queues[queue].delete(one);
          models[queue] = models[queue].filter((other) => other !== one);
        } else {
          queues[queue].add(one);
          for (const i of [0, 1]) models[i] = models[i].filter((other) => other !== one);
          models[queue].push(one);
        }
        for (const i of [0, 1]) {
          expect([...queues[i]].map(({ id }) => id)).toEqual(models[i].map(({ id }) => id));
          expect(queues[i].size).toBe(models[i].length);
          expect(queues[i].first).toBe(models[i][0] ?? null);
        }
      }
    }),
  );
});
