// Whom the names of an expectation mean: what the story above made, not a neighbour of the same kind that was there before it.

import { describe, expect, it } from 'vitest';
import {
  type CheckReport,
  check,
  expectationsOf,
  type Message,
  ObservationIndex,
  renderCheckGithub,
  renderCheckJson,
  renderCheckJunit,
  renderCheckSummary,
  renderCheckText,
} from '../../src/index.js';
import { fixture } from '../kit/fixtures.js';
import { observed } from '../kit/observed.js';
import { conversation, packets, pcap, type Sent, START, type Turn } from '../kit/packetiser.js';

const MANAGER = 'kube-controller-manager/v1.34.4 (linux/amd64) kubernetes/0123456/system:serviceaccount:kube-system';
const JOBS = `${MANAGER}:job-controller`;
const REPLICASETS = `${MANAGER}:replicaset-controller`;
const JSON_TYPE = 'Content-Type: application/json';

interface Made {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: { readonly name: string; readonly uid: string; readonly [field: string]: unknown };
}

let uids = 0;
function object(kind: string, name: string, owner?: Made): Made {
  uids += 1;
  const apiVersion = kind === 'Pod' ? 'v1' : kind === 'Job' ? 'batch/v1' : 'apps/v1';
  const by = owner?.metadata;
  const owners =
    by === undefined ? [] : [{ kind: owner?.kind, apiVersion: owner?.apiVersion, name: by.name, uid: by.uid }];
  const uid = `5ac47b5c-6b10-4a56-9b3b-${String(uids).padStart(12, '0')}`;
  return {
    kind,
    apiVersion,
    metadata: { name, namespace: 'default', uid, resourceVersion: String(100 + uids), ownerReferences: owners },
  };
}

type At = readonly [second: number, bytes: string];

/** A connection on which bytes go at their second, requests and answers in turn, then more of the answer. */
function connection(port: number, [[opened, request], ...answers]: readonly At[]): Sent[] {
  const turns: Turn[] = [
    { from: 'client', bytes: request },
    ...answers.map(([, bytes]): Turn => ({ from: 'server', bytes })),
  ];
  const sent = conversation(turns, { client: { address: '192.0.2.10', port }, segmentSize: 9000 });
  const seconds = [opened, ...answers.map(([second]) => second)];
  let turn = -1;
  return sent.map((one, i) => {
    if ((one.payload?.length ?? 0) > 0) turn += 1;
    return { ...one, time: START + BigInt(Math.round(seconds[Math.max(turn, 0)] * 1e6)) * 1000n + BigInt(i) };
  });
}

