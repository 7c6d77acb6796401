import { expect, it } from 'vitest';
import { APISERVER, KUBECTL, MANAGER, REPLICASETS } from '../../test/messages.js';
import { speakers } from '../kubernetes/speakers.js';
import { castOf } from './cast.js';

const OPERATOR = speakers().client('192.0.2.30', 'my-operator/v1', 1);

it('parts of a process stand together, whoever of their place appears in between', () => {
  const arrows = [KUBECTL, MANAGER, OPERATOR, REPLICASETS].map((from) => ({ from, to: APISERVER }));
  const { participants } = castOf(arrows, { by: 'controller' });
  expect(participants.map(({ name, box }) => [name, box])).toEqual([
    ['kubectl', undefined],
    ['kube-apiserver', undefined],
    ['kube-controller-manager', 'kube-controller-manager'],
    ['replicaset-controller', 'kube-controller-manager'],
    ['my-operator', undefined],
  ]);
});
