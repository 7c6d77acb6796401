// The order of an expectation as its readers take it: who runs kubectl reads "delete the quota, 200, create the Job, 201" from top to
// bottom. Components work on many things at once; for them it is causes that count.

import { describe, expect, it } from 'vitest';
import {
  type CheckReport,
  check,
  expectationsOf,
  type Message,
  ObservationIndex,
  renderCheckJson,
  renderCheckJunit,
  renderCheckSummary,
  renderCheckText,
} from '../../src/index.js';
import { fixture } from '../kit/fixtures.js';
import { observed } from '../kit/observed.js';
import { conversation, packets, pcap, START } from '../kit/packetiser.js';

const KUBECTL = 'kubectl/v1.34.4 (linux/amd64) kubernetes/0123456';
const JOBS =
  'kube-controller-manager/v1.34.4 (linux/amd64) kubernetes/0123456/system:serviceaccount:kube-system:job-controller';

interface Asked {
  /** User-Agent, and more fields. */
  readonly agent: string;
  readonly line: string;
  readonly body?: object;
  readonly status: string;
  readonly answer: object;
}

const status = (code: number, reason: string): object => ({ kind: 'Status', apiVersion: 'v1', code, reason });
const job = {
  kind: 'Job',
  apiVersion: 'batch/v1',
  metadata: { name: 'once', namespace: 'team', uid: '5ac47b5c-6b10-4a56-9b3b-3d2f3e1a7c11' },
};
const owner = { kind: 'Job', apiVersion: 'batch/v1', name: 'once', uid: job.metadata.uid, controller: true };
const POST_JOB: Asked = {
  agent: KUBECTL,
  line: 'POST /apis/batch/v1/namespaces/team/jobs',
  body: { ...job, metadata: { name: 'once', namespace: 'team' } },
  status: '201 Created',
  answer: job,
};
const POST_POD: Asked = {
  agent: JOBS,
  line: 'POST /api/v1/namespaces/team/pods',
  body: { kind: 'Pod', apiVersion: 'v1', metadata: { generateName: 'once-', ownerReferences: [owner] } },
  status: '403 Forbidden',
  answer: status(403, 'Forbidden'),
};
const DELETE_QUOTA: Asked = {
  agent: KUBECTL,
  line: 'DELETE /api/v1/namespaces/team/resourcequotas/q',
  status: '200 OK',
  answer: { kind: 'Status', apiVersion: 'v1', status: 'Success' },
};

/** One connection for each, at its second. */
async function captured(asked: readonly (readonly [second: number, Asked])[]): Promise<readonly Message[]> {
  const sent = asked.flatMap(([second, { agent, line, body, status: answered, answer }], i) => {
    const json = (one: object | undefined): string => (one === undefined ? '' : JSON.stringify(one));
    const type = 'Content-Type: application/json';
    const head = `${line} HTTP/1.1\r\nHost: a\r\nUser-Agent: ${agent}\r\n${type}\r\nContent-Length: ${json(body).length}`;
    const text = json(answer);
    return conversation(
      [
        { from: 'client', bytes: `${head}\r\n\r\n${json(body)}` },
        { from: 'server', bytes: `HTTP/1.1 ${answered}\r\n${type}\r\nContent-Length: ${text.length}\r\n\r\n${text}` },
      ],
      { client: { address: '192.0.2.10', port: 40_000 + i }, start: START + BigInt(second * 1000) * 1_000_000n },
    );
  });
  return (await observed([pcap(packets(sent))])).messages;
}

const HEAD = `sequenceDiagram
participant C as kubectl
participant AS as kube-apiserver
participant J as job-controller
`;
const QUOTA = `${HEAD}C ->> AS: [REQ] DELETE /api/v1/namespaces/team/resourcequotas/q
AS -->> C: [RESP] 200 OK
C ->> AS: [REQ] POST /apis/batch/v1/namespaces/team/jobs - once
AS -->> C: [RESP] 201 Created
J ->> AS: [REQ] POST /api/v1/namespaces/team/pods
AS -->> J: [RESP] 403 Forbidden
`;

