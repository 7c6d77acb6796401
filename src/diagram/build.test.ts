import { describe, expect, it } from 'vitest';
import { kubeseqDiagram, observed, observedTogether } from '../../test/kit/diagrams.js';
import { APISERVER, changed, KUBECTL, MANAGER, message, REPLICASETS, SCHEDULER } from '../../test/kit/messages.js';
import type { Message } from '../kubernetes/messages/message.js';
import { buildSequence } from './build.js';
import { arrowsOf, notesOf, type Sequence } from './model.js';
import { remarksFor } from './notes/closing-note.js';

const NGINX = 'run-nginx-http1/capture.pcap';

function told(sequence: Sequence): string[] {
  const names = new Map(sequence.participants.map((one) => [one.id, one.name]));
  return arrowsOf(sequence.steps).map(
    ({ from, to, message: { label } }) => `${names.get(from)} → ${names.get(to)}: ${label}`,
  );
}

function isIn(order: readonly string[], wanted: readonly string[]): boolean {
  let at = 0;
  for (const one of order) if (one === wanted[at]) at += 1;
  return at === wanted.length;
}

const L = 'kubelet (node-1)';
const AS = 'kube-apiserver';
const S = 'kube-scheduler';

describe("the article's diagram from the real capture", async () => {
  const followed = await kubeseqDiagram(NGINX, { follow: 'pod/nginx' });
  const arrows = told(followed);

  it('shows the twelve steps in capture order; the 201 to kubectl and the event to the scheduler race', () => {
    const before = [
      `${S} → ${AS}: [REQ] GET /api/v1/pods?watch=true&fieldSelector=status.phase!=Succeeded,status.phase!=Failed`,
      `${AS} → ${S}: [RESP] 200 OK, chunked, wait for chunks...`,
      `${L} → ${AS}: [REQ] GET /api/v1/pods?watch=true&fieldSelector=spec.nodeName=node-1`,
      `${AS} → ${L}: [RESP] 200 OK, chunked, wait for chunks...`,
      `kubectl → ${AS}: [REQ] POST /api/v1/namespaces/default/pods - nginx`,
    ];
    const race = [`${AS} → kubectl: [RESP] 201 Created`, `${AS} → ${S}: [RESP-CHUNK] Pod ADDED - nginx`];
    const after = [
      `${S} → ${AS}: [REQ] POST /api/v1/namespaces/default/pods/nginx/binding`,
      `${AS} → ${L}: [RESP-CHUNK] Pod ADDED - nginx`,
      `${AS} → ${S}: [RESP] 201 Created`,
      `${L} → ${AS}: [REQ] PATCH /api/v1/namespaces/default/pods/nginx/status`,
      `${AS} → ${L}: [RESP] 200 OK`,
    ];
    expect(arrows.slice(0, 5)).toEqual(before);
    expect(isIn(arrows, [...before, race[0], ...after]) && isIn(arrows, [...before, race[1], ...after])).toBe(true);
  });

  it('needs at most 60 arrows up to the deletion of the Pod', () => {
    const deleted = arrows.findIndex((one) => one.endsWith('Pod DELETED - nginx'));
    expect(deleted).toBeGreaterThan(12);
    expect(deleted).toBeLessThanOrEqual(60);
  });

  it('draws in capture order, with the set-up before the note', () => {
    const seqs = arrowsOf(followed.steps).map((arrow) => arrow.message.seq);
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
    const setUp = followed.steps.findIndex((step) => step.kind === 'note' && step.lines[0] === 'After k8s setup');
    expect(setUp).toBe(4);
  });

  it('accounts for every message: drawn or folded, with its reason', async () => {
    const { messages } = await observed(NGINX);
    const folded = Object.values(followed.folded).reduce((sum, count) => sum + count, 0);
    expect(followed.drawn + folded).toBe(messages.length);
    expect(followed.drawn).toBe(arrows.length);
    const remarks = remarksFor(followed).join('\n');
    for (const [reason, count] of Object.entries(followed.folded)) expect(remarks).toContain(`${count} ${reason}`);
    const last = notesOf(followed.steps).at(-1)?.lines.join('\n') ?? '';
    expect(last).toContain('complete capture: every connection was decoded');
  });

  it('is what is drawn without options too: the Pod is all that a person wrote', async () => {
    expect(told(await kubeseqDiagram(NGINX))).toEqual(arrows);
  });
});

