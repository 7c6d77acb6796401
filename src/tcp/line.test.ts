import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Conversation } from './conversation.js';
import { Line } from './line.js';

const ENDPOINT = { address: '192.0.2.1', port: 1 };

function conversation(id: number): Conversation {
  const connection = { id, client: ENDPOINT, server: ENDPOINT, name: `${id}`, roles: 'port' as const };
  return new Conversation(connection, `${id}`, `-${id}`, { capture: 0, frame: 1, time: 0n });
}

it('is a list whose members leave from anywhere, each in one line at a time', () => {
  const step = fc.record({ line: fc.nat(1), leaves: fc.boolean(), who: fc.nat(9) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const all = Array.from({ length: 10 }, (_, id) => conversation(id));
      const lines = [new Line(), new Line()];
      const models: Conversation[][] = [[], []];
      for (const { line, leaves, who } of steps) {
        const one = all[who];
        if (leaves) {
          lines[line].delete(one);
          models[line] = models[line].filter((other) => other !== one);
        } else {
          lines[line].add(one);
          for (const i of [0, 1]) models[i] = models[i].filter((other) => other !== one);
          models[line].push(one);
        }
        for (const i of [0, 1]) {
          expect([...lines[i]].map(({ connection }) => connection.id)).toEqual(
            models[i].map(({ connection }) => connection.id),
          );
          expect(lines[i].size).toBe(models[i].length);
          expect(lines[i].first).toBe(models[i][0] ?? null);
        }
      }
    }),
  );
});