function reportOf(source: string, messages: readonly Message[], start = START): CheckReport {
  const [{ diagram }] = expectationsOf(source, false, 'story');
  const verdict = check(diagram, new ObservationIndex(messages));
  const one = { file: 'story.mmd', name: 'story', line: 1, source, firstLine: 1, verdict };
  return { expectations: [one], budgets: [], missing: [], start };
}

function verdictOf(source: string, messages: readonly Message[]): CheckReport['expectations'][number]['verdict'] {
  return reportOf(source, messages).expectations[0].verdict;
}

describe('the quota, the Job, its Pod', async () => {
  const asDrawn = await captured([
    [0, DELETE_QUOTA],
    [1, POST_JOB],
    [1.1, POST_POD],
  ]);
  const quotaLater = await captured([
    [0, POST_JOB],
    [0.1, POST_POD],
    [6, DELETE_QUOTA],
  ]);

  it('holds as it is drawn, without a warning about the order', () => {
    expect(verdictOf(QUOTA, asDrawn)).toMatchObject({ met: true, reordered: [] });
  });

  it('fails where the quota was deleted six seconds after the Job: kubectl is read from top to bottom', () => {
    const { met, failures } = verdictOf(QUOTA, quotaLater);
    expect([met, failures.map(({ line }) => line)]).toEqual([false, [7]]);
    expect(failures[0].nearest?.differences).toEqual([
      expect.stringMatching(/^it came before line 6 \(frame \d+\), an answer above it on the lifeline of kubectl$/),
    ]);
  });

  it('holds where kubectl may do both at once, by branches of par', () => {
    const lines = QUOTA.split('\n');
    const both = [...lines.slice(0, 4), 'par', ...lines.slice(4, 6), 'and', ...lines.slice(6, 8), 'end', ''].join('\n');
    expect(verdictOf(both, quotaLater)).toMatchObject({ met: true, reordered: [] });
  });

  const RACING = `${HEAD}J ->> AS: [REQ] POST /api/v1/namespaces/team/pods
AS -->> J: [RESP] 403 Forbidden
C ->> AS: [REQ] DELETE /api/v1/namespaces/team/resourcequotas/q
AS -->> C: [RESP] 200 OK
`;
  const quotaFirst = await captured([
    [0, DELETE_QUOTA],
    [6, POST_POD],
  ]);

  it('reports in every output which lines of a race happened in the other order', () => {
    const report = reportOf(RACING, quotaFirst);
    expect(report.expectations[0].verdict).toMatchObject({ met: true, reordered: [{ above: 5, below: 7 }] });
    const said = 'lines 5 and 7 happened in the other order';
    expect(renderCheckText(report)).toMatch(
      new RegExp(`^pass {2}story\\.mmd:1: diagram story: 4 arrows, .*, ${said}\n {2}warning: line 7 `),
    );
    expect(JSON.parse(renderCheckJson(report))).toMatchObject({ expectations: [{ met: true, reordered: [[5, 7]] }] });
    expect(renderCheckJunit(report)).toContain(said);
    expect(renderCheckSummary(report)).toContain(`pass, ${said}\n`);
  });

  it('`%% order: strict` requires it of every lifeline', () => {
    const strict = (text: string): string => text.replace('\n', '\n%% order: strict\n');
    expect(verdictOf(strict(QUOTA), asDrawn).met).toBe(true);
    // The API server is on both lifelines, and gets no answers here.
    expect(verdictOf(strict(RACING), quotaFirst).met).toBe(true);
    const again = { ...POST_POD, line: 'GET /apis/batch/v1/namespaces/team/jobs/other', status: '200 OK', answer: job };
    const two = `${HEAD}J ->> AS: [REQ] GET /apis/batch/v1/namespaces/team/jobs/other
AS -->> J: [RESP] 200 OK
J ->> AS: [REQ] POST /api/v1/namespaces/team/pods
AS -->> J: [RESP] 403 Forbidden
`;
    return captured([
      [0, POST_POD],
      [1, { ...again, body: undefined }],
    ]).then((messages) => {
      expect(verdictOf(two, messages)).toMatchObject({ met: true, reordered: [{ above: 5, below: 7 }] });
      expect(verdictOf(strict(two), messages).failures.map(({ line }) => line)).toEqual([8]);
    });
  });

  it('a program with a service account is no client that people run; kubectl is, whatever its account', async () => {
    const claims = { iss: 'kubernetes', sub: 'system:serviceaccount:team:sync' };
    const [header, payload] = [{ alg: 'RS256' }, claims].map((one) =>
      Buffer.from(JSON.stringify(one)).toString('base64url'),
    );
    const asAccount = (agent: string): string => `${agent}\r\nAuthorization: Bearer ${header}.${payload}.c2lnbmF0dXJl`;
    const story = (name: string): string =>
      QUOTA.split('\n').slice(0, 8).join('\n').replace('as kubectl', `as ${name}`);
    const later = (agent: string): Promise<readonly Message[]> =>
      captured([
        [0, { ...POST_JOB, agent }],
        [6, { ...DELETE_QUOTA, agent }],
      ]);
    const met = async (name: string, agent: string) => verdictOf(story(name), await later(agent)).met;
    expect(await met('sync', 'sync/v1.0 (linux/amd64)')).toBe(false);
    expect(await met('sync', asAccount('sync/v1.0 (linux/amd64)'))).toBe(true);
    expect(await met('kubectl', asAccount(KUBECTL))).toBe(false);
  });

  it('another word behind `order:` is an error with its line', () => {
    expect(() => expectationsOf(`${HEAD}%% order: loose\n`, false, 'story')).toThrow(/expected strict behind order:/);
  });
});