describe('--all', () => {
  it('folds nothing away', async () => {
    const { messages } = await observed(NGINX);
    const sequence = await kubeseqDiagram(NGINX, { all: true, layers: new Set(messages.map((one) => one.protocol)) });
    expect(sequence.folded).toEqual({});
    expect(sequence.drawn).toBe(messages.length);
  });

  it('nor moves anything: the answers of a storm come as they came', async () => {
    const observation = await observedTogether(['throttle-tls/capture.pcap'], 'throttle-tls/keys.log');
    const { steps, folded, drawn } = buildSequence(observation, { all: true });
    expect([folded, drawn]).toEqual([{}, observation.messages.length]);
    expect(steps.some((step) => step.kind === 'loop')).toBe(false);
    expect(arrowsOf(steps).map(({ message }) => message.seq)).toEqual(observation.messages.map(({ seq }) => seq));
  });
});

describe('errors', () => {
  it('are never folded: every failed request of a person is in the diagram, with its reason', async () => {
    const { messages } = await observed('errors-http1/capture.pcap');
    const sequence = await kubeseqDiagram('errors-http1/capture.pcap');
    const drawn = new Set(arrowsOf(sequence.steps).map((arrow) => arrow.message.seq));
    const failed = messages.filter(
      (one) => one.kind === 'response' && (one.status ?? 0) >= 400 && /curl|kubectl|raw-client/.test(one.to.component),
    );
    expect(failed.length).toBeGreaterThan(10);
    expect(failed.filter((one) => !drawn.has(one.seq)).map((one) => one.label)).toEqual([]);
    expect(notesOf(sequence.steps).flatMap((note) => note.lines)).toContain(
      'AlreadyExists: configmaps "cm1" already exists',
    );
  });
});

