// Pods and Deployments that lack something until somebody makes it, in Kubernetes 1.37. Events are held against what tshark and
// Python make of the same capture, requests against the audit log; stories, against what was done (fixtures/lacks-tls/README.md)
// and what the sources of Kubernetes do then.

import { describe, expect, it } from 'vitest';
import { arrowsOf, notesOf } from '../../src/diagram/model.js';
import { Problems } from '../../src/diagram/problems.js';
import { buildSequence, explain, type Message, parseFollow } from '../../src/index.js';
import { tellsAllOf } from '../kit/captured-truth.js';
import { observedTogether } from '../kit/diagrams.js';
import { edgesOf, missingEdges } from '../kit/edges.js';
import { fixture } from '../kit/fixtures.js';

const { messages, notices } = await observedTogether(['lacks-tls/control-plane.pcap'], 'lacks-tls/keys.log');
const bySeq = new Map(messages.map((one) => [one.seq, one]));

tellsAllOf('lacks-tls', messages, { events: 600, requests: 600 });

function drawn(name: string, namespace = 'default'): readonly Message[] {
  const sequence = buildSequence({ messages, notices }, { follow: parseFollow(name, namespace)! });
  return arrowsOf(sequence.steps).map(({ message }) => message);
}

const ofKubelet = ({ from, kind }: Message): boolean => kind === 'request' && from.component === 'kubelet';
const isOf =
  (pod: string) =>
  ({ resource, name }: Message): boolean =>
    resource === 'pods' && name === pod;

/** What lacks what, and by which event its kubelet hears that it is there. */
const PODS = [
  ['files', ['configmaps/settings'], ['POST configmaps - settings'], 'ConfigMap ADDED - settings'],
  ['env', ['secrets/creds'], ['POST secrets - creds'], 'Secret ADDED - creds'],
  ['key', ['configmaps/half'], ['POST configmaps - half', 'PATCH configmaps/half'], 'ConfigMap MODIFIED - half'],
  ['both', ['secrets/pa', 'configmaps/pb'], ['POST secrets - pa', 'POST configmaps - pb'], 'ConfigMap ADDED - pb'],
  ['pull', ['secrets/regcred'], ['POST secrets - regcred'], 'Secret ADDED - regcred'],
] as const;

