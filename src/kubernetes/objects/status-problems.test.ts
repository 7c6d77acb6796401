import { describe, expect, it } from 'vitest';
import { fixtureLines } from '../../../test/kit/fixtures.js';
import { hasStatusProblems, type StatusProblem, statusProblemsOf } from './status-problems.js';

interface State {
  readonly waiting?: { readonly reason?: string };
  readonly terminated?: { readonly exitCode?: number; readonly reason?: string };
}
interface Container {
  readonly name?: string;
  readonly state?: State;
  readonly lastState?: State;
}
interface CapturedObject {
  readonly kind: string;
  readonly status?: Readonly<Record<string, unknown>>;
}

const RESOURCES: Readonly<Record<string, string>> = {
  Pod: 'pods',
  Deployment: 'deployments',
  ReplicaSet: 'replicasets',
  Job: 'jobs',
  Node: 'nodes',
  PersistentVolumeClaim: 'persistentvolumeclaims',
  VolumeAttachment: 'volumeattachments',
  HorizontalPodAutoscaler: 'horizontalpodautoscalers',
  Namespace: 'namespaces',
};
/** Objects made by k8s.io/api, up to a half of their fields zero, in both encodings: fixtures/objects/README.md. */
const ORACLE = ['objects/zero-values.jsonl', 'objects/zero-values-1.37.jsonl']
  .flatMap((name) => fixtureLines<{ pb: string; json: CapturedObject }>(name))
  .filter(({ json }) => RESOURCES[json.kind] !== undefined);

const bytesOf = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
const inJson = (resource: string, status: unknown): readonly StatusProblem[] =>
  statusProblemsOf(bytesOf({ status }), 'application/strategic-merge-patch+json', resource);

/** Of a Pod that Go wrote as JSON: what its containers wait for, and how they ended. */
function containersOf({ status = {} }: CapturedObject): string[] {
  const lists = ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'];
  return lists.flatMap((list) =>
    ((status[list] ?? []) as readonly Container[]).flatMap(({ name = '', state, lastState }) => {
      const waits = state?.waiting?.reason ?? '';
      const ends = [state?.terminated, lastState?.terminated].filter(
        (end) => end !== undefined && ((end.exitCode ?? 0) !== 0 || (end.reason ?? '') !== ''),
      );
      const ended = ends.length === 0 ? [] : [`${name} terminated ${ends[0]?.reason ?? ''} ${ends[0]?.exitCode ?? 0}`];
      return waits === '' ? ended : [`${name} waiting ${waits}`, ...ended];
    }),
  );
}

