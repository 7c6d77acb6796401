// Pods that do not start: each diagram says why, as people who look at Pods in trouble want it, from what a real API server, a
// real container runtime and registries said. Who asked is held against the audit log; what a container did, against what the
// Pod was made to do (fixtures/not-starting-tls/README.md).

import { describe, expect, it } from 'vitest';
import { arrowsOf, type Loop, notesOf } from '../../src/diagram/model.js';
import { buildSequence, explain, type Message, parseFollow, type Sequence } from '../../src/index.js';
import { auditLog, loggedAnswers, programOf, toldOtherwise } from '../kit/audit.js';
import { observedTogether } from '../kit/diagrams.js';
import { edgesOf, missingEdges } from '../kit/edges.js';
import { fixture } from '../kit/fixtures.js';
import { observed as observedIn, recordsOf, withRecords } from '../kit/observed.js';

const { messages, notices } = await observedTogether(
  ['not-starting-tls/control-plane.pcap', 'not-starting-tls/node-1.pcap'],
  'not-starting-tls/keys.log',
);
const answers = new Map(messages.filter(({ kind }) => kind === 'response').map((one) => [one.exchange, one]));
const requests = messages.filter(({ kind, protocol }) => kind === 'request' && protocol === 'kubernetes');

const AUDIT = auditLog('not-starting-tls/audit.jsonl');

function followed(
  name: string,
  layers: readonly Message['protocol'][] = ['kubernetes'],
  namespace = 'default',
): Sequence {
  const follow = parseFollow(name, namespace) ?? undefined;
  return buildSequence({ messages, notices }, { follow, layers: new Set(layers) });
}

const linesOf = (sequence: Sequence): readonly string[] => notesOf(sequence.steps).flatMap(({ lines }) => lines);

it('every request of the audit log is shown once, with its client, object and success', () => {
  expect(AUDIT.size).toBeGreaterThan(750);
  const told = loggedAnswers(messages, AUDIT).map(({ auditId }) => auditId);
  expect(told.sort()).toEqual([...AUDIT.keys()].sort());
  expect(toldOtherwise(messages, AUDIT, programOf, new Set([400]))).toEqual([]);
});

/** By what is followed: what the status of its Pods says, in the order in which it is said. */
const STATUSES: readonly (readonly [string, readonly string[]])[] = [
  ['pod/crash', ['container crash: terminated (Error, exit code 3)', 'container crash: waiting (CrashLoopBackOff)']],
  [
    'pod/oom',
    ['container hungry: terminated (OOMKilled, exit code 137)', 'container hungry: waiting (CrashLoopBackOff)'],
  ],
  [
    'pod/badcmd',
    [
      'container badcmd: waiting (RunContainerError)',
      'container badcmd: terminated (StartError, exit code 128)',
      'container badcmd: waiting (CrashLoopBackOff)',
    ],
  ],
  ['pod/noimage', ['container noimage: waiting (ErrImagePull)', 'container noimage: waiting (ImagePullBackOff)']],
  ['pod/denied', ['container denied: waiting (ErrImagePull)', 'container denied: waiting (ImagePullBackOff)']],
  ['pod/noconfig', ['container web: waiting (CreateContainerConfigError)']],
  [
    'pod/initfail',
    ['init container wait: terminated (Error, exit code 1)', 'init container wait: waiting (CrashLoopBackOff)'],
  ],
  ['pod/unlive', ['container web: terminated (Error, exit code 137)', 'container web: waiting (CrashLoopBackOff)']],
  ['job/once', ['container work: terminated (Error, exit code 1)', 'condition Failed=True (BackoffLimitExceeded)']],
  ['pod/selector', []],
  ['pod/nonet', []],
];

describe.each(STATUSES)('the diagram of %s', (name, expected) => {
  const sequence = followed(name);

  it('shows once each problem of its status', () => {
    const said = linesOf(sequence).filter((line) => /^(?:init )?container |^condition /.test(line));
    expect(said).toEqual(expected);
  });

  it('draws every status that has something new, with a note', () => {
    const drawn = arrowsOf(sequence.steps).filter(({ message }) => message.problems !== undefined);
    expect(drawn.length).toBeGreaterThanOrEqual(Math.min(1, expected.length));
    for (const { message } of drawn) expect(message.subresource).toBe('status');
  });
});