describe.each(PODS)('the story of pod/%s', (pod, lacked, made, heard) => {
  it("names what is missing where its kubelet reports it: in the Event's request, and in responses to repeated ones", () => {
    const said = messages.filter(({ k8sEvent, missing }) => k8sEvent?.name === pod && missing !== undefined);
    for (const { missing } of said) expect(missing).toEqual(lacked);
    const [made, ...repeated] = said.map(
      ({ kind, from, to }) => `${kind} ${(kind === 'request' ? from : to).component}`,
    );
    expect([made, ...new Set(repeated)].slice(0, 2)).toEqual(
      repeated.length === 0 ? ['request kubelet'] : ['request kubelet', 'response kubelet'],
    );
    expect(drawn(`pod/${pod}`).filter((one) => said.includes(one))).toEqual([said[0]]);
  });

  it('has the request that created it', () => {
    const others = drawn(`pod/${pod}`).filter(({ from, resource }) => from.name === 'kubectl' && resource !== 'pods');
    expect(others.map(({ label }) => label.replace(/^\[REQ\] (\w+) .*default\//, '$1 '))).toEqual(made);
  });

  it('has the delivery to the kubelet, which is the cause of what the kubelet did then for the Pod', () => {
    const events = drawn(`pod/${pod}`).filter(({ kind, label }) => kind === 'event' && label.endsWith(heard));
    expect(events.map(({ to }) => to.name)).toEqual(['kubelet (node-1)']);
    const said = messages.find(({ k8sEvent, missing }) => k8sEvent?.name === pod && missing !== undefined)!;
    const asked = messages.filter((one) => ofKubelet(one) && isOf(pod)(one));
    const isLater = ({ seq }: Message): boolean => seq > events[0].seq;
    expect(asked.filter(isLater).length).toBeGreaterThan(1);
    for (const one of asked) expect(one.causedBy === events[0].seq, one.label).toBe(isLater(one));
    expect(said.seq).toBeLessThan(events[0].seq);
    expect(bySeq.get(events[0].causedBy!)!.from.name).toBe('kubectl');
  });
});

it('explain shows what the event was about', () => {
  const last = messages.findLast((one) => ofKubelet(one) && isOf('files')(one))!;
  expect(explain(messages, last.seq)?.join('\n')).toContain(
    'had received this watch event about what the Pod lacked, which',
  );
});

describe('creations that are refused', () => {
  it.each([
    ['robot', 'serviceaccounts/robot', '/api/v1/namespaces/default/serviceaccounts - robot'],
    ['urgent', 'priorityclasses/high', '/apis/scheduling.k8s.io/v1/priorityclasses - high'],
    ['boxed', 'runtimeclasses/sandboxed', '/apis/node.k8s.io/v1/runtimeclasses - sandboxed'],
  ])(
    'for a Deployment, %s: each refusal and the Event name it, and the story has its creator',
    (name, lacked, made) => {
      const story = drawn(`deploy/${name}`);
      const refusals = story.filter(({ status }) => status === 403);
      expect(refusals.length).toBeGreaterThan(1);
      for (const one of [...refusals, ...story.filter(({ k8sEvent }) => k8sEvent !== undefined)])
        expect(one.missing).toEqual([lacked]);
      const at = story.findIndex(({ label }) => label === `[REQ] POST ${made}`);
      expect(story[at]?.from.name).toBe('kubectl');
      const making = story.filter(
        ({ kind, verb, resource, subresource }) =>
          [kind, verb, resource, subresource].join() === 'request,create,pods,',
      );
      expect(story.indexOf(making.at(-1)!)).toBeGreaterThan(at);
      expect(refusals.filter((one) => story.indexOf(one) < at).length).toBeGreaterThan(1);
    },
  );

  it('a person, for a Namespace that is not there', () => {
    const story = drawn('pod/early', 'later').filter(({ from, to }) => [from.name, to.name].includes('kubectl'));
    expect(story.map(({ label }) => label)).toEqual([
      '[REQ] POST /api/v1/namespaces/later/pods - early',
      '[RESP] 404 Not Found',
      '[REQ] POST /api/v1/namespaces - later',
      '[RESP] 201 Created',
      '[REQ] POST /api/v1/namespaces/later/pods - early',
      '[RESP] 201 Created',
    ]);
    expect(story[1].missing).toEqual(['namespaces/later']);
  });

  it('a request for what is not there lacks nothing', () => {
    const asked = messages.filter(({ status, reason }) => status === 404 && reason === 'NotFound');
    expect(asked.length).toBeGreaterThan(10);
    expect(asked.filter(({ missing }) => missing !== undefined)).toHaveLength(1);
  });
});

/** What a status says that is waited for, and beside what it is said first. */
describe('the story of what waits for other things', () => {
  it.each([
    ['pod/gated', ['condition PodScheduled=False (SchedulingGated)'], '[RESP] 201 Created'],
    ['pod/gates', ['condition Ready=False (ReadinessGatesNotReady)'], '[REQ] PATCH …/pods/gates/status'],
    ['job/later', ['condition Suspended=True (JobSuspended)'], '[REQ] PUT …/jobs/later/status'],
    ['pod/grown', ['condition PodResizePending=True (Deferred)'], '[REQ] PATCH …/pods/grown/status'],
    [
      'hpa/robot',
      ['condition ScalingActive=False (FailedGetResourceMetric)'],
      '[REQ] PUT …/horizontalpodautoscalers/robot/status',
    ],
    [
      'namespace/old',
      [
        'condition NamespaceContentRemaining=True (Some resources are remaining: configmaps. has 1 resource instances)',
        'condition NamespaceFinalizersRemaining=True (Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances)',
      ],
      '[REQ] PUT /api/v1/namespaces/old/status',
    ],
  ])('%s', (name, said, beside) => {
    const { steps } = buildSequence({ messages, notices }, { follow: parseFollow(name, 'default')! });
    const at = steps.findIndex((step) => step.kind === 'note' && step.lines.some((line) => said.includes(line)));
    const note = steps[at];
    expect(note?.kind === 'note' && note.lines).toEqual(said);
    const arrow = steps[at - 1];
    const label = arrow?.kind === 'arrow' ? arrow.message.label : '';
    expect(label.replace(/ \/\S*\/namespaces\/default\//, ' …/')).toBe(beside);
    expect(
      notesOf(steps)
        .flatMap(({ lines }) => lines)
        .filter((line) => said.includes(line)),
    ).toEqual(said);
  });

  it('a Namespace that is terminating: what is changed in it then, and nothing before', () => {
    const story = drawn('namespace/old');
    const ofOthers = story.filter(({ from, kind }) => kind === 'request' && from.name === 'kubectl');
    expect(ofOthers.map(({ label }) => label)).toEqual([
      '[REQ] POST /api/v1/namespaces - old',
      '[REQ] DELETE /api/v1/namespaces/old',
      '[REQ] PATCH /api/v1/namespaces/old/configmaps/held',
    ]);
    const last = story.findLast(({ label }) => label === '[REQ] PUT /api/v1/namespaces/old/finalize');
    expect(last!.seq).toBeGreaterThan(ofOthers[2].seq);
  });

  it('a Pod that may not be evicted: the budget that forbids it, and the change of the budget', () => {
    const evictions = messages.filter(({ kind, subresource }) => kind === 'request' && subresource === 'eviction');
    expect(evictions.map(({ name }) => name?.replace(/-\w+-\w+$/, ''))).toEqual(['kept', 'kept']);
    const refusal = messages.find(({ kind, exchange }) => kind === 'response' && exchange === evictions[0].exchange)!;
    expect([refusal.status, refusal.missing]).toEqual([429, ['poddisruptionbudgets/kept']]);
    expect(refusal.statusMessage).toMatch(
      /budget\. The disruption budget kept needs 1 healthy pods and has 1 currently$/,
    );
    const story = drawn(`pod/${evictions[0].name}`).filter(
      (one) => (one.kind === 'request' && one.resource === 'poddisruptionbudgets') || evictions.includes(one),
    );
    expect(story.map(({ verb, subresource = '' }) => `${verb} ${subresource}`)).toEqual([
      'create ',
      'create eviction',
      'patch ',
      'create eviction',
    ]);
  });

  it('a Pod that may be evicted: its status has the reason, then it is deleted, both because of the eviction', () => {
    const [, eviction] = messages.filter(({ kind, subresource }) => kind === 'request' && subresource === 'eviction');
    const told = messages.filter(
      ({ kind, seq, object }) => kind === 'event' && object?.name === eviction.name && seq > eviction.seq,
    );
    const [why, goes] = [...new Set(told.map(({ object }) => object!.resourceVersion))].map((version) =>
      told.filter(({ object }) => object!.resourceVersion === version),
    );
    expect(why.map(({ object, causedBy }) => [object!.deletionTimestamp, causedBy])).toEqual(
      why.map(() => [undefined, eviction.seq]),
    );
    expect(goes.map(({ to }) => to.name)).toEqual(['kubelet (node-1)', 'kube-scheduler', 'kube-controller-manager']);
    expect(goes.map(({ object, causedBy }) => [object!.deletionTimestamp, causedBy])).toEqual(
      goes.map(() => [expect.stringMatching(/^2026-11-23T/), eviction.seq]),
    );
  });

  it.each([
    ['pdb/kept', ['kubectl']],
    ['secret/creds', ['kubelet (node-1)']],
    ['sa/robot', ['replicaset-controller']],
  ])('%s: reported missing before another program acts on it', (name, participants) => {
    const story = drawn(name);
    const said = story.filter(({ missing }) => missing !== undefined);
    expect([...new Set(said.map(({ kind, from, to }) => (kind === 'request' ? from : to).name))]).toEqual(participants);
    const done = story.findLastIndex(({ kind, from }) => kind === 'request' && from.name === 'kubectl');
    expect(story.indexOf(said[0])).toBeLessThan(done);
  });

  it('refusals are counted by what they lack', () => {
    const problems = new Problems();
    for (const one of messages) problems.add(one);
    const refused = problems.result().filter(({ what }) => what.startsWith('replicaset-controller: create pods'));
    expect(
      refused.map(({ what }) => /(?:account|RuntimeClass|name) "?(\w+)"? (?:not|was)/.exec(what)?.[1]).sort(),
    ).toEqual(['high', 'robot', 'sandboxed']);
    for (const { count } of refused) expect(count).toBeGreaterThan(5);
  });
});

it.each(['pod/files', 'deploy/robot'])('the story of %s has what the sources do, in their order', (name) => {
  const edges = edgesOf(Buffer.from(fixture(`lacks-tls/expected-${name.split('/')[1]}.mmd`)).toString());
  expect(edges.length).toBeGreaterThan(8);
  expect(missingEdges(edges, buildSequence({ messages, notices }, { follow: parseFollow(name, 'default')! }))).toEqual(
    [],
  );
});