describe('problems of a status', () => {
  it("is the same in protobuf and in JSON, of objects that Kubernetes' own code wrote", () => {
    expect(ORACLE.length).toBeGreaterThan(10);
    let containers = 0;
    for (const { pb, json } of ORACLE) {
      const told = statusProblemsOf(Buffer.from(pb, 'base64'), '', RESOURCES[json.kind]);
      expect(statusProblemsOf(bytesOf(json), 'application/json', RESOURCES[json.kind])).toEqual(told);
      if (json.kind !== 'Pod') continue;
      const said = told
        .filter(({ of }) => of.includes('container '))
        .map(
          ({ of, state, reason, exitCode = '' }) =>
            `${of.replace(/^.*?container /, '')} ${state} ${reason} ${exitCode}`,
        )
        .map((words) => (words.includes(' waiting ') ? words.slice(0, -1) : words));
      expect(said).toEqual(containersOf(json));
      containers += said.length;
    }
    expect(containers).toBeGreaterThan(3);
  });

  it('of a container: what it waits for, but not that it begins; how it ended, but not that it is done', () => {
    const state = (now: State, lastState: State = {}): readonly StatusProblem[] =>
      inJson('pods', { containerStatuses: [{ name: 'web', state: now, lastState }] });
    const killed = { terminated: { exitCode: 137, reason: 'OOMKilled' } };
    const of = 'container web';
    expect(state({ waiting: { reason: 'ContainerCreating' } })).toEqual([]);
    expect(state({ waiting: { reason: 'PodInitializing' } })).toEqual([]);
    expect(state({ terminated: { exitCode: 0, reason: 'Completed' } })).toEqual([]);
    expect(state(killed)).toEqual([{ of, state: 'terminated', reason: 'OOMKilled', exitCode: 137 }]);
    expect(state({}, killed)).toEqual(state(killed));
    expect(state({ waiting: { reason: 'CrashLoopBackOff' } }, killed)).toEqual([
      { of, state: 'waiting', reason: 'CrashLoopBackOff' },
      { of, state: 'terminated', reason: 'OOMKilled', exitCode: 137 },
    ]);
    expect(state({ terminated: { exitCode: 1, reason: 'Error' } }, killed)[0].exitCode).toBe(1);
  });

  it('of a Pod: why its kubelet does not take it, and that it has to go; not that it is not ready', () => {
    expect(inJson('pods', { phase: 'Failed', reason: 'OutOfcpu' })).toEqual([
      { of: 'phase', state: 'Failed', reason: 'OutOfcpu' },
    ]);
    expect(inJson('pods', { phase: 'Failed' })).toEqual([]);
    expect(
      inJson('pods', {
        conditions: [
          { type: 'Ready', status: 'False', reason: 'ContainersNotReady' },
          { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' },
        ],
      }),
    ).toEqual([{ of: 'condition DisruptionTarget', state: 'True', reason: 'EvictionByEvictionAPI' }]);
  });

  it('of an attachment: the error of its driver', () => {
    const message = 'rpc error: code = FailedPrecondition desc = attached elsewhere';
    expect(
      inJson('volumeattachments', { attached: false, attachError: { time: '2026-11-22T23:12:46Z', message } }),
    ).toEqual([{ of: 'attach', state: 'failed', reason: message }]);
    expect(inJson('volumeattachments', { detachError: { message } })).toEqual([
      { of: 'detach', state: 'failed', reason: message },
    ]);
    expect(inJson('volumeattachments', { attached: true, attachError: null })).toEqual([]);
  });

  it.each([
    ['PodScheduled', 'False', 'SchedulingGated', 'Unschedulable'],
    ['Ready', 'False', 'ReadinessGatesNotReady', 'ContainersNotReady'],
    ['PodResizeInProgress', 'True', 'Error', ''],
  ])('of a Pod: %s %s where it is for %s', (type, status, reason, other) => {
    const said = { of: `condition ${type}`, state: status, reason };
    const whole = [
      { type, status, reason: other },
      { type, status, reason },
    ];
    expect(inJson('pods', { conditions: whole })).toEqual([said]);
    // As a kubelet patches it: what stays as it is stands not in it.
    expect(inJson('pods', { conditions: [{ type, reason }] })).toEqual([said]);
  });

  it('of a Namespace in deletion: what is left in it, which its reason does not name', () => {
    const message = 'Some resources are remaining: configmaps. has 1 resource instances';
    const remains = { type: 'NamespaceContentRemaining', status: 'True', reason: 'SomeResourcesRemain', message };
    const none = { type: 'NamespaceDeletionDiscoveryFailure', status: 'False', message: 'All resources discovered' };
    expect(inJson('namespaces', { phase: 'Terminating', conditions: [none, remains] })).toEqual([
      { of: 'condition NamespaceContentRemaining', state: 'True', reason: message },
    ]);
  });

  it.each([
    ['persistentvolumeclaims', 'NodeResizeError', 'True'],
    ['deployments', 'Progressing', 'False'],
    ['deployments', 'ReplicaFailure', 'True'],
    ['replicasets', 'ReplicaFailure', 'True'],
    ['jobs', 'Failed', 'True'],
    ['jobs', 'Suspended', 'True'],
    ['deployments', 'Progressing', 'Unknown'],
    ['nodes', 'Ready', 'Unknown'],
    ['horizontalpodautoscalers', 'ScalingActive', 'False'],
    ['pods', 'PodResizePending', 'True'],
    ['nodes', 'DiskPressure', 'True'],
  ])('of %s: %s %s', (resource, type, status) => {
    const other = status === 'True' ? 'False' : 'True';
    const conditions = [
      { type, status, reason: 'Why' },
      { type, status: other, reason: 'Fine' },
    ];
    expect(inJson(resource, { conditions })).toEqual([{ of: `condition ${type}`, state: status, reason: 'Why' }]);
  });

  it('is nothing where there is no status, no such kind, or no object', () => {
    expect(
      statusProblemsOf(bytesOf([{ op: 'remove', path: '/status' }]), 'application/json-patch+json', 'pods'),
    ).toEqual([]);
    expect(statusProblemsOf(bytesOf({ spec: {} }), 'application/json', 'pods')).toEqual([]);
    expect(statusProblemsOf(new Uint8Array(0), '', 'pods')).toEqual([]);
    expect(inJson('services', { conditions: [{ type: 'Failed', status: 'True' }] })).toEqual([]);
    expect([hasStatusProblems('services'), hasStatusProblems(undefined), hasStatusProblems('pods')]).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('is of a size', () => {
    const one = { name: 'web', state: { waiting: { reason: 'ErrImagePull' } } };
    expect(inJson('pods', { containerStatuses: Array.from({ length: 100 }, () => one) })).toHaveLength(16);
  });
});
