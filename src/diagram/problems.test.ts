import { describe, expect, it } from 'vitest';
import { APISERVER, type Given, KUBECTL, message, SCHEDULER } from '../../test/kit/messages.js';
import type { Message, StatusProblem } from '../kubernetes/messages/message.js';
import { type Problem, Problems } from './problems.js';

const KILLED: StatusProblem = { of: 'container web', state: 'terminated', reason: 'OOMKilled', exitCode: 137 };
const WEB = { resource: 'pods', namespace: 'default', name: 'web' };

function told(...messages: readonly Message[]): readonly Problem[] {
  const problems = new Problems();
  for (const one of messages) problems.add(one);
  return problems.result().map(({ time: _, last: __, ...one }) => one);
}

const words = (...messages: readonly Message[]): string[] => told(...messages).map(({ what }) => what);

function exchanged(request: Given, response: Given): Message[] {
  const asked = message(request);
  const answer = { kind: 'response', exchange: asked.exchange, from: APISERVER, to: asked.from } as const;
  return [asked, message({ ...answer, ...response })];
}

const status = (): Message => message({ ...WEB, verb: 'patch', subresource: 'status', problems: [KILLED] });
const warning = (reason: string, text: string): Message =>
  message({
    verb: 'create',
    resource: 'events',
    from: SCHEDULER,
    k8sEvent: {
      type: 'Warning',
      reason,
      message: text,
      kind: 'Pod',
      namespace: 'default',
      name: 'web',
      uid: '',
      component: '',
    },
  });