describe('causes', () => {
  /** A ReplicaSet's event to the shared informer, and what two controllers did about it. */
  function story(): Message[] {
    const write = message({
      from: KUBECTL,
      to: APISERVER,
      verb: 'create',
      resource: 'replicasets',
      apiGroup: 'apps',
      namespace: 'default',
      name: 'web',
      method: 'POST',
      label: '[REQ] POST rs',
    });
    const made = { kind: 'ReplicaSet', name: 'web', namespace: 'default', uid: 'u1', resourceVersion: '7' };
    const answer = message({
      kind: 'response',
      from: APISERVER,
      to: KUBECTL,
      exchange: write.exchange,
      status: 201,
      object: made,
      label: '[RESP] 201 Created',
    });
    const watch = message({
      from: MANAGER,
      to: APISERVER,
      verb: 'watch',
      resource: 'replicasets',
      label: '[REQ] GET rs?watch=true',
    });
    const opened = message({
      kind: 'response',
      from: APISERVER,
      to: MANAGER,
      exchange: watch.exchange,
      status: 200,
      label: '[RESP] 200 OK',
    });
    const event = message({
      kind: 'event',
      from: APISERVER,
      to: MANAGER,
      exchange: watch.exchange,
      type: 'ADDED',
      object: made,
      causedBy: write.seq,
      label: '[RESP-CHUNK] ReplicaSet ADDED - web',
    });
    const idle = message({
      kind: 'event',
      from: APISERVER,
      to: SCHEDULER,
      type: 'ADDED',
      object: made,
      causedBy: write.seq,
      label: '[RESP-CHUNK] idle',
    });
    const pod = {
      kind: 'Pod',
      name: 'web-1',
      namespace: 'default',
      uid: 'u2',
      owners: [{ kind: 'ReplicaSet', name: 'web', uid: 'u1' }],
    };
    const acted = message({
      from: REPLICASETS,
      to: APISERVER,
      verb: 'create',
      resource: 'pods',
      namespace: 'default',
      causedBy: event.seq,
      object: pod,
      label: '[REQ] POST pods',
    });
    const done = message({
      kind: 'response',
      from: APISERVER,
      to: REPLICASETS,
      exchange: acted.exchange,
      status: 201,
      object: pod,
      label: '[RESP] 201 Created',
    });
    return [watch, opened, write, answer, event, idle, acted, done];
  }

  it('an event of a shared informer points at the controller that acted on it', () => {
    const sequence = buildSequence({ messages: story(), notices: [] });
    expect(told(sequence)).toContain('kube-apiserver → replicaset-controller: [RESP-CHUNK] ReplicaSet ADDED - web');
    expect(sequence.participants.find((one) => one.name === 'replicaset-controller')?.box).toBe(
      'kube-controller-manager',
    );
  });

  it('--by component draws the manager as one', () => {
    const sequence = buildSequence({ messages: story(), notices: [] }, { by: 'component' });
    expect(sequence.participants.map((one) => one.name)).toEqual([
      'kubectl',
      'kube-apiserver',
      'kube-controller-manager',
    ]);
  });

  it('a delivery without reaction is a count in a note', () => {
    const sequence = buildSequence({ messages: story(), notices: [] });
    expect(told(sequence).some((one) => one.includes('idle'))).toBe(false);
    expect(notesOf(sequence.steps).at(-1)?.lines[0]).toBe('also delivered to: kube-scheduler (1 watch)');
  });

  it('a watch that was opened before the capture gets a note instead', () => {
    const [before, , ...rest] = story();
    const later = rest.map((one) => (one.request === before ? changed(one, { request: undefined }) : one));
    const sequence = buildSequence({ messages: later, notices: [] });
    expect(notesOf(sequence.steps)[0]).toMatchObject({ lines: ['watches ReplicaSet', '(opened before the capture)'] });
  });

  it('a request without a response has a note, and leaves no bar open', () => {
    const sequence = buildSequence({ messages: story().slice(0, 3), notices: [] });
    const last = arrowsOf(sequence.steps).at(-1);
    expect(last).toMatchObject({ activates: false });
    expect(notesOf(sequence.steps)[0].lines).toEqual(['no answer in the capture']);
    expect(notesOf(sequence.steps).at(-1)?.lines.at(-1)).toBe('missing in the capture: 1 request without a response');
  });

  it('an answer before its request ends no bar that is not open', () => {
    const request = message({ label: '[REQ] GET /a' });
    const response = message({ kind: 'response', exchange: request.exchange, status: 200, seq: request.seq - 0.5 });
    const steps = arrowsOf(buildSequence({ messages: [response, request], notices: [] }).steps);
    expect(steps.map(({ activates, deactivates }) => activates || deactivates)).toEqual([false, false]);
  });

  it('a Warning about a followed object is drawn with its reason, a Normal one is folded', () => {
    const report = {
      type: 'Warning',
      reason: 'FailedScheduling',
      message: '0/1 nodes are available',
      kind: 'ReplicaSet',
      namespace: 'default',
      name: 'web',
      uid: 'u1',
      component: 'default-scheduler',
    };
    const warned = message({
      from: SCHEDULER,
      to: APISERVER,
      verb: 'create',
      resource: 'events',
      k8sEvent: report,
      label: '[REQ] POST events',
    });
    const normal = message({
      from: SCHEDULER,
      to: APISERVER,
      verb: 'create',
      resource: 'events',
      k8sEvent: { ...report, type: 'Normal' },
      label: '[REQ] POST normal',
    });
    const sequence = buildSequence({ messages: [...story(), warned, normal], notices: [] });
    expect(told(sequence)).toContain('kube-scheduler → kube-apiserver: [REQ] POST events');
    expect(told(sequence).some((one) => one.includes('normal'))).toBe(false);
    expect(
      notesOf(sequence.steps).some((note) => note.lines.includes('FailedScheduling: 0/1 nodes are available')),
    ).toBe(true);
    expect(sequence.folded['Events']).toBe(1);
  });
});
