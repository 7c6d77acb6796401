import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Message } from '../../kubernetes/messages/message.js';
import { messageJson } from './message-json.js';

const word = fc.constantFrom('', 'a', 'b', 'ä"\n');
const maybe = fc.option(word, { nil: undefined });
const orNull = fc.option(word, { nil: null });
const requestFields = {
  method: maybe,
  target: maybe,
  userAgent: maybe,
  verb: maybe,
  resource: maybe,
  namespace: maybe,
  name: maybe,
};
const object = fc.oneof(
  fc.record({ kind: word, apiVersion: word, namespace: orNull, name: orNull, uid: orNull, resourceVersion: orNull }),
  fc.record({ kind: word, items: fc.nat(3), resourceVersion: orNull }),
);

/** What a line has of these fields: none that is undefined, and of a request's words only where it asks for something. */
function expected(from: string, to: string, fields: Record<string, unknown>): Record<string, unknown> {
  const isKubernetes = fields['verb'] !== undefined || fields['resource'] !== undefined;
  const left = Object.entries(fields).filter(
    ([name, value]) => value !== undefined && (isKubernetes || (name !== 'namespace' && name !== 'name')),
  );
  return { from, to, ...Object.fromEntries(left) };
}

it('a line holds its own message, whatever was written before', () => {
  const message = fc.record({
    kind: fc.constantFrom('request', 'response', 'event', 'data'),
    protocol: fc.constantFrom('kubernetes', 'http'),
    object: fc.option(object, { nil: undefined }),
    ...requestFields,
  });
  fc.assert(
    fc.property(fc.array(fc.tuple(word, word, message), { maxLength: 30 }), (messages) => {
      for (const [from, to, fields] of messages) {
        const whole = {
          seq: 1,
          time: 0n,
          started: 0n,
          from: { name: from },
          to: { name: to },
          label: 'l',
          exchange: 1,
        };
        const rest = { connection: 'c', stream: null, frames: [1, 2], capture: 0, complete: true };
        const line = messageJson({ ...whole, ...rest, ...fields } as unknown as Message, { digits: () => 6 });
        expect(line).toMatchObject(expected(from, to, fields));
        expect(Object.keys(line).sort()).toEqual(
          [...Object.keys(expected(from, to, fields)), 'seq', 'time', 'label', 'exchange', ...Object.keys(rest)]
            .filter((name) => name !== 'capture')
            .sort(),
        );
      }
    }),
    { numRuns: 300 },
  );
});
