// Stories of objects, as the sources of Kubernetes and of other programs have them: what must be drawn, in its order; and words of
// status, Events and runtimes that must stand beside it, of what was made to go wrong (fixtures/*/README.md).

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { arrowsOf, notesOf } from '../../src/diagram/model.js';
import { buildSequence, type Message, parseFollow, type Sequence } from '../../src/index.js';
import { edgesOf, missingEdges } from '../kit/edges.js';
import { fixture } from '../kit/fixtures.js';
import { observeWhole } from '../kit/whole-fixtures.js';

type Layers = readonly Message['protocol'][];

const STORIES = new Map<string, Promise<Sequence>>();

function storyOf(name: string, follow: string, layers: Layers = ['kubernetes']): Promise<Sequence> {
  const key = [name, follow, ...layers].join(' ');
  const drawn =
    STORIES.get(key) ??
    observeWhole(name).then(({ messages, notices }) => {
      const [namespace, object] = follow.includes(' ') ? follow.split(' ') : ['default', follow];
      return buildSequence({ messages, notices }, { follow: parseFollow(object, namespace)!, layers: new Set(layers) });
    });
  STORIES.set(key, drawn);
  return drawn;
}

const edgesIn = (file: string): string =>
  file.includes('/')
    ? Buffer.from(fixture(`${file}.mmd`)).toString()
    : readFileSync(fileURLToPath(new URL(`stories/${file}.mmd`, import.meta.url)), 'utf8');

/** Fixture, what is followed, the file of what must be drawn: of the fixture, or in stories/. */
const EDGES: readonly (readonly [name: string, follow: string, file: string])[] = [
  ['bootstrap-tls', 'csr/csr-rthfm', 'bootstrap-tls/expected-client'],
  ['bootstrap-tls', 'csr/csr-mft4d', 'bootstrap-tls/expected-client'],
  ['bootstrap-tls', 'csr/csr-4kbfw', 'bootstrap-tls/expected-serving'],
  ['deployment-tls', 'deployment/web', 'deployment-tls/expected-deployment-web'],
  ['lacks-tls', 'pod/files', 'lacks-tls/expected-files'],
  ['lacks-tls', 'deploy/robot', 'lacks-tls/expected-robot'],
  ['not-starting-tls', 'pod/selector', 'not-starting-pod-selector'],
  ['operator-tls', 'cache/front', 'operator-tls/expected-operator'],
  ['pod-network-tls', 'service/web', 'pod-network-service-web'],
  ['volumes-tls', 'pod/lost', 'volumes-tls/expected-lost'],
  ['volumes-tls', 'pod/app', 'volumes-tls/expected-app'],
  ['workloads-tls', 'statefulset/db', 'workloads-statefulset-db'],
  ['workloads-tls', 'pod/db-0', 'workloads-pod-db-0'],
  ['workloads-tls', 'cronjob/tick', 'workloads-cronjob-tick'],
  ['workloads-tls', 'hpa/web', 'workloads-hpa-web'],
  ['workloads-tls', 'deployment/web', 'workloads-deployment-web'],
  ['workloads-tls', 'memcached/cache', 'workloads-tls/expected-operator'],
  ['workloads-tls', 'namespace/team', 'workloads-namespace-team'],
];

it.each(EDGES)('%s: the story of %s has every arrow of %s, in order', async (name, follow, file) => {
  const edges = edgesOf(edgesIn(file));
  expect(edges.length).toBeGreaterThan(2);
  expect(missingEdges(edges, await storyOf(name, follow))).toEqual([]);
});

/** A node's silence and a lack of room are no events. */
const WITHOUT_CAUSE = new Set(['kubectl', 'node-controller', 'kube-scheduler']);
const WHOLLY_CAUSED = EDGES.filter(([name]) => ['deployment-tls', 'pod-network-tls', 'workloads-tls'].includes(name));

it.each(WHOLLY_CAUSED)('%s: the story of %s has no change without an author', async (name, follow) => {
  // What a watch begins with is state, and no change.
  const roots = arrowsOf((await storyOf(name, follow)).steps).filter(
    ({ message }) => message.causedBy === undefined && !message.initial,
  );
  const others = roots.filter(({ message: { from, verb } }) => !WITHOUT_CAUSE.has(from.name) && verb !== 'watch');
  expect(others.map(({ message: { from, label } }) => `${from.name}: ${label}`)).toEqual([]);
});

type Words = readonly (string | RegExp)[];

