import { expect, it } from 'vitest';
import { APISERVER, type Given, KUBECTL, message } from '../../test/kit/messages.js';
import type { K8sEventInfo, Message } from '../kubernetes/messages/message.js';
import { evictionEvents, firstK8sEvents } from './k8s-events.js';
import { indexMessages } from './message-index.js';

const REPORT: K8sEventInfo = {
  type: 'Warning',
  reason: 'BackOff',
  message: 'Back-off restarting failed container web',
  kind: 'Pod',
  namespace: 'default',
  name: 'web',
  uid: 'u',
  component: 'kubelet',
};

function makes(event: string, namespace = 'default'): Message[] {
  const request = message({ verb: 'create', resource: 'events', namespace, name: event, k8sEvent: REPORT });
  return [request, answer(request)];
}

function repeats(event: string): Message[] {
  const request = message({ verb: 'patch', resource: 'events', namespace: 'default', name: event });
  return [request, answer(request, { k8sEvent: REPORT })];
}

function answer({ exchange }: Message, more: Given = {}): Message {
  return message({ kind: 'response', from: APISERVER, to: KUBECTL, exchange, status: 200, ...more });
}

const told = (...messages: Message[][]): (string | undefined)[] =>
  [...firstK8sEvents(indexMessages(messages.flat()))].map(
    ({ verb, namespace, name }) => `${verb} ${namespace}/${name}`,
  );

it('creating an Event is a report, repeating it is not', () => {
  expect(told(makes('web.1'), repeats('web.1'), repeats('web.1'), makes('web.2'))).toEqual([
    'create default/web.1',
    'create default/web.2',
  ]);
});

it('repeating an Event that was created before the capture is a report, once', () => {
  expect(told(repeats('web.1'), repeats('web.1'), repeats('web.2'))).toEqual([
    'patch default/web.1',
    'patch default/web.2',
  ]);
});

it('Events of one name are several where they are made anew, or elsewhere', () => {
  expect(told(makes('web.1'), makes('web.1'), makes('web.1', 'team'))).toHaveLength(3);
});

it('the evicting program reports why, whatever the reason is called; no other program does, and not of another Pod, or before', () => {
  const normal = { ...REPORT, type: 'Normal', reason: 'PodLifeTime' };
  const says = (more: Given = {}, about: Partial<K8sEventInfo> = {}): Message =>
    message({ from: KUBECTL, verb: 'create', resource: 'events', k8sEvent: { ...normal, ...about }, ...more });
  const evicts = { verb: 'create', resource: 'pods', subresource: 'eviction', namespace: 'default', name: 'web' };
  const all = [
    says(),
    message({ from: KUBECTL, ...evicts }),
    says(),
    says({ from: APISERVER }),
    says({}, { name: 'api' }),
  ];
  expect([...evictionEvents(indexMessages(all))]).toEqual([all[2]]);
});
