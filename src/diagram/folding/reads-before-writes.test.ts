import { expect, it } from 'vitest';
import { APISERVER, exchanged, KUBECTL, message, REPLICASETS } from '../../../test/kit/messages.js';
import type { Message, Participant } from '../../kubernetes/messages/message.js';
import type { Dispositions } from '../disposition.js';
import { indexMessages } from '../message-index.js';
import { foldReadsBeforeWrites } from './fold-exchange.js';

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

function fold(messages: Message[]): (string | undefined)[] {
  const dispositions: Dispositions = new Map(messages.map((one) => [one, 'drawn']));
  foldReadsBeforeWrites(indexMessages(messages), dispositions);
  return messages.map((one) => dispositions.get(one));
}

it("a program's read just before it writes is folded", () => {
  const [look, change] = ['get', 'patch'].map((verb) => exchanged({ ...ONE, from: REPLICASETS, verb }));
  expect(fold([...look, ...change])).toEqual(['reads-before-writes', 'reads-before-writes', 'drawn', 'drawn']);
});

it('a forwarded request is folded with the original, and stays with it', () => {
  const all = (from: Participant): Message[] => [...handedOn(from, 'get'), ...handedOn(from, 'patch')];
  expect(fold(all(KUBECTL)).every((disposition) => disposition === 'drawn')).toBe(true);
  expect(fold(all(REPLICASETS))).toEqual([...Array(4).fill('reads-before-writes'), ...Array(4).fill('drawn')]);
});
