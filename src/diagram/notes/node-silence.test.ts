import { describe, expect, it } from 'vitest';
import { type Given, message } from '../../../test/kit/messages.js';
import type { Message, StatusProblem } from '../../kubernetes/messages/message.js';
import { proven } from '../../kubernetes/participants/participant-record.js';
import { ParticipantRegistry } from '../../kubernetes/placed/identity/participant-registry.js';
import { indexMessages } from '../message-index.js';
import { silenceNotes } from './node-silence.js';

const SECOND = 1_000_000_000n;
const known = new ParticipantRegistry();
const KUBELET = known.client('192.0.2.21', 'kubelet/v1.37.2', 1);
known.learnNode(KUBELET, 'node-1', proven('test', null));
const UNKNOWN: StatusProblem = { of: 'condition Ready', state: 'Unknown', reason: 'NodeStatusUnknown' };

const at = (seconds: number, given: Given): Message => ({
  ...message(given),
  time: BigInt(seconds) * SECOND,
});
const lease = (seconds: number): Message => at(seconds, { from: KUBELET, resource: 'leases', verb: 'update' });
const ofPod = (seconds: number): Message =>
  at(seconds, { from: KUBELET, resource: 'pods', namespace: 'default', name: 'web', verb: 'patch' });
const gone = (seconds: number, name = 'node-1'): Message =>
  at(seconds, { resource: 'nodes', subresource: 'status', name, verb: 'update', problems: [UNKNOWN] });
const event = (seconds: number, kind: string, name: string): Message => {
  const report = { type: 'Warning', reason: 'NodeNotReady', message: 'Node is not ready', uid: '', component: '' };
  return at(seconds, { resource: 'events', verb: 'create', k8sEvent: { ...report, kind, namespace: 'default', name } });
};

const said = (...messages: Message[]): (readonly string[])[] => [...silenceNotes(indexMessages(messages)).values()];

describe('a silent kubelet', () => {
  it('is noted where its node is reported gone, with the time since its last message', () => {
    expect(said(lease(10), lease(20), gone(51))).toEqual([['nothing from kubelet (node-1) for 31 s']]);
  });

  it('and where a Pod of that node is', () => {
    expect(said(ofPod(10), lease(20), event(51, 'Pod', 'web'))).toEqual([['nothing from kubelet (node-1) for 31 s']]);
    expect(said(lease(20), event(51, 'Node', 'node-1'))).toEqual([['nothing from kubelet (node-1) for 31 s']]);
  });

  it('is noted of none without a message: its connections may not be in the capture', () => {
    expect(said(gone(51), lease(20))).toEqual([]);
    expect(said(lease(20), gone(51, 'node-2'), event(51, 'Pod', 'web'))).toEqual([]);
  });

  it('is no silence where it sent something just before: it may report itself that it is not ready', () => {
    expect(said(lease(48), gone(51))).toEqual([]);
  });
});
