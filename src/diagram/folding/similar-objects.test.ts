import { describe, expect, it } from 'vitest';
import {
  APISERVER,
  exchanged as answered,
  changed,
  KUBECTL,
  message,
  REPLICASETS,
  SCHEDULER,
} from '../../../test/kit/messages.js';
import type { Message, Participant } from '../../kubernetes/messages/message.js';
import type { Dispositions } from '../disposition.js';
import { Chapters } from '../layout/chapters.js';
import { indexMessages } from '../message-index.js';
import { foldOrphanedEvents } from './fold-exchange.js';
import { foldSimilarObjects } from './similar-objects.js';

const OWNERS = [{ kind: 'ReplicaSet', name: 'web', uid: 'rs' }];

function exchanged(from: Participant, label: string, name: string, status = 200): Message[] {
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

function fold(messages: Message[]): { dispositions: Dispositions; titles: string[] } {
  const dispositions: Dispositions = new Map(messages.map((one) => [one, 'drawn']));
  const index = indexMessages(messages);
  const groups = foldSimilarObjects(index, dispositions, new Chapters(index, dispositions));
  if (groups.length > 0) foldOrphanedEvents(index, dispositions, new Set(['similar-objects']));
  return { dispositions, titles: groups.map((group) => group.title) };
}

describe('siblings that go the same way', () => {
  it('are drawn once, with their number and names', () => {
    const messages = [...life('web-a'), ...life('web-b'), ...life('web-c')];
    const { dispositions, titles } = fold(messages);
    expect(messages.map((one) => dispositions.get(one))).toEqual([
      ...Array(6).fill('drawn'),
      ...Array(12).fill('similar-objects'),
    ]);
    expect(titles).toEqual(['3 Pods: web-a, web-b, web-c']);
  });

  it('stay drawn where one of them fails or goes another way', () => {
    const { dispositions, titles } = fold([...life('web-a'), ...life('web-b', 409), ...life('web-c').slice(0, 4)]);
    expect([...dispositions.values()].every((disposition) => disposition === 'drawn')).toBe(true);
    expect(titles).toEqual([]);
  });

  it('stay drawn where they are refused for different reasons, their own names and ids aside', () => {
    const refused = (name: string, statusMessage: string): Message[] =>
      life(name, 409).map((one) => (one.status === 409 ? changed(one, { reason: 'Conflict', statusMessage }) : one));
    const [uidA, uidB] = ['1', '2'].map((digit) => `00000000-0000-4000-8000-${digit.repeat(12)}`);
    const alike = [
      ...refused('web-a', `pods "web-a" has changed: UID in precondition: ${uidA}`),
      ...refused('web-b', `pods "web-b" has changed: UID in precondition: ${uidB}`),
    ];
    expect(fold(alike).titles).toEqual(['2 Pods: web-a, web-b']);
    const unlike = [
      ...refused('web-a', 'pod web-a is being deleted'),
      ...refused('web-b', 'pod web-b is already assigned'),
    ];
    expect(fold(unlike).titles).toEqual([]);
  });

  it('stay drawn where a person is warned of one of them', () => {
    const asked = (name: string, warnings?: string[]): Message[] => [
      ...life(name),
      ...exchanged(KUBECTL, `[REQ] GET pods/${name}`, name).map((one) =>
        one.kind === 'response' ? changed(one, { warnings }) : changed(one, { verb: 'get' }),
      ),
    ];
    expect(fold([...asked('web-a', ['old']), ...asked('web-b', ['old'])]).titles).toEqual(['2 Pods: web-a, web-b']);
    expect(fold([...asked('web-a'), ...asked('web-b', ['old'])]).titles).toEqual([]);
  });

  it('stay drawn where one was made because another was gone', () => {
    const told = (kind: string): Message =>
      message({ kind: 'event', from: APISERVER, to: REPLICASETS, object: { kind, name: 'x', uid: kind } });
    const [wanted, gone] = [told('ReplicaSet'), told('Pod')];
    const made = (name: string, cause: Message): Message[] => {
      const [first, ...rest] = life(name);
      return [{ ...first, causedBy: cause.seq }, ...rest];
    };
    expect(fold([wanted, ...made('web-a', wanted), ...made('web-b', wanted)]).titles).toEqual(['2 Pods: web-a, web-b']);
    expect(fold([wanted, gone, ...made('web-a', wanted), ...made('web-b', gone)]).titles).toEqual([]);
  });

  it('keep the events on which another program acted', () => {
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
    const idle = message({ ...acted, seq: acted.seq + 1000, label: 'idle' });
    const write = message({ from: REPLICASETS, to: APISERVER, verb: 'update', resource: 'replicasets', name: 'web' });
    const written = { ...write, causedBy: acted.seq };
    const binding = messages.find((one) => one.label === '[REQ] POST pods/web-b/binding') as Message;
    const triggered = messages.map((one) => (one === binding ? { ...one, causedBy: idle.seq } : one));
    const { dispositions } = fold([...triggered, acted, idle, written]);
    expect([dispositions.get(acted), dispositions.get(idle), dispositions.get(written)]).toEqual([
      'drawn',
      'similar-objects',
      'drawn',
    ]);
  });

  it('are compared within a chapter: a write of a person between them distinguishes them', () => {
    const first = life('web-a');
    const scale = answered({
      verb: 'patch',
      resource: 'deployments',
      subresource: 'scale',
      name: 'web',
      label: 'scale',
    });
    const { titles } = fold([...first, ...scale, ...life('web-b')]);
    expect(titles).toEqual([]);
  });

  it('share their ends, from the first delete on, whatever their beginnings were', () => {
    const end = (name: string): Message[] =>
      exchanged(REPLICASETS, `[REQ] DELETE pods/${name}`, name).map((one) =>
        one.kind === 'request' ? changed(one, { verb: 'delete' }) : one,
      );
    const rest = (name: string): Message[] => exchanged(SCHEDULER, `[REQ] PATCH pods/${name}/status`, name);
    const { titles } = fold([
      ...life('web-a'),
      ...life('web-b', 409),
      ...end('web-a'),
      ...rest('web-a'),
      ...end('web-b'),
      ...rest('web-b'),
    ]);
    expect(titles).toEqual(['2 Pods: web-a, web-b']);
  });
});