describe('what went wrong', () => {
  it('is each thing once, with its count and its first message', () => {
    const first = status();
    expect(told(first, status(), status())).toEqual([
      {
        kind: 'crash',
        what: 'pods default/web: container web: terminated (OOMKilled, exit code 137)',
        object: 'pods default/web',
        count: 3,
        message: first.seq,
      },
    ]);
  });

  it('is no end of a container whose Pod is deleted, until there is another one of that name', () => {
    const gone = message({ ...WEB, verb: 'delete' });
    expect(told(gone, status())).toEqual([]);
    expect(told(message({ ...WEB, verb: 'create', subresource: 'eviction' }), status())).toEqual([]);
    expect(told(gone, message({ ...WEB, verb: 'create' }), status())).toHaveLength(1);
    expect(told(message({ ...WEB, verb: 'delete', dryRun: true }), status())).toHaveLength(1);
  });

  it('is no end of a container whose Pod is terminating, until there is one anew', () => {
    const shown = (type: string, deletionTimestamp?: string): Message => {
      const object = { kind: 'Pod', namespace: 'default', name: 'web', deletionTimestamp };
      return message({ kind: 'event', type, from: APISERVER, to: KUBECTL, object });
    };
    const going = shown('MODIFIED', '2026-11-22T18:00:00Z');
    expect(told(going, shown('MODIFIED'), status())).toEqual([]);
    expect(told(going, shown('ADDED'), status())).toHaveLength(1);
  });

  it('is how a container ends whose Pod was not deleted, because the request was refused', () => {
    const refused = exchanged({ ...WEB, verb: 'delete' }, { status: 403, reason: 'Forbidden' });
    expect(words(...refused, status())).toContain(
      'pods default/web: container web: terminated (OOMKilled, exit code 137)',
    );
    const done = exchanged({ ...WEB, verb: 'delete' }, { status: 200 });
    expect(words(...done, status())).toEqual([]);
  });

  it('is what Events warn of, by reason and object', () => {
    expect(
      words(warning('FailedScheduling', 'no node'), warning('FailedScheduling', 'none'), warning('BackOff', 'x')),
    ).toEqual(['Event on Pod default/web: FailedScheduling: no node', 'Event on Pod default/web: BackOff: x']);
  });

  it('is what was refused, whichever object it was about; not found and conflicts are ordinary', () => {
    const creates = (name: string): Given => ({ verb: 'create', resource: 'pods', namespace: 'team', name });
    const forbidden = { status: 403, reason: 'Forbidden', statusMessage: 'exceeded quota: q' };
    const all = told(...exchanged(creates('a'), forbidden), ...exchanged(creates('b'), forbidden));
    expect(all).toMatchObject([{ what: 'kubectl: create pods in team: 403 Forbidden: exceeded quota: q', count: 2 }]);
    expect(words(...exchanged(creates('a'), { status: 404 }), ...exchanged(creates('a'), { status: 409 }))).toEqual([]);
    const registry = { protocol: 'registry', method: 'HEAD', target: '/v2/app/manifests/1', resource: 'pods' } as const;
    expect(words(...exchanged(registry, { status: 401, protocol: 'registry' }))).toEqual([
      'kubectl: HEAD /v2/app/manifests/1: 401',
    ]);
    expect(words(message({ kind: 'response', status: 500, exchange: 0, to: KUBECTL }))).toEqual([]);
  });

  it('names the object as long as all requests are about one', () => {
    const updates = (name: string): Given => ({ verb: 'update', resource: 'leases', namespace: 'kube-system', name });
    const failed = { status: 500, reason: 'InternalError', statusMessage: 'no space' };
    const [once, twice] = [updates('kube-scheduler'), updates('kube-scheduler')];
    const of = 'kubectl: update leases kube-system/kube-scheduler: 500 InternalError: no space';
    expect(told(...exchanged(once, failed), ...exchanged(twice, failed))).toMatchObject([{ what: of, count: 2 }]);
    const both = told(...exchanged(once, failed), ...exchanged(updates('other'), failed));
    expect(both).toMatchObject([
      { what: 'kubectl: update leases in kube-system: 500 InternalError: no space', count: 2 },
    ]);
    const namespace = { verb: 'patch', resource: 'namespaces', namespace: 'team', name: 'team' };
    expect(words(...exchanged(namespace, failed))).toEqual([
      'kubectl: patch namespaces team: 500 InternalError: no space',
    ]);
  });

  it('is usual while an API server starts, and not when it has started', () => {
    const probe = { protocol: 'http', method: 'GET', target: '/readyz' } as const;
    const unready = (statusMessage: string): Message[] =>
      exchanged(probe, { status: 500, reason: 'InternalError', statusMessage });
    const refused = (): Message[] => exchanged({ verb: 'watch', resource: 'pods', from: SCHEDULER }, { status: 403 });
    const kinds = (...messages: readonly Message[]): string[] => told(...messages).map(({ kind }) => kind);
    const hooks = 'not ready: etcd, poststarthook/rbac/bootstrap-roles';
    const granted = exchanged({ verb: 'watch', resource: 'pods', from: SCHEDULER }, { status: 200 });
    expect(kinds(...unready(hooks), ...refused(), ...granted)).toEqual(['start-up', 'start-up']);
    expect(kinds(...unready(hooks), ...exchanged(probe, { status: 200 }), ...refused(), ...granted)).toEqual([
      'start-up',
      'refused',
    ]);
    expect(kinds(...unready('not ready: etcd'))).toEqual(['failed']);
    // What is usual is no message with a problem.
    const shown: Message[] = [];
    const problems = new Problems((message) => shown.push(message));
    const later = exchanged({ verb: 'watch', resource: 'pods', from: SCHEDULER }, { status: 403 });
    for (const one of [...unready(hooks), ...refused(), ...exchanged(probe, { status: 200 }), ...later])
      problems.add(one);
    expect(shown).toEqual([later[1]]);
  });

  it('is no start where a client stays refused, whatever its server does meanwhile', () => {
    const kinds = (...messages: readonly Message[]): string[] => {
      const problems = new Problems();
      problems.refused('192.0.2.10:8080', messages[0].time);
      for (const one of messages) problems.add(one);
      return problems.result().map(({ kind, usual }) => `${kind} ${usual !== undefined}`);
    };
    const gets = (resource: string, status: number, from = SCHEDULER): Message[] =>
      exchanged({ verb: 'list', resource, from }, { status });
    expect(kinds(...gets('pods', 403), ...gets('pods', 200))).toEqual(['start-up true']);
    expect(kinds(...gets('pods', 403))).toEqual(['refused false']);
    expect(kinds(...gets('pods', 403), ...gets('nodes', 200), ...gets('pods', 200, KUBECTL))).toEqual([
      'refused false',
    ]);
    expect(kinds(...gets('pods', 403), ...gets('pods', 200), ...gets('pods', 403))).toEqual(['refused false']);
    // A leader reads its Lease when its write was refused, and later writes again.
    const lease = (verb: string, status: number): Message[] =>
      exchanged({ verb, resource: 'leases', namespace: 'kube-system', name: 'a', from: SCHEDULER }, { status });
    expect(kinds(...lease('update', 403), ...lease('get', 403), ...lease('update', 200))).toEqual([
      'start-up true',
      'start-up true',
    ]);
    expect(kinds(...lease('update', 403), ...lease('get', 200))).toEqual(['refused false']);
    expect(kinds(...gets('pods', 403, KUBECTL), ...gets('pods', 200, KUBECTL))).toEqual(['refused false']);
  });

  it('is usual what kubelets warn of their nodes, and a container before its first probes', () => {
    const event = (kind: string, reason: string, text: string, type = 'Warning'): Message =>
      message({
        verb: 'create',
        resource: 'events',
        k8sEvent: { type, reason, message: text, kind, namespace: 'default', name: 'web', uid: '', component: '' },
      });
    const kinds = (...messages: readonly Message[]): string[] => told(...messages).map(({ kind }) => kind);
    const started = event('Pod', 'Started', 'Started container web', 'Normal');
    const unready = event('Pod', 'Unhealthy', 'Readiness probe failed: no');
    expect(kinds(event('Node', 'CgroupV1', 'x'), event('Pod', 'CgroupV1', 'x'))).toEqual(['start-up', 'warning']);
    expect(kinds(unready)).toEqual(['warning']);
    expect(kinds(started, unready)).toEqual(['start-up']);
    expect(kinds(started, event('Pod', 'Unhealthy', 'Liveness probe failed: no'))).toEqual(['warning']);
  });

  it('is what a container runtime could not do, but not that something is gone', () => {
    const pulls = { protocol: 'cri', rpcMethod: 'PullImage', service: 'runtime.v1.ImageService' } as const;
    const failed = (grpcStatus: number, reason: string): Message[] =>
      exchanged(pulls, { protocol: 'cri', status: 200, grpcStatus, reason, statusMessage: 'no credentials' });
    expect(words(...failed(2, 'UNKNOWN'))).toEqual(['kube-apiserver: PullImage: UNKNOWN: no credentials']);
    expect(words(...failed(5, 'NOT_FOUND'), ...failed(0, ''))).toEqual([]);
  });

  it('is of so many kinds at most, with the count of others', () => {
    const problems = new Problems();
    for (let i = 0; i < 1010; i++) problems.add(message({ ...WEB, name: `p${i}`, verb: 'patch', problems: [KILLED] }));
    expect([problems.result().length, problems.uncounted]).toEqual([1000, 10]);
  });
});