/** What the status says, in the order in which it is said; by the object, as it was made to fail. */
const STATUSES: readonly (readonly [name: string, follow: string, words: readonly string[]])[] = [
  [
    ...(['not-starting-tls', 'pod/crash'] as const),
    ['container crash: terminated (Error, exit code 3)', 'container crash: waiting (CrashLoopBackOff)'],
  ],
  [
    ...(['not-starting-tls', 'pod/oom'] as const),
    ['container hungry: terminated (OOMKilled, exit code 137)', 'container hungry: waiting (CrashLoopBackOff)'],
  ],
  [
    ...(['not-starting-tls', 'pod/badcmd'] as const),
    [
      'container badcmd: waiting (RunContainerError)',
      'container badcmd: terminated (StartError, exit code 128)',
      'container badcmd: waiting (CrashLoopBackOff)',
    ],
  ],
  [
    ...(['not-starting-tls', 'pod/noimage'] as const),
    ['container noimage: waiting (ErrImagePull)', 'container noimage: waiting (ImagePullBackOff)'],
  ],
  [
    ...(['not-starting-tls', 'pod/denied'] as const),
    ['container denied: waiting (ErrImagePull)', 'container denied: waiting (ImagePullBackOff)'],
  ],
  ['not-starting-tls', 'pod/noconfig', ['container web: waiting (CreateContainerConfigError)']],
  [
    ...(['not-starting-tls', 'pod/initfail'] as const),
    ['init container wait: terminated (Error, exit code 1)', 'init container wait: waiting (CrashLoopBackOff)'],
  ],
  [
    ...(['not-starting-tls', 'pod/unlive'] as const),
    ['container web: terminated (Error, exit code 137)', 'container web: waiting (CrashLoopBackOff)'],
  ],
  [
    ...(['not-starting-tls', 'job/once'] as const),
    ['container work: terminated (Error, exit code 1)', 'condition Failed=True (BackoffLimitExceeded)'],
  ],
  ['not-starting-tls', 'pod/selector', []],
  ['not-starting-tls', 'pod/nonet', []],
  ['not-starting-tls', 'team deploy/two', Array(2).fill('condition ReplicaFailure=True (FailedCreate)')],
  ['bootstrap-tls', 'csr/jane', []],
  [
    ...(['bootstrap-tls', 'csr/mallory'] as const),
    ['condition Denied=True (This CSR was denied by kubectl certificate deny.)'],
  ],
  ['bootstrap-tls', 'csr/wrong', ['condition Failed=True (subject organization is not system:nodes)']],
  ['lacks-tls', 'pod/gated', ['condition PodScheduled=False (SchedulingGated)']],
  ['lacks-tls', 'job/later', ['condition Suspended=True (JobSuspended)']],
];

it.each(STATUSES)('%s: the story of %s has once each problem of its status', async (name, follow, words) => {
  const lines = notesOf((await storyOf(name, follow)).steps).flatMap((note) => note.lines);
  expect(lines.filter((line) => /^(?:init )?container |^condition /.test(line))).toEqual(words);
});

