import { describe, expect, it } from 'vitest';
import { ParticipantRegistry } from '../placed/identity/participant-registry.js';
import { AnonymousClient } from '../placed/mid-session/anonymous-client.js';
import { electsLeader, readUserAgent, tierOf } from './components.js';
import { proven } from './participant-record.js';

describe('readUserAgent', () => {
  it.each([
    ['kubectl/v1.34.4 (linux/amd64) kubernetes/0123456', 'kubectl', null, 'program'],
    [
      'kube-controller-manager/v1.34.4 (linux/amd64) kubernetes/0123456/shared-informers',
      'kube-controller-manager',
      null,
      'program',
    ],
    [
      'kube-controller-manager/v1.34.4 (linux/amd64) kubernetes/0123456/system:serviceaccount:kube-system:deployment-controller',
      'kube-controller-manager',
      'deployment-controller',
      'program',
    ],
    ['curl/7.88.1', 'curl', null, 'program'],
    ['my-operator', 'my-operator', null, 'program'],
    // Its leader election is not the scheduler's.
    ['my-operator/v1 (linux/amd64) kubernetes/x/leader-election', 'my-operator', null, 'program'],
    ['my-operator/v1 (linux/amd64) kubernetes/x/scheduler', 'my-operator', null, 'program'],
    ['Go-http-client/2.0', null, null, 'library'],
    ['OpenAPI-Generator/31.0.0/python', 'OpenAPI-Generator', null, 'library'],
    ['', null, null, 'library'],
    ['k3s/v1.34.4+k3s1 (linux/amd64) kubernetes/0123456', 'k3s', null, 'several'],
    ['kubelite/v1.34.4 (linux/amd64) kubernetes/0123456/leader-election', 'kubelite', null, 'several'],
    ['kubelite/v1.34.4 (linux/amd64) kubernetes/0123456/scheduler', 'kube-scheduler', null, 'program'],
    ['k3s/v1.34.4 (linux/amd64) kubernetes/0123456/metadata-informers', 'kube-controller-manager', null, 'program'],
    ['deploy@server-1/v1.34.4+k3s1 (linux/amd64) k3s/0123456', 'k3s deploy', null, 'program'],
    ['k3s-supervisor@server-1/v1.34.4+k3s1 (linux/amd64) k3s/0123456', 'k3s-supervisor', null, 'program'],
    ['helm-controller@server-1/v1.34.4+k3s1 (linux/amd64) k3s/0123456', 'helm-controller', null, 'program'],
    ['me@home/v1 (linux/amd64) mine/0123456', 'me@home', null, 'program'],
    [
      'k3s/v1.35.2+k3s1 (linux/amd64) kubernetes/13563fe/system:serviceaccount:kube-system:namespace-controller',
      'kube-controller-manager',
      'namespace-controller',
      'program',
    ],
  ])('%s', (userAgent, component, controller, names) =>
    expect(readUserAgent(userAgent)).toEqual({ component, controller, names }),
  );

  it('lists which clients are people', () => {
    expect(['kubectl', 'curl', 'helm', 'my-script', 'client 192.0.2.7'].map(tierOf)).toEqual(Array(5).fill('people'));
    expect(['k3s', 'k3s deploy', 'k3s-supervisor', 'kubelite', 'coredns', 'kube-state-metrics'].map(tierOf)).toEqual(
      Array(6).fill('others'),
    );
    const own = ['manager', 'ingress-controller', 'helm-controller', 'my-operator', 'cluster-autoscaler', 'karpenter'];
    expect([...own, 'descheduler'].map(tierOf)).toEqual(Array(7).fill('controllers'));
  });
});

describe('leader election', () => {
  const lock = { resource: 'leases', verb: 'update' };
  it.each([
    ['my-program', lock, true],
    ['my-program', { resource: 'leases', verb: 'create' }, true],
    ['my-operator', lock, true],
    ['my-program', { resource: 'leases', verb: 'get' }, false],
    ['my-program', { resource: 'configmaps', verb: 'update' }, false],
    // What they are is known, or that nothing is.
    ['kubectl', lock, false],
    ['kubelet', lock, false],
    ['client 192.0.2.7', lock, false],
    ['User jane', lock, false],
  ])('%s: %j', (component, request, elects) => expect(electsLeader(component, request)).toBe(elects));

  it('is a controller, and no person', () => {
    const known = new ParticipantRegistry();
    const program = known.client('192.0.2.7', 'my-program/v1', 1);
    expect(program.tier).toBe('people');
    program.observeElection(5);
    expect(program.tier).toBe('controllers');
    expect(program.evidence[1]).toBe('elects a leader with a Lease, as controllers do (frame 5)');
  });
});

