import { describe, expect, it } from 'vitest';
import { requestInfo } from '../api/request-info.js';
import type { Participant } from '../messages/message.js';
import { controllerOf } from './controller-turns.js';
import { profileOf } from './controllers.js';

it('an autoscaler is triggered by autoscalers alone, an unknown controller by anything', () => {
  expect([...(profileOf('horizontal-pod-autoscaler').resources ?? [])]).toEqual(['horizontalpodautoscalers']);
  expect(profileOf('kube-scheduler').resources?.has('statefulsets')).toBe(false);
  expect(profileOf('my-operator').resources).toBeNull();
});

describe('the controller behind a request of a controller manager whose User-Agent was not captured', () => {
  const manager = { component: 'kube-controller-manager' } as Participant;
  const behind = (method: string, target: string, owner?: string): string =>
    controllerOf(manager, requestInfo(method, target)!, undefined, owner);
  const pods = '/api/v1/namespaces/default/pods';

  it('is the only one that writes such a status (pkg/controller/replicaset: updateReplicaSetStatus)', () => {
    const target = '/apis/apps/v1/namespaces/default/replicasets/web/status';
    expect(behind('PUT', target)).toBe('replicaset-controller');
    expect(
      controllerOf({ component: 'my-operator' } as Participant, requestInfo('PUT', target)!, undefined, undefined),
    ).toBe('my-operator');
  });

  it('is that of the owner, of several that create Pods', () => {
    expect(behind('POST', pods, 'ReplicaSet')).toBe('replicaset-controller');
    expect(behind('POST', pods, 'DaemonSet')).toBe('daemon-set-controller');
    expect(behind('POST', pods, 'Job')).toBe('kube-controller-manager');
    expect(behind('POST', pods)).toBe('kube-controller-manager');
  });

  it('is not told by requests for keys that another controller has, too: Services have Endpoints and EndpointSlices', () => {
    expect(behind('PUT', '/api/v1/namespaces/default/endpoints/web')).toBe('kube-controller-manager');
  });

  it('is the component that a Kubernetes Event names', () => {
    const info = requestInfo('POST', '/api/v1/namespaces/default/events')!;
    const k8sEvent = { type: '', reason: '', message: '', kind: '', namespace: '', name: '', uid: '' };
    const named = (component: string): string => controllerOf(manager, info, { ...k8sEvent, component }, undefined);
    expect(named('replicaset-controller')).toBe('replicaset-controller');
    expect(named('somebody-else')).toBe('kube-controller-manager');
  });
});
