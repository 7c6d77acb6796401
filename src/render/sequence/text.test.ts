import { expect, it } from 'vitest';
import { exchanged, KUBECTL, known, message, REPLICASETS } from '../../../test/kit/messages.js';
import { buildSequence } from '../../diagram/build.js';
import { renderText } from './text.js';

it('a note on a single participant names it', () => {
  const object = { kind: 'ReplicaSet', namespace: 'default', name: 'web', uid: 'rs', resourceVersion: '7' };
  const [made, answer] = exchanged(
    { from: KUBECTL, verb: 'create', resource: 'replicasets', namespace: 'default', name: 'web' },
    { status: 201, object },
  );
  const delivered = message({
    kind: 'event',
    to: REPLICASETS,
    type: 'ADDED',
    object,
    causedBy: made.seq,
    label: '[RESP-CHUNK] ADDED',
  });
  const acts = exchanged({
    from: REPLICASETS,
    verb: 'create',
    resource: 'pods',
    namespace: 'default',
    causedBy: delivered.seq,
  });
  const text = renderText(buildSequence({ messages: [made, answer, delivered, ...acts], notices: [] }), { first: 0n });
  expect(text).toContain('-- replicaset-controller: watches ReplicaSet\n');
  expect(text).toContain('-- (opened before the capture)\n');
});

it('has no line that grows with hundreds of participants', () => {
  const messages = Array.from({ length: 300 }, (_, i) =>
    exchanged({ from: known.client(`198.51.100.${i}`, `client-${i}/v1`, 1), verb: 'create', resource: 'pods' }),
  ).flat();
  const sequence = buildSequence({ messages, notices: [] }, { all: true });
  expect(sequence.participants.length).toBe(301);
  const lines = renderText(sequence, { first: 0n }).split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(2000);
  const [{ id }] = sequence.participants.filter(({ name }) => name.startsWith('client-299'));
  expect(lines.some((line) => line.includes(`${id} -->`))).toBe(true);
});
