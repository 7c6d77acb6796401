import { describe, expect, it } from 'vitest';
import { componentOf } from './components.js';
import { leftoverEvents, ownInstances, runNames } from './leftovers.js';

describe('what runs leave', () => {
  const [alive, dead] = [runNames('7_abc'), runNames('8_def')];
  const events = [
    `p:${alive.event(0)} /usr/bin/kubectl:0x1 label=+0(%bx):x8[32]`,
    `p:${dead.event(0)} /usr/bin/kubectl:0x1 label=+0(%bx):x8[32]`,
    `p:${dead.event(12)} /x:0x1 label=+0(%bx):x8[32]`,
    'p:kubeseq/keylog /usr/bin/kubectl:0x1 label=+0(%bx):x8[32]',
    'p:probe_libc/malloc /lib/libc.so:0x1',
    'r:kubeseq_other/keylog_8_def_0 /x:0x1',
    '',
  ].join('\n');

  it('probes whose instance is gone, and those of no run', () => {
    expect(leftoverEvents(events, [alive.instance, 'mine'])).toEqual([dead.event(0), dead.event(12), 'kubeseq/keylog']);
    expect(leftoverEvents(events, [alive.instance, dead.instance])).toEqual(['kubeseq/keylog']);
    expect(leftoverEvents('', [])).toEqual([]);
  });

  it('finds its own instances by their names, and no others', () => {
    expect(ownInstances([alive.instance, 'kubeseq', 'kubeseq-', 'kubeseq-a b', 'other'])).toEqual([alive.instance]);
  });
});

describe('componentOf', () => {
  it.each([
    ['/usr/local/bin/kube-apiserver', 'kube-apiserver', 'kube-apiserver'],
    ['/usr/local/bin/etcd (deleted)', '', 'etcd'],
    ['/var/lib/rancher/k3s/data/current/bin/k3s', '/usr/bin/k3s', 'k3s'],
    ['/hyperkube', 'kubelet', 'kubelet'],
    ['/usr/bin/bash', '/usr/local/bin/kubelet', 'kubelet'],
    ['/usr/bin/etcdctl', 'etcdctl', null],
    ['', '', null],
  ])('%s run as %s is %s', (executable, argument, expected) => {
    expect(componentOf({ pid: 1, executable, argument })).toBe(expected);
  });

  it('only those that are wanted, whatever their names', () => {
    expect(componentOf({ pid: 1, executable: '/bin/my-operator', argument: '' }, ['my-operator'])).toBe('my-operator');
    expect(componentOf({ pid: 1, executable: '/bin/etcd', argument: '' }, ['my-operator'])).toBeNull();
  });

  it('a part of a program that is several', () => {
    const k3s = { pid: 1, executable: '/usr/local/bin/k3s', argument: 'k3s' };
    expect(componentOf(k3s, ['kube-apiserver', 'etcd'])).toBe('k3s');
    expect(componentOf(k3s, ['etcd'])).toBeNull();
    expect(componentOf({ ...k3s, executable: '/usr/bin/k0s', argument: 'k0s' }, ['kube-apiserver'])).toBeNull();
  });
});
