// The life of a Deployment on two nodes, captured at two places: what must be drawn is drawn in its order, the diagram
// stays short, and no cause contradicts uids and versions.

import { describe, expect, it } from 'vitest';
import { arrowsOf, notesOf } from '../../src/diagram/model.js';
import { remarksFor } from '../../src/diagram/notes/closing-note.js';
import { buildSequence, type DiagramOptions, type Message, parseFollow, type Sequence } from '../../src/index.js';
import { observedTogether } from '../kit/diagrams.js';
import { edgesOf, missingEdges } from '../kit/edges.js';
import { fixture, fixtureLines } from '../kit/fixtures.js';

const CAPTURES = ['deployment-tls/control-plane.pcap', 'deployment-tls/node-1.pcap'];
const { messages, notices } = await observedTogether(CAPTURES, 'deployment-tls/keys.log');
const bySeq = new Map(messages.map((one) => [one.seq, one]));
const answers = new Map(messages.filter((one) => one.kind === 'response').map((one) => [one.exchange, one]));

function drawn(options: DiagramOptions = {}): Sequence {
  return buildSequence(
    { messages, notices },
    { follow: parseFollow('deployment/web', 'default') ?? undefined, ...options },
  );
}

const ALL: DiagramOptions['layers'] = new Set([
  'kubernetes',
  'etcd',
  'cri',
  'kubelet',
  'registry',
  'docker',
  'http',
  'grpc',
] as const);
const BEHIND = new Set(['endpointslices', 'endpoints']);
/** What is made anew, and ReplicaSets that become smaller as another one's Pods are available. */
const FOR_BROTHERS = /^\[REQ\] (?:POST|PUT \S+\/replicasets\/[^/]+$)/;
const BECAUSE_OF = new Set(['Pod', 'Service']);
const whole = drawn();
const labels = arrowsOf(whole.steps).map((one) => one.message.label);
const text = (sequence: Sequence): string =>
  notesOf(sequence.steps)
    .flatMap((note) => note.lines)
    .join('\n');

describe('the diagram of deployment/web', () => {
  it('has every required edge, in order', () => {
    const edges = edgesOf(Buffer.from(fixture('deployment-tls/expected-deployment-web.mmd')).toString());
    expect(edges.length).toBeGreaterThan(50);
    expect(missingEdges(edges, whole)).toEqual([]);
  });

  it('needs at most 80 arrows until the first two Pods run, both nodes among them', () => {
    // The audit log tells when the two kubelets patched the status of a running Pod for the second time.
    const pods = ['web-64c966cf88-6c5vr', 'web-64c966cf88-qbpq5'];
    const running = pods.map(
      (pod) =>
        arrowsOf(whole.steps).filter((one) => one.message.name === pod && one.message.subresource === 'status')[1],
    );
    expect(running.map((one) => one.message.from.name)).toEqual(['kubelet (node-1)', 'kubelet (node-2)']);
    const ids = running.map((one) => one.message.auditId ?? answers.get(one.message.exchange)?.auditId);
    const audit = fixtureLines<{ auditID: string; verb: string; objectRef?: { name: string } }>(
      'deployment-tls/audit.jsonl',
    );
    expect(
      ids.map((id) => audit.find((one) => one.auditID === id)).map((one) => `${one?.verb} ${one?.objectRef?.name}`),
    ).toEqual(pods.map((pod) => `patch ${pod}`));
    expect(arrowsOf(whole.steps).indexOf(running[1])).toBeLessThan(80);
  });

  it('stays readable over the whole life: what Pods share is drawn once, with their number', () => {
    expect(whole.drawn).toBeLessThanOrEqual(200);
    const titles = whole.steps.flatMap((step) => (step.kind === 'loop' ? (step.title ?? []) : []));
    const shared = [...titles, ...notesOf(whole.steps).flatMap((note) => note.lines)].filter((line) =>
      /^\d+ Pods: /.test(line),
    );
    expect(shared.map((line) => line.replace(/web-(\w+)-\w+/g, 'web-$1')).sort()).toEqual([
      '2 Pods: web-76f957db5c, web-76f957db5c go this way',
      '3 Pods: web-64c966cf88, web-64c966cf88, web-64c966cf88, with kubelet (node-1) and kubelet (node-2) go this way',
      '3 Pods: web-76f957db5c, web-76f957db5c, web-76f957db5c, with kubelet (node-1) and kubelet (node-2) go this way',
    ]);
  });

  it('has a chapter for each change that a person made to it', () => {
    const chapters = [
      'create deployments/web',
      'patch deployments/web/scale',
      'patch deployments/web',
      'delete deployments/web',
    ];
    expect(
      notesOf(whole.steps)
        .flatMap((note) => note.lines)
        .filter((line) => chapters.includes(line)),
    ).toEqual(chapters);
  });

  it('draws every refusal, whatever else is folded', () => {
    expect(labels.filter((one) => one === '[RESP] 409 Conflict')).toHaveLength(3);
    expect(labels.filter((one) => one === '[RESP] 403 Forbidden')).toHaveLength(1);
  });

  it('accounts for every message of both captures', () => {
    for (const sequence of [whole, drawn({ layers: ALL })]) {
      const folded = Object.values(sequence.folded).reduce((sum, count) => sum + count, 0);
      expect(sequence.drawn + folded).toBe(messages.length);
      const said = [text(sequence), ...remarksFor(sequence)].join('\n');
      for (const [reason, count] of Object.entries(sequence.folded)) expect(said).toContain(`${count} ${reason}`);
    }
  });

  it('is in the order of the capture behind the set-up', () => {
    const seqs = arrowsOf(whole.steps).map((one) => one.message.seq);
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
  });
});