describe('participants', () => {
  const agent = (controller: string): string =>
    `kube-controller-manager/v1 (linux/amd64) kubernetes/x/system:serviceaccount:kube-system:${controller}`;

  it('names a kubelet by its node as soon as it is known, also for what it sent before', () => {
    const known = new ParticipantRegistry();
    const kubelet = known.client('192.0.2.11', 'kubelet/v1', 1);
    expect(kubelet.name).toBe('kubelet');
    known.learnNode(kubelet, 'node-1', proven('watches what is on node-1', null));
    expect(known.client('192.0.2.11', 'kubelet/v1', 9).name).toBe('kubelet (node-1)');
    expect(kubelet.evidence).toEqual(['User-Agent kubelet/v1 (frame 1)', 'watches what is on node-1']);
  });

  it('a controller is part of its manager', () => {
    const known = new ParticipantRegistry();
    const controller = known.client('192.0.2.10', agent('node-controller'), 3);
    expect([controller.name, controller.process.name, controller.tier]).toEqual([
      'node-controller',
      'kube-controller-manager',
      'controllers',
    ]);
  });

  it('distinguishes two instances, and one on loopback from none', () => {
    const known = new ParticipantRegistry();
    expect(known.client('192.0.2.10', 'kubectl/v1', 1).name).toBe('kubectl');
    expect(known.client('192.0.2.12', 'kubectl/v1', 2).name).toBe('kubectl (192.0.2.12)');
    expect(known.client('127.0.0.1', 'kubectl/v1', 3).name).toBe('kubectl');
    expect(known.server('kube-apiserver', '192.0.2.10', 6443, 4)).toBe(
      known.server('kube-apiserver', '2001:db8::10', 6443, 5),
    );
  });

  it('a listener is the only program on its address, if that watches such objects', () => {
    const known = new ParticipantRegistry();
    const watcher = known.watcher(7, '192.0.2.11', 1);
    expect(watcher.name).toBe('client 192.0.2.11');
    known.client('192.0.2.11', 'kubelet/v1', 5);
    expect(watcher.name).toBe('client 192.0.2.11');
    // Before an event was read it may be any answer.
    expect(known.watcher(10, '192.0.2.99', 1).evidence).toEqual([
      'receives an answer whose request was before the capture (frame 1)',
    ]);
    watcher.watchedKind = 'Pod';
    expect(watcher.name).toBe('kubelet');
    // kube-proxy may be there, and silent.
    const other = known.watcher(8, '192.0.2.11', 1);
    other.watchedKind = 'Service';
    expect(other.name).toBe('client 192.0.2.11');
    known.client('192.0.2.11', 'kube-proxy/v1', 6);
    expect(watcher.name).toBe('client 192.0.2.11');
    // On a control plane's host the others may be silent for long.
    const onControlPlane = known.watcher(9, '192.0.2.10', 1);
    known.client('192.0.2.10', 'kube-scheduler/v1', 7);
    onControlPlane.watchedKind = 'Pod';
    expect(onControlPlane.name).toBe('client 192.0.2.10');
  });

  it('evidence about an identified client is evidence about its program', () => {
    const known = new ParticipantRegistry();
    const kubelet = known.client('192.0.2.11', 'kubelet/v1', 1);
    const client = new AnonymousClient(-1, '192.0.2.11', 1);
    const late = client.record;
    late.find().addEvidence(proven('nobody yet', 2));
    client.learn(kubelet);
    late.find().addEvidence(proven('has a Pod run', 3));
    known.learnNode(late, 'node-1', proven('asks for it', null));
    expect(late.name).toBe('kubelet (node-1)');
    expect(kubelet.evidence).toContain('has a Pod run (frame 3)');
    expect(late.process.node).toBe('node-1');
  });

  it('what is on the loopbacks of two nodes is of neither', () => {
    const known = new ParticipantRegistry();
    const runtime = known.server('container-runtime', '127.0.0.1', 3500, 1);
    known.learnNode(runtime, 'node-1', proven('is called', null));
    expect(runtime.name).toBe('container-runtime (node-1)');
    known.learnNode(runtime, 'node-2', proven('is called', null));
    expect(runtime.name).toBe('container-runtime');
    known.learnNode(runtime, 'node-1', proven('is called', null));
    expect(runtime.name).toBe('container-runtime');
  });

  it("a user's rule wins", () => {
    const known = new ParticipantRegistry([{ name: 'mine', matches: (address) => address === '192.0.2.7' }]);
    expect(known.client('192.0.2.7', 'kubectl/v1', 1).name).toBe('mine');
  });
});
