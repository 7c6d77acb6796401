import { expect, it } from 'vitest';
import { APISERVER, exchanged, KUBECTL, message, REPLICASETS } from '../../../test/messages.js';
import type { Message, Participant } from '../../kubernetes/messages/message.js';
import { indexMessages } from '../message-index.js';
import type { Dispositions } from '../selection/follow.js';
import { FOLDED_READS_BEFORE_WRITES, foldReadsBeforeWrites } from './reads-before-writes.js';

const ONE = { resource: 'flunders', namespace: 'default', name: 'one' } as const;
const AGGREGATED: Participant = { ...APISERVER, id: 99, name: 'aggregated-apiserver' };

/** Asked by `from`, and handed on to who serves it. */
function handedOn(from: Participant, verb: string): Message[] {
  const [request, response] = exchanged({ ...ONE, from, verb });
  const hop = message({ ...ONE, verb, from: APISERVER, to: AGGREGATED, causedBy: request.seq });
  return [
    request,
    hop,
    message({
      kind: 'response',
      from: AGGREGATED,
      to: APISERVER,
      exchange: hop.exchange,
      status: 200,
      causedBy: hop.seq,
    }),
    response,
  ];
}

function fold(messages: Message[]): (string | null | undefined)[] {
  const fates: Dispositions = new Map(messages.map((one) => [one, null]));
  foldReadsBeforeWrites(indexMessages(messages), fates);
  return messages.map((one) => fates.get(one));
}

it("a program's read just before it writes is folded", () => {
  const [look, change] = ['get', 'patch'].map((verb) => exchanged({ ...ONE, from: REPLICASETS, verb }));
  expect(fold([...look, ...change])).toEqual([FOLDED_READS_BEFORE_WRITES, FOLDED_READS_BEFORE_WRITES, null, null]);
});

it('what is handed on for somebody else is folded with what was asked, and stays with it', () => {
  const all = (from: Participant): Message[] => [...handedOn(from, 'get'), ...handedOn(from, 'patch')];
  expect(fold(all(KUBECTL)).every((fate) => fate === null)).toBe(true);
  expect(fold(all(REPLICASETS))).toEqual([...Array(4).fill(FOLDED_READS_BEFORE_WRITES), ...Array(4).fill(null)]);
});