describe('with all layers', () => {
  const all = drawn({ layers: ALL });
  const names = new Map(all.participants.map((one) => [one.id, one.name]));

  it('etcd, the runtime of the node and the registry join in', () => {
    expect([...names.values()]).toEqual(expect.arrayContaining(['etcd', 'container-runtime (node-1)', 'registry']));
    expect([...names.values()]).not.toContain('containerd');
    const doors = new Set(arrowsOf(all.steps).map((one) => one.message.protocol));
    expect([...doors].sort()).toEqual(['cri', 'etcd', 'kubernetes', 'registry']);
  });

  it('a pull of the runtime is the cause of requests to the registry', () => {
    const asked = messages.filter((one) => one.protocol === 'registry' && one.kind === 'request');
    const causes = asked.map((one) => bySeq.get(one.causedBy ?? 0));
    expect(asked).toHaveLength(4);
    expect(causes.map((one) => one?.label)).toEqual(Array(4).fill('[RPC] ImageService/PullImage nginx:latest'));
    // Each asks while its own pull is out.
    for (const [i, cause] of causes.entries()) {
      const end = answers.get(cause?.exchange ?? 0)?.time ?? 0n;
      expect([cause!.time < asked[i].time, asked[i].time < end]).toEqual([true, true]);
    }
  });

  it('every arrow but the roots has a cause: requests of users, and the watches of the set-up', () => {
    const roots = arrowsOf(all.steps).filter(({ message }) => message.causedBy === undefined);
    const others = roots.filter(({ message }) => message.from.component !== 'kubectl' && message.verb !== 'watch');
    expect(others.map(({ message }) => message.label)).toEqual([]);
  });
});

describe('no cause contradicts its messages', () => {
  const uidOf = (one: Message | undefined): string | undefined => one?.object?.uid ?? undefined;
  const isBefore = (a: Message, b: Message): boolean => a.started <= b.time;

  it('a watch event has the write that made its version as its cause', () => {
    let exact = 0;
    for (const event of messages) {
      if (event.kind !== 'event' || event.protocol !== 'kubernetes' || event.causedBy === undefined) continue;
      const write = bySeq.get(event.causedBy) as Message;
      const made = answers.get(write.exchange)?.object;
      expect(isBefore(write, event)).toBe(true);
      if (made?.uid == null || made.resourceVersion == null || write.verb === 'delete') continue;
      expect([made.uid, made.resourceVersion]).toEqual([event.object?.uid, event.object?.resourceVersion]);
      exact += 1;
    }
    expect(exact).toBeGreaterThan(250);
  });

  it('etcd is written at the revision that the API server answers with', () => {
    let exact = 0;
    for (const txn of messages) {
      if (txn.protocol !== 'etcd' || txn.kind !== 'request' || txn.causedBy === undefined) continue;
      const write = bySeq.get(txn.causedBy) as Message;
      const [stored, answered] = [answers.get(txn.exchange), answers.get(write.exchange)];
      expect(isBefore(write, txn)).toBe(true);
      if (write.verb === 'delete' || stored?.succeeded !== true || uidOf(answered) === undefined) continue;
      if (answered?.object?.kind === 'Scale' || (answered?.status ?? 0) >= 300) continue;
      expect(answered?.object?.resourceVersion).toBe(stored.revision);
      exact += 1;
    }
    expect(exact).toBeGreaterThan(80);
  });

  it('a client that acts received the object, its owner or what it owns, by a watch of its own process', () => {
    const owners = new Map<string, string[]>();
    for (const { object } of messages)
      if (object?.uid != null && object.owners !== undefined)
        owners.set(
          object.uid,
          object.owners.map((owner) => owner.uid),
        );
    let checked = 0;
    for (const request of messages) {
      if (request.kind !== 'request' || request.protocol !== 'kubernetes' || request.causedBy === undefined) continue;
      const event = bySeq.get(request.causedBy) as Message;
      const told = uidOf(event);
      const about = request.k8sEvent?.uid ?? uidOf(answers.get(request.exchange)) ?? uidOf(request);
      expect(event.to.process.name).toBe(request.from.process.name);
      expect(event.seq).toBeLessThan(request.seq);
      if (told === undefined || about === undefined || about === '') continue;
      // The Pods behind a Service, and the Service that Endpoints are named after, own nothing of each other.
      if (BEHIND.has(request.resource ?? '') && BECAUSE_OF.has(event.object?.kind ?? '')) continue;
      // Every ClusterRole may be aggregated into another one (pkg/controller/clusterroleaggregation).
      if (request.resource === 'clusterroles' && event.object?.kind === 'ClusterRole') continue;
      // A Namespace holds what is in it; two of one owner are brothers.
      const isWithin = event.object?.kind === 'Namespace' && event.object.name === request.namespace;
      const areBrothers = owners.get(told)?.some((owner) => owners.get(about)?.includes(owner)) === true;
      const isOwner = owners.get(about)?.includes(told) === true || owners.get(told)?.includes(about) === true;
      const related = told === about || isOwner || isWithin || (areBrothers && FOR_BROTHERS.test(request.label));
      if (!related) throw new Error(`message ${request.seq} ${request.label} because of ${event.seq} ${event.label}`);
      checked += 1;
    }
    expect(checked).toBeGreaterThan(100);
  });

  it('a controller is triggered by what it watches: no Deployment triggers the replicaset-controller', () => {
    const woken = messages.filter(
      (one) => one.kind === 'request' && one.from.name === 'replicaset-controller' && one.k8sEvent === undefined,
    );
    const kinds = new Set(woken.map((one) => bySeq.get(one.causedBy ?? 0)?.object?.kind));
    expect([...kinds].sort()).toEqual(['Pod', 'ReplicaSet']);
  });
});
