import { describe, expect, it } from 'vitest';
import { APISERVER, message, REPLICASETS, SCHEDULER } from '../../test/messages.js';
import type { Message, Speaker } from '../kubernetes/message.js';
import type { Fates } from './follow.js';
import { index } from './observation.js';
import { FOLDED_SIBLINGS, foldSiblings } from './siblings.js';

const OWNERS = [{ kind: 'ReplicaSet', name: 'web', uid: 'rs' }];

function exchanged(from: Speaker, label: string, name: string, status = 200): Message[] {
  const object = { kind: 'Pod', name, namespace: 'default', uid: `uid-${name}`, owners: OWNERS };
  const request = message({ from, to: APISERVER, verb: 'patch', resource: 'pods', namespace: 'default', name, label });
  return [
    request,
    message({
      kind: 'response',
      from: APISERVER,
      to: from,
      exchange: request.exchange,
      status,
      object,
      label: `[RESP] ${status}`,
    }),
  ];
}

function life(name: string, status = 200): Message[] {
  return [
    ...exchanged(REPLICASETS, '[REQ] POST pods', name, 201),
    ...exchanged(SCHEDULER, `[REQ] POST pods/${name}/binding`, name, 201),
    ...exchanged(SCHEDULER, `[REQ] PATCH pods/${name}/status`, name, status),
  ];
}

function fold(messages: Message[]): { fates: Fates; remarks: string[] } {
  const fates: Fates = new Map(messages.map((one) => [one, null]));
  const remarks = foldSiblings(index(messages), fates);
  return { fates, remarks: [...remarks.values()] };
}

describe('siblings that go the same way', () => {
  it('are drawn once, with their number and names', () => {
    const messages = [...life('web-a'), ...life('web-b'), ...life('web-c')];
    const { fates, remarks } = fold(messages);
    expect(messages.map((one) => fates.get(one))).toEqual([...Array(6).fill(null), ...Array(12).fill(FOLDED_SIBLINGS)]);
    expect(remarks).toEqual(['3 Pods go this way: web-a, web-b, web-c']);
  });

  it('stay drawn where one of them fails or goes another way', () => {
    const { fates, remarks } = fold([...life('web-a'), ...life('web-b', 409), ...life('web-c').slice(0, 4)]);
    expect([...fates.values()].every((fate) => fate === null)).toBe(true);
    expect(remarks).toEqual([]);
  });

  it('keep the events on which somebody else acted', () => {
    const messages = [...life('web-a'), ...life('web-b')];
    const object = { kind: 'Pod', name: 'web-b', namespace: 'default', uid: 'uid-web-b', owners: OWNERS };
    const acted = message({
      kind: 'event',
      from: APISERVER,
      to: REPLICASETS,
      object,
      type: 'MODIFIED',
      label: 'acted on',
    });
    const idle = message({ kind: 'event', from: APISERVER, to: REPLICASETS, object, type: 'MODIFIED', label: 'idle' });
    const write = message({
      from: REPLICASETS,
      to: APISERVER,
      verb: 'update',
      resource: 'replicasets',
      name: 'web',
      causedBy: acted.seq,
    });
    const { fates } = fold([...messages, acted, idle, write]);
    expect([fates.get(acted), fates.get(idle), fates.get(write)]).toEqual([null, FOLDED_SIBLINGS, null]);
  });
});
