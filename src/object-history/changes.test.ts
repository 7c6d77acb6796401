import { describe, expect, it } from 'vitest';
import { changesBetween, managersBetween } from './changes.js';

const POD = {
  metadata: { name: 'nginx', labels: { app: 'web' } },
  spec: {
    containers: [
      { name: 'nginx', image: 'nginx:1' },
      { name: 'side', image: 'side' },
    ],
  },
  status: { conditions: [{ type: 'Ready', status: 'False', reason: 'ContainersNotReady', lastTransitionTime: 'a' }] },
};

describe('changesBetween', () => {
  it('is empty for equal bodies', () => {
    expect(changesBetween(POD, structuredClone(POD))).toEqual([]);
  });

  it('names a field by its path, list elements by what names them', () => {
    const after = structuredClone(POD);
    after.spec.containers[0].image = 'nginx:2';
    after.spec.containers.reverse();
    expect(changesBetween(POD, after)).toEqual([
      { path: 'spec.containers[nginx].image', before: 'nginx:1', after: 'nginx:2' },
    ]);
  });

  it('lists what was added and removed, a list element as a whole', () => {
    const after = { ...POD, spec: { containers: [POD.spec.containers[0]], nodeName: 'node-1' } };
    expect(changesBetween(POD, after)).toEqual([
      { path: 'spec.containers[side]', before: { name: 'side', image: 'side' } },
      { path: 'spec.nodeName', after: 'node-1' },
    ]);
  });

  it('finds nothing in names that every object inherits', () => {
    const labels = { constructor: 'a', toString: 'b', ['__proto__']: 'c' };
    const changes = changesBetween({ metadata: { labels: { app: 'web' } } }, { metadata: { labels } });
    expect(changes.filter(({ path }) => path !== 'metadata.labels.app')).toEqual([
      { path: 'metadata.labels.constructor', after: 'a' },
      { path: 'metadata.labels.toString', after: 'b' },
      { path: 'metadata.labels.__proto__', after: 'c' },
    ]);
  });

  it('takes a condition for one field, unless only its times moved', () => {
    const ready = { type: 'Ready', status: 'True', lastTransitionTime: 'b' };
    const [old] = POD.status.conditions;
    expect(changesBetween(POD, { ...POD, status: { conditions: [ready] } })).toEqual([
      { path: 'status.conditions[Ready]', before: old, after: ready },
    ]);
    expect(changesBetween(POD, { ...POD, status: { conditions: [{ ...old, lastTransitionTime: 'b' }] } })).toEqual([
      { path: 'status.conditions[Ready].lastTransitionTime', before: 'a', after: 'b' },
    ]);
  });

  it('takes a container state for one field, unless it stays the same state', () => {
    const status = (state: object) => ({ status: { containerStatuses: [{ name: 'a', state }] } });
    const waiting = { waiting: { reason: 'ContainerCreating' } };
    const running = { running: { startedAt: 't' } };
    expect(changesBetween(status(waiting), status(running))).toEqual([
      { path: 'status.containerStatuses[a].state', before: waiting, after: running },
    ]);
    expect(changesBetween(status(waiting), status({ waiting: { reason: 'ErrImagePull' } }))).toEqual([
      { path: 'status.containerStatuses[a].state.waiting.reason', before: 'ContainerCreating', after: 'ErrImagePull' },
    ]);
  });

  it.each<[unknown, unknown]>([
    [undefined, null],
    [undefined, {}],
    ['', undefined],
    [[], undefined],
    [{ a: null }, undefined],
  ])('takes %j and %j for the same: encodings differ in what is empty', (before, after) => {
    expect(changesBetween({ spec: before }, { spec: after })).toEqual([]);
  });

  it('keeps what is false or zero', () => {
    expect(changesBetween({ replicas: 1 }, { replicas: 0 })).toEqual([{ path: 'replicas', before: 1, after: 0 }]);
  });

  it('writes keys that are no words in brackets', () => {
    expect(changesBetween({}, { metadata: { annotations: { 'a.b/c': '1' } } })).toEqual([
      { path: 'metadata.annotations[a.b/c]', after: '1' },
    ]);
  });

  it('compares elements without names by their place, and plain lists whole', () => {
    expect(changesBetween({ rules: [{ verbs: ['get'] }] }, { rules: [{ verbs: ['get', 'list'] }] })).toEqual([
      { path: 'rules[0].verbs', before: ['get'], after: ['get', 'list'] },
    ]);
  });

  it('leaves out what describes the write or names the object', () => {
    const metadata = { name: 'a', uid: 'u', resourceVersion: '1', managedFields: [{ manager: 'x' }] };
    expect(changesBetween(undefined, { kind: 'Pod', apiVersion: 'v1', metadata })).toEqual([]);
  });

  it('ends at a depth, however deep a body is', () => {
    const deep = (value: unknown) => Array.from({ length: 500 }).reduce((inner) => ({ a: inner }), value);
    expect(changesBetween({ x: deep('1') }, { x: deep('2') })).toHaveLength(1);
  });
});

it('managersBetween names the managers whose entries are new', () => {
  const body = (...managers: string[]) => ({
    metadata: { managedFields: managers.map((manager) => ({ manager, operation: 'Update' })) },
  });
  expect(managersBetween(body('kubectl'), body('kubectl', 'kubelet'))).toEqual(['kubelet']);
  expect(managersBetween(undefined, undefined)).toEqual([]);
});