function asked(second: number, agent: string, path: string, body: object, answer: object): readonly At[] {
  const [sent, got] = [body, answer].map((one) => JSON.stringify(one));
  const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nUser-Agent: ${agent}\r\n${JSON_TYPE}\r\nContent-Length: ${sent.length}`;
  return [
    [second, `${head}\r\n\r\n${sent}`],
    [second + 0.01, `HTTP/1.1 201 Created\r\n${JSON_TYPE}\r\nContent-Length: ${got.length}\r\n\r\n${got}`],
  ];
}

function watched(agent: string, path: string, told: readonly (readonly [second: number, object])[]): readonly At[] {
  const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
  const head = `HTTP/1.1 200 OK\r\n${JSON_TYPE}\r\nTransfer-Encoding: chunked\r\n\r\n`;
  return [
    [0, `GET ${path}?watch=true HTTP/1.1\r\nHost: a\r\nUser-Agent: ${agent}\r\n\r\n`],
    [0.1, head],
    ...told.map(([second, one]): At => [second, chunk(`${JSON.stringify({ type: 'ADDED', object: one })}\n`)]),
  ];
}

const KUBECTL = 'kubectl/v1.34.4 (linux/amd64) kubernetes/0123456';
const PODS = '/api/v1/namespaces/default/pods';
const JOBS_PATH = '/apis/batch/v1/namespaces/default/jobs';
const nameless = (stem: string) => ({ kind: 'Pod', apiVersion: 'v1', metadata: { generateName: stem } });

/** @param isTold whether the scheduler is told of the Job's Pod. */
async function captured(isTold: boolean): Promise<readonly Message[]> {
  const set = object('ReplicaSet', 'web-6f8d9c7b54');
  const web = object('Pod', 'web-6f8d9c7b54-x7k2p', set);
  const job = object('Job', 'once');
  const pod = object('Pod', 'once-zzvt4', job);
  const later = object('Pod', 'web-6f8d9c7b54-b4cdf', set);
  const told: [number, object][] = [[1.1, web], ...(isTold ? [[5.4, pod] as [number, object]] : []), [5.6, later]];
  const sent = [
    connection(
      40_001,
      watched('kube-scheduler/v1.34.4 (linux/amd64) kubernetes/0123456/scheduler', '/api/v1/pods', told),
    ),
    connection(40_002, asked(1, REPLICASETS, PODS, nameless('web-6f8d9c7b54-'), web)),
    connection(40_003, asked(5, KUBECTL, JOBS_PATH, { ...job, metadata: { name: 'once' } }, job)),
    connection(40_004, asked(5.3, JOBS, PODS, nameless('once-'), pod)),
    connection(40_005, asked(5.5, REPLICASETS, PODS, nameless('web-6f8d9c7b54-'), later)),
  ].flat();
  return (await observed([pcap(packets(sent.sort((a, b) => Number(a.time! - b.time!))))])).messages;
}

const HEAD = `sequenceDiagram
participant C as kubectl
participant AS as kube-apiserver
participant J as kube-controller-manager
participant S as kube-scheduler
`;
const CREATES_JOB =
  'C ->> AS: [REQ] POST /apis/batch/v1/namespaces/default/jobs - once\nAS -->> C: [RESP] 201 Created\n';
const CREATES_POD = 'J ->> AS: [REQ] POST /api/v1/namespaces/default/pods\nAS -->> J: [RESP] 201 Created\n';
const TOLD = 'AS ->> S: [RESP-CHUNK] Pod ADDED - {pod}\n';

function reportOf(source: string, messages: readonly Message[]): CheckReport {
  const [{ diagram }] = expectationsOf(source, false, 'story');
  const verdict = check(diagram, new ObservationIndex(messages));
  const one = { file: 'story.mmd', name: 'story', line: 1, source, firstLine: 1, verdict };
  return { expectations: [one], budgets: [], missing: [], start: START };
}

function verdictOf(source: string, messages: readonly Message[]): CheckReport['expectations'][number]['verdict'] {
  return reportOf(source, messages).expectations[0].verdict;
}

describe('a Job beside a Deployment', async () => {
  const messages = await captured(true);

  it('{pod} is the Pod of the create above it, not one that was delivered four seconds before the Job existed', () => {
    const verdict = verdictOf(`${HEAD}${CREATES_JOB}${CREATES_POD}${TOLD}`, messages);
    expect(verdict).toMatchObject({ met: true, reordered: [], beforeStory: [] });
    expect(verdict.names.get('pod')).toBe('once-zzvt4');
  });

  it('also where only its owner is created above', () => {
    const verdict = verdictOf(`${HEAD}${CREATES_JOB}${TOLD}`, messages);
    expect([verdict.met, verdict.names.get('pod')]).toEqual([true, 'once-zzvt4']);
  });

  it('fails where the created Pod is not delivered, and reports why its neighbours do not count', async () => {
    const byJobs = HEAD.replace('kube-controller-manager', 'job-controller');
    const { failures } = verdictOf(`${byJobs}${CREATES_JOB}${CREATES_POD}${TOLD}`, await captured(false));
    expect(failures.map(({ line }) => line)).toEqual([10]);
    expect(failures[0].nearest?.differences).toEqual([
      expect.stringMatching(/^it is not about what line 8 \(frame \d+\) created$/),
    ]);
  });

  it('an object of another story counts where its label names it, not by a placeholder alone', () => {
    const literal = TOLD.replace('{pod}', 'web-6f8d9c7b54-x7k2p');
    expect(verdictOf(`${HEAD}${CREATES_JOB}${CREATES_POD}${literal}`, messages).met).toBe(true);
    const above = (name: string): string =>
      `${HEAD}${literal.replace('web-6f8d9c7b54-x7k2p', name)}${CREATES_JOB}${CREATES_POD}${TOLD}`;
    expect(Object.fromEntries(verdictOf(above('web-{old}'), messages).names)).toEqual({
      old: '6f8d9c7b54-x7k2p',
      pod: 'once-zzvt4',
    });
    // The only Pod of the story is told of below its Job.
    expect(verdictOf(above('{old}'), messages).met).toBe(false);
  });

  it('what matched before the first arrow is a warning', () => {
    const literal = TOLD.replace('{pod}', 'web-6f8d9c7b54-x7k2p');
    const report = reportOf(`${HEAD}${CREATES_JOB}${literal}`, messages);
    expect(report.expectations[0].verdict.beforeStory.map(({ line }) => line)).toEqual([8]);
    expect(renderCheckText(report)).toMatch(
      /^pass .*, lines 6 and 8 happened in the other order\n {2}warning: line 8 \(frame \d+ \(message 5\)\) came before line 6 \(frame \d+ \(message 6\)\), with which the story begins\n$/,
    );
    const said = /line 8 \(frame \d+ \(message 5\)\) came before line 6 /;
    expect(renderCheckGithub(report)).toMatch(/^::warning file=story\.mmd,line=1,title=story::line 8 /);
    expect(renderCheckGithub(report)).toMatch(/\n1 checked, 0 failures, 1 warning\n$/);
    for (const render of [renderCheckGithub, renderCheckJunit, renderCheckSummary])
      expect(render(report)).toMatch(said);
    expect(JSON.parse(renderCheckJson(report)).expectations[0].beforeStory).toMatchObject([{ line: 8, seq: 5 }]);
  });
});

// fixtures/not-starting-tls/README.md: kubectl makes `crash` at 5.7 s and, at 19.3, Job `once`.
describe('a recorded cluster', async () => {
  const capture = fixture('not-starting-tls/control-plane.pcap');
  const keyLogs = [Buffer.from(fixture('not-starting-tls/keys.log')).toString('latin1')];
  const { messages } = await observed([capture], { keyLogs });

  it("the scheduler receives the Job's Pod, not the first Pod there is", () => {
    const { met, names, beforeStory } = verdictOf(`${HEAD}${CREATES_JOB}${CREATES_POD}${TOLD}`, messages);
    const owned = messages.filter(
      ({ kind, object: one }) => kind === 'event' && one?.owners?.some(({ name }) => name === 'once') === true,
    );
    expect(owned.length).toBeGreaterThan(0);
    expect([met, beforeStory, names.get('pod')]).toEqual([true, [], owned[0].object?.name]);
  });
});