// fixtures/not-starting-tls/README.md: Deployment `two` at 15.8 s, its Pods refused for a quota of before; the node is labelled at
// 17.9 s.
describe('a recorded cluster', async () => {
  const capture = fixture('not-starting-tls/control-plane.pcap');
  const keyLogs = [Buffer.from(fixture('not-starting-tls/keys.log')).toString('latin1')];
  const { messages } = await observed([capture], { keyLogs });
  const refused = `C ->> AS: [REQ] POST /apis/apps/v1/namespaces/team/deployments - two
AS -->> C: [RESP] 201 Created
R ->> AS: [REQ] POST /api/v1/namespaces/team/pods
AS -->> R: [RESP] 403 Forbidden
`;
  const head = `${HEAD}participant R as replicaset-controller\n`;
  const quota = 'C ->> AS: [REQ] POST /api/v1/namespaces/team/resourcequotas - q\nAS -->> C: [RESP] 201 Created\n';
  const label = 'C ->> AS: [REQ] PATCH /api/v1/nodes/node-1\nAS -->> C: [RESP] 200 OK\n';

  it('the quota, the Deployment, its Pod: holds', () => {
    expect(verdictOf(`${head}${quota}${refused}`, messages)).toMatchObject({ met: true, reordered: [] });
  });

  it('the label of two seconds later, the Deployment, its Pod: does not', () => {
    expect(verdictOf(`${head}${label}${refused}`, messages).failures.map(({ line }) => line)).toEqual([8]);
  });

  it('many lines of kubectl and of controllers are checked soon, whichever order fails', () => {
    const reads = Array.from({ length: 12 }, () => 'C ->> AS: [REQ] GET **\nAS -->> C: [RESP] **\n').join('');
    const { met, undecided } = verdictOf(`${head}${reads}${label}${reads}${refused}`, messages);
    expect([met, undecided]).toEqual([false, null]);
  });
});
