import { describe, expect, it } from 'vitest';
import { requestInfo } from '../api/request-info.js';
import { UNTRIGGERED, untriggeredBy } from './untriggered-requests.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';

describe('no event triggers', () => {
  it.each([
    ['kube-controller-manager', 'PUT', `${LEASES}/kube-controller-manager`],
    ['kube-scheduler', 'PUT', `${LEASES}/kube-scheduler`],
    ['my-operator', 'PUT', `${LEASES}/my-operator`],
    ['kubelet', 'PUT', '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-1'],
    ['kubelet', 'PATCH', '/api/v1/nodes/node-1/status'],
    ['kubelet', 'GET', '/api/v1/nodes/node-1?resourceVersion=0'],
    // What a controller needs before it asks for anything.
    ['kube-controller-manager', 'POST', '/api/v1/namespaces/kube-system/serviceaccounts/job-controller/token'],
    ['kube-apiserver', 'DELETE', '/apis/networking.k8s.io/v1/ipaddresses/203.0.113.33'],
    ['kube-apiserver', 'GET', '/api/v1/namespaces/default/endpoints/kubernetes'],
    ['kube-apiserver', 'PUT', '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes'],
    ['kube-apiserver', 'PUT', '/api/v1/namespaces/default/resourcequotas/few/status'],
    // A node that is silent: no event says so.
    ['node-controller', 'PUT', '/api/v1/nodes/node-1/status'],
    ['node-controller', 'PUT', '/api/v1/namespaces/default/pods/web/status'],
    ['node-controller', 'GET', '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-1'],
    // A Pod has to go for another one.
    ['kube-scheduler', 'DELETE', '/api/v1/namespaces/default/pods/low'],
  ])('%s: %s %s', (component, method, target) => {
    expect(untriggeredBy({ component, info: requestInfo(method, target)!, k8sEvent: undefined })).toBeDefined();
  });
});

it('nor what it reports of another object: a Pod whose node is silent, one that has to go, a node that is new', () => {
  const events = requestInfo('POST', '/api/v1/namespaces/default/events')!;
  const report = { type: 'Normal', reason: 'Preempted', message: '', kind: 'Pod', namespace: '', name: '', uid: '' };
  const tells = (component: string, more: object = {}): boolean =>
    untriggeredBy({ component, info: events, k8sEvent: { ...report, component, ...more } }) !== undefined;
  expect([tells('node-controller'), tells('node-controller', { kind: 'Node' })]).toEqual([true, true]);
  expect(tells('node-controller', { kind: 'Node', reason: 'RemovingNode' })).toBe(false);
  expect([tells('kube-scheduler'), tells('kube-scheduler', { reason: 'FailedScheduling' })]).toEqual([true, false]);
  expect(tells('kubelet')).toBe(false);
});

describe('events may trigger', () => {
  it.each([
    // The node is gone, and its Lease goes with it.
    ['generic-garbage-collector', 'DELETE', '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-1'],
    ['kubelet', 'PATCH', '/api/v1/namespaces/default/pods/web/status'],
    ['node-controller', 'PATCH', '/api/v1/nodes/node-1'],
    ['kube-scheduler', 'POST', '/api/v1/namespaces/default/pods/web/binding'],
    ['endpoint-controller', 'PUT', '/api/v1/namespaces/default/endpoints/web'],
    ['resourcequota-controller', 'PUT', '/api/v1/namespaces/default/resourcequotas/few/status'],
    ['kube-apiserver', 'PUT', '/apis/apiregistration.k8s.io/v1/apiservices/v1.apps/status'],
  ])('%s: %s %s', (component, method, target) => {
    expect(untriggeredBy({ component, info: requestInfo(method, target)!, k8sEvent: undefined })).toBeUndefined();
  });
});

it('the first row that holds says why', () => {
  const info = requestInfo('PUT', `${LEASES}/kube-scheduler`)!;
  const by = (facts: object): string | undefined =>
    untriggeredBy({ component: 'kube-scheduler', info, k8sEvent: undefined, ...facts })?.why;
  expect(by({})).toBe('leader election and heartbeats run by the clock');
  expect(by({ isPerson: true })).toBe('a person sent it');
  expect(UNTRIGGERED.filter(({ why, source }) => why === '' || source === '')).toEqual([]);
});
