import { expect, it } from 'vitest';
import { APISERVER, message, SCHEDULER } from '../../../test/kit/messages.js';
import type { Message } from '../../kubernetes/messages/message.js';
import type { Dispositions } from '../disposition.js';
import { Chapters } from '../layout/chapters.js';
import { indexMessages } from '../message-index.js';
import { applyFoldRules, repeatedEvents } from './fold-rules.js';

const WARNING = { type: 'Warning', kind: 'Pod', namespace: 'default', component: 'default-scheduler' };

/** A Pod's uid, and its owner's, as a watch event tells them. */
function pod(name: string, owner: string | null): Message {
  const owners = owner === null ? [] : [{ kind: 'ReplicaSet', name: owner, uid: owner }];
  return message({ kind: 'event', from: APISERVER, to: SCHEDULER, object: { kind: 'Pod', name, uid: name, owners } });
}

function says(name: string, text: string, reason = 'FailedScheduling', status = 201): Message[] {
  const report = { ...WARNING, reason, message: text, name, uid: name };
  const request = message({ from: SCHEDULER, to: APISERVER, verb: 'create', resource: 'events', k8sEvent: report });
  return [request, message({ kind: 'response', from: APISERVER, to: SCHEDULER, exchange: request.exchange, status })];
}

/** What is drawn, and what is said beside it. */
function fold(messages: Message[]): string[] {
  const dispositions: Dispositions = new Map(messages.map((one) => [one, 'drawn']));
  const index = indexMessages(messages);
  const context = { index, chapters: new Chapters(index, dispositions), problems: new Map() };
  const notes = applyFoldRules([repeatedEvents], context, dispositions);
  const drawn = messages.filter((one) => one.kind === 'request' && dispositions.get(one) === 'drawn');
  return drawn.map((one) => `${one.k8sEvent?.name} ${one.k8sEvent?.message}: ${notes.get(one)?.join() ?? ''}`);
}

const three = ['a', 'b', 'c'].map((name) => pod(name, 'web'));

it('Events of similar objects are drawn once, with their names', () => {
  const messages = [...three, ...['a', 'b', 'c'].flatMap((name) => says(name, 'no nodes'))];
  expect(fold(messages)).toEqual(['a no nodes: reported on 3 Pods: a, b, c']);
});

it('a further Event of one of them is drawn again', () => {
  const messages = [...three, ...['a', 'b', 'a', 'b', 'c'].flatMap((name) => says(name, 'no nodes'))];
  expect(fold(messages)).toEqual(['a no nodes: reported on 2 Pods: a, b', 'a no nodes: reported on 3 Pods: a, b, c']);
});

it('their own names in the text are no difference, other words and reasons are', () => {
  const messages = [
    ...['web-1', 'web-2', 'web-3'].map((name) => pod(name, 'web')),
    ...says('web-1', 'pod web-1 waits'),
    ...says('web-2', 'pod web-2 waits'),
    ...says('web-3', 'other'),
    ...says('web-3', 'pod web-3 waits', 'Other'),
  ];
  expect(fold(messages)).toEqual([
    'web-1 pod web-1 waits: reported on 2 Pods: web-1, web-2',
    'web-3 other: ',
    'web-3 pod web-3 waits: ',
  ]);
});

it('Pods without an owner or with another one, and Events that were refused or have no response, are not folded', () => {
  const messages = [pod('a', null), pod('b', null), pod('c', 'x'), pod('d', 'y'), pod('e', 'y')];
  messages.push(pod('f', 'z'), pod('g', 'z'));
  for (const name of ['a', 'b', 'c', 'd']) messages.push(...says(name, 'no nodes'));
  messages.push(...says('e', 'no nodes', 'FailedScheduling', 403));
  messages.push(...says('f', 'no nodes'), ...says('g', 'no nodes').slice(0, 1));
  expect(fold(messages)).toHaveLength(7);
});

it('many names are counted', () => {
  const names = Array.from({ length: 20 }, (_, i) => `p${i}`);
  const messages = [...names.map((name) => pod(name, 'web')), ...names.flatMap((name) => says(name, 'no nodes'))];
  expect(fold(messages)).toEqual(['p0 no nodes: reported on 20 Pods: p0, p1, p2, p3, p4, p5, p6, p7 and 12 more']);
});
