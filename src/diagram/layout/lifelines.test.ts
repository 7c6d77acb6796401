import { expect, it } from 'vitest';
import { APISERVER, KUBECTL, MANAGER, REPLICASETS } from '../../../test/kit/messages.js';
import { ParticipantRegistry } from '../../kubernetes/placed/identity/participant-registry.js';
import { lifelinesOf } from './lifelines.js';

const OPERATOR = new ParticipantRegistry().client('192.0.2.30', 'my-operator/v1', 1);

it('parts of a process stand together, whichever participant of their place appears in between', () => {
  const arrows = [KUBECTL, MANAGER, OPERATOR, REPLICASETS].map((from) => ({ from, to: APISERVER }));
  const { lifelines } = lifelinesOf(arrows, { by: 'controller' });
  expect(lifelines.map(({ name, box }) => [name, box])).toEqual([
    ['kubectl', undefined],
    ['kube-apiserver', undefined],
    ['kube-controller-manager', 'kube-controller-manager'],
    ['replicaset-controller', 'kube-controller-manager'],
    ['my-operator', undefined],
  ]);
});