/** Fixture, what is followed, lines that must stand in its notes, one after another; layers, where not the API's alone. */
const SAID: readonly (readonly [name: string, follow: string, words: Words, layers?: Layers])[] = [
  ['lacks-tls', 'pod/gates', ['condition Ready=False (ReadinessGatesNotReady)']],
  ['lacks-tls', 'pod/grown', ['condition PodResizePending=True (Deferred)']],
  ['lacks-tls', 'hpa/robot', ['condition ScalingActive=False (FailedGetResourceMetric)']],
  [
    ...(['lacks-tls', 'namespace/old'] as const),
    [
      /^condition NamespaceContentRemaining=True \(.*configmaps\. has 1 resource instances\)$/,
      /^condition NamespaceFinalizersRemaining=True \(.*example\.com\/hold in 1 resource instances\)$/,
    ],
  ],
  ['not-starting-tls', 'pod/noimage', [/^Failed: Failed to pull image .*nothing:1: not found$/]],
  ['not-starting-tls', 'pod/denied', [/^Failed: .*authorization failed: no basic auth credentials$/]],
  [
    ...(['not-starting-tls', 'pod/badcmd'] as const),
    [/^Failed: Error: .*exec: "\/nothere": stat \/nothere: no such file or directory$/],
  ],
  ['not-starting-tls', 'pod/noconfig', [/^Failed: Error: configmap "settings" not found$/]],
  [
    ...(['not-starting-tls', 'pod/unlive'] as const),
    [/^Unhealthy: Liveness probe failed: cat: can't open '\/gone': No such file or directory$/],
  ],
  [
    ...(['not-starting-tls', 'pod/selector'] as const),
    [/^FailedScheduling: 0\/1 nodes are available: 1 node\(s\) didn't match/],
  ],
  ['not-starting-tls', 'pod/nonet', [/^FailedCreatePodSandBox: .*failed to find plugin "nosuch" in path/]],
  ['not-starting-tls', 'pod/oom', [/^Invalid: spec \(FieldValueForbidden\)$/]],
  [
    ...(['not-starting-tls', 'deploy/typo'] as const),
    [/^BadRequest: .*strict decoding error: unknown field "spec\.template\.spec\.containers\[0\]\.imagee"$/],
  ],
  ['not-starting-tls', 'team deploy/two', [/^Forbidden: pods "two-5c654cd894-\w{5}" is forbidden: exceeded quota: q/]],
  // The container runtime, in the words that the kubelet repeats.
  ['not-starting-tls', 'pod/badcmd', [/exec: "\/nothere"/, /exec: "\/nothere"/], ['kubernetes', 'cri']],
  ['not-starting-tls', 'pod/denied', [/no basic auth/, /no basic auth/], ['kubernetes', 'cri']],
  ['not-starting-tls', 'pod/nonet', [/find plugin "nosuch"/, /find plugin "nosuch"/], ['kubernetes', 'cri']],
  ['volumes-tls', 'pod/lost', [/^ProvisioningFailed: storageclass.storage.k8s.io "nosuch" not found$/]],
  [
    ...(['volumes-tls', 'pod/lost'] as const),
    [/^ExternalProvisioning: Waiting for a volume to be created either by the external provisioner 'hostdir/],
  ],
  ['volumes-tls', 'pod/full', [/^ProvisioningFailed: .* pool gold is full: 0 of 100 GiB are free$/]],
  ['volumes-tls', 'pod/stuck', [/^attach failed: .* volume vol-\w+ is attached to another machine$/]],
  ['volumes-tls', 'pod/sick', [/^FailedPrepareDynamicResources: .* gpu-0: the firmware does not answer$/]],
  // By tshark the last bytes from 192.0.2.21 to the API server are sent at 31.285 s, the node-controller's PUT at 55.325 s.
  ['connections-tls', 'node/node-1', ['nothing from kubelet (node-1) for 24 s']],
  ['connections-tls', 'deployment/web', ['nothing from kubelet (node-1) for 24 s']],
];

it.each(SAID.map(([name, follow, words, layers]) => ({ name, follow, words, layers })))(
  '$name: the story of $follow says $words',
  async ({ name, follow, words, layers }) => {
    const lines = notesOf((await storyOf(name, follow, layers)).steps).flatMap((note) => note.lines);
    const left = words.reduce<readonly string[] | undefined>((rest, word) => {
      const at = rest?.findIndex((line) => (typeof word === 'string' ? line === word : word.test(line))) ?? -1;
      return at < 0 ? undefined : rest?.slice(at + 1);
    }, lines);
    expect(left, lines.join('\n')).toBeDefined();
  },
);

/** Webhooks that TLS is not agreed on with, or that cannot be reached: why, as each was made; nothing more stands in the note. */
const WEBHOOKS: readonly (readonly [string, Words])[] = [
  ['untrusted', ['the client sends bad_certificate', "the server's certificate: guard, issued by other-ca"]],
  [
    'wrongname',
    [
      'the client sends bad_certificate',
      "the server's certificate: elsewhere, issued by kubernetes, not for 192.0.2.10, but for elsewhere.example",
    ],
  ],
  [
    'expired',
    [
      'the client sends bad_certificate',
      "the server's certificate: guard, issued by kubernetes, expired 2026-01-01T00:00:00Z",
    ],
  ],
  [
    'named',
    [
      'the client sends bad_certificate',
      "the server's certificate: guard, issued by kubernetes, not for guard.default.svc, but for 192.0.2.10",
      'asked for guard.default.svc',
    ],
  ],
  ['plain', ['the server answered with bytes that are no TLS']],
  ['closes', [/^the server sent nothing after the client's hello, the server closed after \d[\d.]* ms$/]],
  ['mute', [/^the server sent nothing after the client's hello, the client closed after 10 s$/]],
];
const UNREACHABLE: readonly (readonly [string, first: string, port: number])[] = [
  ['refused', '1 connection refused', 9444],
  ['dropped', 'no answer: 9 SYNs in ', 9445],
  ['prohibited', 'cannot be reached: administratively prohibited', 9450],
];

describe('connections-tls: a webhook that fails has its reason in the story of the object', () => {
  const notesIn = async (name: string): Promise<(readonly string[])[]> =>
    notesOf((await storyOf('connections-tls', `configmap/${name}`)).steps).map(({ lines }) => lines);

  it.each(WEBHOOKS)('%s', async (name, lines) => {
    const notes = await notesIn(name);
    const at = notes.findIndex(([first]) => first === 'TLS is not agreed on');
    expect(notes[at]).toEqual([
      'TLS is not agreed on',
      ...lines.map((line) => (typeof line === 'string' ? line : expect.stringMatching(line))),
      expect.stringMatching(/^from kube-apiserver to (?:webhook \S+, )?192\.0\.2\.10:94\d\d$/),
    ]);
    expect(notes[at + 1][0]).toContain(`failed calling webhook "${name}.lab.example"`);
    expect(notes.filter(([first]) => first === 'TLS is not agreed on')).toHaveLength(1);
  });

  it.each(UNREACHABLE)('%s', async (name, first, port) => {
    const notes = await notesIn(name);
    const at = notes.findIndex(([line]) => line.startsWith(first));
    expect(notes[at].slice(1)).toEqual([`from kube-apiserver to 192.0.2.10:${port}`, 'no answer after that']);
    expect(notes[at + 1][0]).toContain(`failed calling webhook "${name}.lab.example"`);
  });

  it('one that answers has none', async () => {
    const { steps } = await storyOf('connections-tls', 'configmap/good');
    expect(arrowsOf(steps).map(({ message }) => message.status)).toContain(201);
    expect((await notesIn('good')).flat().join('\n')).not.toMatch(/TLS is not|no answer: |cannot be reached/);
  });
});
