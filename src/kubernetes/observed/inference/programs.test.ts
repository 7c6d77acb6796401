import { describe, expect, it } from 'vitest';
import { carriedObject } from '../../objects/object-meta.js';
import { statusByAnswer } from './concluded.js';
import { managedBy } from './managed-by.js';
import { programByAnswer, programByRequest } from './programs.js';
import type { Carrying } from './shapes.js';

const AT = BigInt(Date.parse('2026-11-21T04:41:11Z')) * 1_000_000n + 999_000_000n;

function json(body: unknown, complete = true): Carrying {
  const bytes = Buffer.from(JSON.stringify(body));
  return { bytes, contentType: '', carried: carriedObject(bytes, ''), complete };
}

function lease(namespace: string, name: string, holderIdentity: string | undefined): Carrying {
  return json({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace, name },
    spec: { holderIdentity },
  });
}

function event(reporter: string): Carrying {
  const metadata = { namespace: 'default', name: 'nginx.1' };
  return json({
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata,
    reportingController: reporter,
    regarding: {},
  });
}

function managed(...entries: [manager: string, time: string][]): Carrying {
  const managedFields = entries.map(([manager, time]) => ({ manager, operation: 'Update', time }));
  return json({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a', uid: 'u', resourceVersion: '2', managedFields },
  });
}

describe('the client of a request, by its body', () => {
  it('a node renews its own Lease', () => {
    expect(programByRequest({ verb: 'update' }, lease('kube-node-lease', 'node-1', 'node-1'))).toMatchObject({
      component: 'kubelet',
      node: 'node-1',
      why: 'concluded from the Lease kube-node-lease/node-1 that it updates',
    });
    expect(programByRequest({ verb: 'update' }, lease('kube-node-lease', 'node-1', 'somebody'))).toBeNull();
  });

  it.each([
    ['kube-scheduler', 'kube-scheduler'],
    ['kube-controller-manager', 'kube-controller-manager'],
    ['apiserver-wlv32tlttr4jl3gtroqexyxapa', 'kube-apiserver'],
  ])('the Lease %s is held by its own program', (name, component) => {
    expect(programByRequest({ verb: 'update' }, lease('kube-system', name, 'vm_1'))?.component).toBe(component);
    expect(programByRequest({ verb: 'update' }, lease('default', name, 'vm_1'))).toBeNull();
    expect(programByRequest({ verb: 'update' }, lease('kube-system', name, undefined))).toBeNull();
    expect(programByRequest({ verb: 'patch' }, lease('kube-system', name, 'vm_1'))).toBeNull();
  });

  it("an operator's Lease names no program", () => {
    expect(programByRequest({ verb: 'update' }, lease('kube-system', 'my-operator', 'vm_1'))).toBeNull();
  });

  it('an Event names its reporter', () => {
    expect(programByRequest({ verb: 'create' }, event('default-scheduler'))?.component).toBe('kube-scheduler');
    expect(programByRequest({ verb: 'create' }, event('my-scheduler'))).toBeNull();
    expect(programByRequest({ verb: 'create' }, event('constructor'))).toBeNull();
  });
});

describe('the writer, by the managed fields', () => {
  it('the newest entry, if it is new and alone', () => {
    const now = '2026-11-21T04:41:11Z';
    expect(programByAnswer(managed(['kubelet', '2026-11-21T04:41:00Z'], ['kube-scheduler', now]), AT)?.component).toBe(
      'kube-scheduler',
    );
    expect(programByAnswer(managed(['kubectl-run', now]), AT)?.component).toBe('kubectl');
    expect(programByAnswer(managed(['my-operator', now]), AT)).toBeNull();
    expect(programByAnswer(managed(['kubelet', now], ['kube-scheduler', now]), AT)).toBeNull();
    expect(programByAnswer(managed(['kubelet', '2026-11-21T04:41:00Z']), AT)).toBeNull();
    expect(programByAnswer(managed(), AT)).toBeNull();
  });

  it('is bounded, and no list is no answer', () => {
    const old: [string, string][] = Array.from({ length: 200 }, () => ['kubelet', '2020-01-01T00:00:00Z']);
    expect(managedBy(managed(...old, ['kubelet', '2026-11-21T04:41:11Z']), AT)).toBeNull();
    expect(managedBy(json({ metadata: { managedFields: 'x' } }), AT)).toBeNull();
    expect(managedBy(json({ metadata: { managedFields: [null, 1, { time: 7 }] } }), AT)).toBeNull();
  });
});

describe('the status, by the body', () => {
  const status = (code: number) => json({ apiVersion: 'v1', kind: 'Status', status: 'Failure', code });

  it.each([201, 202, 403, 409, 422, 429])('a Status has %i', (code) => {
    expect(statusByAnswer(undefined, null, status(code))).toBe(code);
  });

  it.each([0, 200, 404, 500, 99, 1000])('a Status with %i does not stand in a table entry', (code) => {
    expect(statusByAnswer('create', null, status(code))).toBeUndefined();
  });

  it('a create is answered with what was made', () => {
    const pod = managed(['kubelet', '2026-11-21T04:41:11Z']);
    expect(statusByAnswer('create', pod, pod)).toBe(201);
    expect(statusByAnswer('create', event('x'), pod)).toBeUndefined();
    expect(statusByAnswer('update', pod, pod)).toBeUndefined();
    expect(statusByAnswer('create', pod, { ...pod, complete: false })).toBeUndefined();
  });
});