describe('what the status does not show, others do', () => {
  it.each([
    ['pod/noimage', /^Failed: Failed to pull image .*nothing:1: not found$/m],
    ['pod/denied', /^Failed: .*authorization failed: no basic auth credentials$/m],
    ['pod/badcmd', /^Failed: Error: .*exec: "\/nothere": stat \/nothere: no such file or directory$/m],
    ['pod/noconfig', /^Failed: Error: configmap "settings" not found$/m],
    ['pod/unlive', /^Unhealthy: Liveness probe failed: cat: can't open '\/gone': No such file or directory$/m],
    ['pod/selector', /^FailedScheduling: 0\/1 nodes are available: 1 node\(s\) didn't match/m],
    ['pod/nonet', /^FailedCreatePodSandBox: .*failed to find plugin "nosuch" in path/m],
    ['pod/oom', /^Invalid: spec \(FieldValueForbidden\)$/m],
    [
      'deploy/typo',
      /^BadRequest: .*strict decoding error: unknown field "spec\.template\.spec\.containers\[0\]\.imagee"$/m,
    ],
  ])('an Event or an answer: %s', (name, words) => {
    expect(linesOf(followed(name)).join('\n')).toMatch(words);
  });

  it.each([
    ['pod/badcmd', 'StartContainer', 'exec: "/nothere"'],
    ['pod/denied', 'PullImage', 'no basic auth credentials'],
    ['pod/nonet', 'RunPodSandbox', 'failed to find plugin "nosuch"'],
  ])('the container runtime, in the words that the kubelet repeats: %s', (name, method, words) => {
    const calls = messages.filter((one) => one.kind === 'request' && one.rpcMethod === method);
    const failed = calls.map(({ exchange }) => answers.get(exchange)).filter((one) => (one?.grpcStatus ?? 0) > 0);
    expect(failed.map((one) => one?.statusMessage?.includes(words))).toContain(true);
    expect(linesOf(followed(name, ['kubernetes', 'cri'])).join('\n')).toContain(words);
  });

  it('the registry: an unknown image, a client without credentials', () => {
    const asked = messages.filter((one) => one.protocol === 'registry' && one.kind === 'request');
    const outcomes = asked.map(({ target, exchange }) => `${target} ${answers.get(exchange)?.status}`);
    expect([...new Set(outcomes)]).toEqual(['/v2/nothing/manifests/1 404', '/v2/private/app/manifests/1 401']);
    expect(arrowsOf(followed('pod/denied', ['cri', 'registry']).steps).map(({ message }) => message.status)).toContain(
      401,
    );
  });
});

describe('a Pod that no node would do for', () => {
  const required = `
    participant C as kubectl
    participant AS as kube-apiserver
    participant S as kube-scheduler
    participant L as kubelet (node-1)
    C ->>+ AS: [REQ] POST /api/v1/namespaces/default/pods - selector
    AS ->> S: [RESP-CHUNK] Pod ADDED - selector
    S ->>+ AS: [REQ] PATCH /api/v1/namespaces/default/pods/selector/status
    C ->>+ AS: [REQ] PATCH /api/v1/nodes/node-1
    AS ->> S: [RESP-CHUNK] Node MODIFIED - node-1
    S ->>+ AS: [REQ] POST /api/v1/namespaces/default/pods/selector/binding
    AS ->> L: [RESP-CHUNK] Pod ADDED - selector
`;

  it('gets one because the node was changed', () => {
    expect(missingEdges(edgesOf(required), followed('pod/selector'))).toEqual([]);
    const binding = requests.find(({ name, subresource }) => name === 'selector' && subresource === 'binding')!;
    expect(explain(messages, binding.seq)).toContain(
      "  it is the trigger: kube-scheduler had received this watch event about the node that it gets, which another client's write had caused",
    );
  });

  it('all others because of themselves', () => {
    const bindings = requests.filter(({ subresource, name }) => subresource === 'binding' && name !== 'selector');
    expect(bindings.length).toBe(11);
    const causes = bindings.map(({ causedBy }) => messages.find(({ seq }) => seq === causedBy));
    expect(causes.map((one) => `${one?.type} ${one?.object?.name}`)).toEqual(
      bindings.map(({ name }) => `ADDED ${name}`),
    );
  });
});

describe('a quota that leaves no room', () => {
  const sequence = followed('deploy/two', ['kubernetes'], 'team');

  it('is noted where it is hit, and becomes a condition of the ReplicaSet, then of the Deployment', () => {
    const lines = linesOf(sequence);
    expect(lines.filter((line) => line.startsWith('condition '))).toEqual([
      'condition ReplicaFailure=True (FailedCreate)',
      'condition ReplicaFailure=True (FailedCreate)',
    ]);
    const saying = arrowsOf(sequence.steps).filter(({ message }) => message.problems !== undefined);
    expect(
      saying
        .map(({ message }) => message.resource)
        .slice(0, 2)
        .sort(),
    ).toEqual(['deployments', 'replicasets']);
    expect(lines.join('\n')).toMatch(/^Forbidden: pods "two-5c654cd894-\w{5}" is forbidden: exceeded quota: q/m);
  });

  it('again and again, each time with another name: a loop with a note', () => {
    const loops = sequence.steps.filter((step): step is Loop => step.kind === 'loop' && step.title !== undefined);
    expect(loops.length).toBeGreaterThan(0);
    for (const loop of loops) {
      expect(loop.title).toBe(`${loop.times} times, each with another name`);
      expect(arrowsOf([loop]).map(({ message }) => message.status)).toContain(403);
    }
    const refused = requests.filter((one) => isAttempt(one) && answers.get(one.exchange)?.status === 403);
    const inLoops = loops.reduce((sum, { times, steps }) => sum + times * attempts(steps), 0);
    const alone = attempts(sequence.steps.filter((step) => !loops.includes(step as Loop)));
    expect(inLoops + alone).toBe(refused.length + 1);
  });
});

function attempts(steps: Sequence['steps']): number {
  return arrowsOf(steps).filter(({ message }) => isAttempt(message)).length;
}

function isAttempt({ verb, resource, subresource }: Message): boolean {
  return verb === 'create' && resource === 'pods' && subresource === undefined;
}

describe('an Event that is only repeated in the capture', () => {
  const late = async (): Promise<Sequence> => {
    const file = fixture('not-starting-tls/control-plane.pcap');
    const keyLogs = [Buffer.from(fixture('not-starting-tls/keys.log')).toString('latin1')];
    const records = recordsOf(file);
    const rest = withRecords(file, records.slice(records.length / 2));
    return buildSequence(await observedIn([rest], { keyLogs }), { follow: parseFollow('pod/crash', 'default')! });
  };

  it('is drawn once, with the text of its response', async () => {
    const { steps } = await late();
    const repeats = arrowsOf(steps).filter(({ message }) => message.resource === 'events');
    expect(repeats.map(({ message }) => message.verb)).toEqual(['patch']);
    const said = notesOf(steps).flatMap(({ lines }) => lines);
    expect(said.filter((line) => line.startsWith('BackOff: Back-off restarting failed container crash'))).toHaveLength(
      1,
    );
  });

  it('has the status of before, where it is read first', async () => {
    const { steps } = await late();
    const at = steps.findIndex(
      (step) => step.kind === 'note' && step.lines.some((line) => line.startsWith('container ')),
    );
    const [answer, note] = steps.slice(at - 1, at + 1);
    expect(answer.kind === 'arrow' && `${answer.message.label} ${answer.message.to.name}`).toBe(
      '[RESP] 200 OK kubelet (node-1)',
    );
    expect(note.kind === 'note' && note.lines).toEqual(['container crash: terminated (Error, exit code 3)']);
  });

  it('is not drawn where it was made', () => {
    const verbs = arrowsOf(followed('pod/crash').steps).filter(({ message }) => message.resource === 'events');
    expect(verbs.length).toBeGreaterThan(0);
    for (const { message } of verbs) expect(message.verb).toBe('create');
  });
});
