import { describe, expect, it } from 'vitest';
import { nearestName } from './nearest-name.js';

const NAMES = ['kube-apiserver', 'job-controller', 'replicaset-controller', 'kubelet', 'kubectl'];

describe('nearestName', () => {
  it.each([
    ['job-controler', 'job-controller'],
    ['kube-apisevrer', 'kube-apiserver'],
    ['Kubelet', 'kubelet'],
    ['kubletctl', 'kubectl'],
    ['kublet', 'kubelet'],
    ['apiserver', 'kube-apiserver'],
    ['replicaset', 'replicaset-controller'],
  ])('%s is %s', (name, nearest) => expect(nearestName(name, NAMES)).toBe(nearest));

  it.each(['my-operator', 'x', '', 'a-controller-of-my-own-making'])('%j is none of them', (name) =>
    expect(nearestName(name, NAMES)).toBe(null),
  );
});
