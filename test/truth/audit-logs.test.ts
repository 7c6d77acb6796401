// Audit logs as an input: alone held against their own entries, beside captures against what was captured.

import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Message } from '../../src/index.js';
import { fixtureCaptures, fixtureKeyLogs } from '../kit/fixture-observations.js';
import { exists, fixture, fixtureLines } from '../kit/fixtures.js';
import { type ReadLogs, readLogs } from '../kit/log-reading.js';
import { TRIES_ALL } from '../kit/runs.js';
import { observeWhole, type WholeFixture } from '../kit/whole-fixtures.js';

/** Of the log's own JSON. */
interface Entry {
  readonly auditID: string;
  readonly stage: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username?: string };
  readonly impersonatedUser?: { readonly username: string };
  readonly userAgent?: string;
  readonly objectRef?: Readonly<
    Partial<Record<'resource' | 'subresource' | 'namespace' | 'name' | 'apiGroup', string>>
  >;
  readonly responseStatus?: { readonly code: number };
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Fixtures whose logs are whole: others were reduced to what other tests need, and lack times. */
const WHOLE = [
  'attach-aggregated-tls',
  'boot-etcd-tls',
  'clients-tls',
  'deployment-tls',
  'errors-http1',
  'exec-logs-portforward-tls',
  'fight-tls',
  'late-start-mixed',
  'late-start-tls',
  'pod-network-tls',
  'release-1.37-tls',
  'run-nginx-http1',
  'run-nginx-tls',
  'running-cluster-tls',
  'throttle-tls',
  'trouble-tls',
];

const read = (files: readonly Uint8Array[], keyLogs?: readonly string[], bodies?: boolean): Promise<ReadLogs> =>
  readLogs(files, 99_991, keyLogs, bodies);

function bytesOf(...lines: readonly (string | object)[]): Uint8Array {
  return Buffer.from(lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''));
}

function microseconds(time: string): bigint {
  return BigInt(Date.parse(`${time.slice(0, 19)}Z`)) * 1000n + BigInt(/\.(\d{6})/.exec(time)?.[1] ?? 0);
}

const requestsIn = (messages: readonly Message[]): Message[] =>
  messages.filter(({ kind, protocol }) => kind === 'request' && protocol === 'kubernetes');

it('knows all whole logs', () => {
  for (const name of WHOLE) expect(exists(`${name}/audit.jsonl`), name).toBe(true);
});

describe.each(WHOLE)('the log of %s alone', (name) => {
  let log: ReadLogs;
  /** Stages by id. */
  const entries = new Map<string, Entry[]>();
  beforeAll(async () => {
    log = await read([fixture(`${name}/audit.jsonl`)]);
    for (const entry of fixtureLines<Entry>(`${name}/audit.jsonl`))
      entries.set(entry.auditID, [...(entries.get(entry.auditID) ?? []), entry]);
  });

  it('has a request for each id, and an answer where the log has one', () => {
    const answered = [...entries.values()].filter((stages) => stages.some(({ stage }) => stage !== 'RequestReceived'));
    expect(requestsIn(log.messages)).toHaveLength(entries.size);
    const ids = log.messages.flatMap(({ kind, auditId }) => (kind === 'response' ? [auditId] : []));
    expect(ids).toHaveLength(answered.length);
    expect(new Set(ids).size).toBe(answered.length);
    expect(log.messages).toHaveLength(entries.size + answered.length);
  });

  it('says of each what the log says', () => {
    const asked = new Map(log.messages.filter(({ kind }) => kind === 'request').map((one) => [one.exchange, one]));
    for (const response of log.messages) {
      if (response.kind !== 'response') continue;
      const request = asked.get(response.exchange)!;
      const stages = entries.get(response.auditId!)!;
      const first = stages.find(({ stage }) => stage !== 'RequestReceived')!;
      const reason = first.annotations?.['authorization.k8s.io/reason'] ?? '';
      const decision = first.annotations?.['authorization.k8s.io/decision'];
      expect({
        verb: request.verb,
        user: request.user,
        userFrom: request.userFrom,
        agent: request.userAgent,
        status: response.status,
        resource: request.resource,
        subresource: request.subresource,
        namespace: request.namespace,
        name: request.name,
        group: request.apiGroup === '' ? undefined : request.apiGroup,
        received: request.time / 1000n,
        reached: response.time / 1000n,
        authorization: response.authorization,
      }).toEqual({
        verb: first.verb,
        user: first.impersonatedUser?.username ?? first.user.username,
        // A request that was not authenticated has none.
        userFrom: first.user.username === undefined ? undefined : 'audit log',
        agent: first.userAgent,
        status: first.responseStatus?.code,
        resource: first.objectRef?.resource,
        subresource: first.objectRef?.subresource,
        namespace: first.objectRef?.namespace,
        name: first.objectRef?.name,
        group: first.objectRef?.apiGroup,
        received: microseconds(first.requestReceivedTimestamp),
        reached: microseconds(first.stageTimestamp),
        authorization: reason === '' ? decision : `${decision}: ${reason}`,
      });
    }
  });

  it('is in the order of time, from lines of the log, and says what a log lacks', () => {
    const lines = fixtureLines<Entry>(`${name}/audit.jsonl`);
    log.messages.forEach((message, i) => {
      expect(message.seq).toBe(i + 1);
      if (i > 0) expect(message.time).toBeGreaterThanOrEqual(log.messages[i - 1].time);
      const entry = lines[message.frames[0] - 1];
      expect(microseconds(message.kind === 'request' ? entry.requestReceivedTimestamp : entry.stageTimestamp)).toBe(
        message.time / 1000n,
      );
    });
    expect(log.notices.map(({ code }) => code)).toContain('audit.requests-only');
    expect(log.messages.every(({ kind, cause }) => kind === 'request' || cause?.how === 'response')).toBe(true);
  });
});

// Every other one; with RUNS=full all.
describe.each(WHOLE.filter((_, i) => TRIES_ALL || i % 2 === 0))('the log of %s beside its captures', (name) => {
  let captured: WholeFixture;
  let joined: ReadLogs;
  beforeAll(async () => {
    captured = await observeWhole(name);
    const files = captured.captures.map((file) => fixture(`${name}/${file}`));
    joined = await read([...files, fixture(`${name}/audit.jsonl`)], fixtureKeyLogs(name));
  });

  it('adds no request that was captured, and loses none', () => {
    // All that these clusters were asked is in their captures.
    const shape = ({ kind, label, connection, frames }: Message): string => `${kind} ${label} ${connection} ${frames}`;
    expect(joined.messages.map(shape)).toEqual(captured.messages.map(shape));
    expect(joined.notices.map(({ code }) => code)).toContain('audit.joined');
    expect(joined.notices.map(({ code }) => code)).not.toContain('audit.requests-only');
  });

  it('tells the user of each captured request, and why it was allowed', () => {
    const entries = new Map(fixtureLines<Entry>(`${name}/audit.jsonl`).map((entry) => [entry.auditID, entry]));
    const asked = new Map(joined.messages.filter(({ kind }) => kind === 'request').map((one) => [one.exchange, one]));
    let compared = 0;
    for (const response of joined.messages) {
      const entry = response.kind === 'response' ? entries.get(response.auditId ?? '') : undefined;
      const request = asked.get(response.exchange);
      if (entry === undefined || request === undefined) continue;
      compared += 1;
      // One whose impersonation was refused has no other user in the log; the request names whom it meant.
      if (request.userFrom === 'impersonation' && entry.impersonatedUser === undefined) {
        expect(response.status).toBe(403);
        continue;
      }
      // What a server says of a user later is in the response.
      expect([request.user, response.user]).toContain(entry.impersonatedUser?.username ?? entry.user.username);
      expect(response.authorization?.split(':')[0]).toBe(entry.annotations?.['authorization.k8s.io/decision']);
    }
    expect(compared).toBeGreaterThan(20);
  });
});

it('stands in for what could not be decrypted, within the time of the capture', async () => {
  const entries = fixtureLines<Entry>('run-nginx-tls/audit.jsonl');
  const log = fixture('run-nginx-tls/audit.jsonl');
  const unread = await read([fixture('run-nginx-tls/capture.pcap'), log]);
  expect(requestsIn(unread.messages)).toHaveLength(new Set(entries.map(({ auditID }) => auditID)).size);
  // A day later, and a day earlier: nothing of the log is of the capture's time.
  for (const day of ['2026-11-20', '2026-11-22']) {
    const moved = Buffer.from(Buffer.from(log).toString().replaceAll('2026-11-21T', `${day}T`));
    const outside = await read([fixture('run-nginx-tls/capture.pcap'), moved]);
    expect(outside.messages).toHaveLength(0);
    expect(outside.notices.filter(({ code }) => code === 'audit.outside').map(({ detail }) => detail)).toEqual([
      '369 requests',
    ]);
  }
});

it('bears clocks that are some seconds apart', async () => {
  const captured = await read(fixtureCaptures('run-nginx-tls'), fixtureKeyLogs('run-nginx-tls'));
  // Seconds of 13:58 to 14:13 become 4 later; none overflows the minute that was not there before.
  const later = Buffer.from(fixture('run-nginx-tls/audit.jsonl'))
    .toString()
    .replace(/T04:(\d\d):(\d\d)(?=\.\d{6}Z)/g, (_, minutes: string, seconds: string) => {
      const time = Number(minutes) * 60 + Number(seconds) + 4;
      return `T04:${String(Math.floor(time / 60)).padStart(2, '0')}:${String(time % 60).padStart(2, '0')}`;
    });
  const joined = await read([...fixtureCaptures('run-nginx-tls'), Buffer.from(later)], fixtureKeyLogs('run-nginx-tls'));
  expect(joined.messages).toHaveLength(captured.messages.length);
});

const EVENT = {
  kind: 'Event',
  apiVersion: 'audit.k8s.io/v1',
  level: 'RequestResponse',
  auditID: '0a57b213-f9eb-4eb0-b26e-85f603579989',
  stage: 'ResponseComplete',
  requestURI: '/api/v1/namespaces/shop/secrets',
  verb: 'create',
  user: { username: 'jane@example.org' },
  impersonatedUser: { username: 'system:serviceaccount:shop:robot' },
  sourceIPs: ['198.51.100.9', '192.0.2.10'],
  userAgent: 'kubectl/v1.34.4 (linux/amd64) kubernetes/0123456',
  objectRef: { resource: 'secrets', namespace: 'shop', name: 'db', apiVersion: 'v1' },
  responseStatus: { metadata: {}, code: 201 },
  requestObject: {
    kind: 'Secret',
    apiVersion: 'v1',
    metadata: { name: 'db', namespace: 'shop' },
    data: { password: 'aHVudGVyMg==' },
  },
  responseObject: {
    kind: 'Secret',
    apiVersion: 'v1',
    metadata: { name: 'db', namespace: 'shop', uid: 'c6f7c9d0-0000-4000-8000-000000000001', resourceVersion: '77' },
    data: { password: 'aHVudGVyMg==' },
  },
  requestReceivedTimestamp: '2026-11-21T04:14:00.000001Z',
  stageTimestamp: '2026-11-21T04:14:00.250001Z',
  annotations: { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': '' },
};

it('reads objects of logs that have them, redacted like captured ones', async () => {
  const { messages } = await read([bytesOf(EVENT)], [], true);
  const [request, response] = messages;
  expect(messages).toHaveLength(2);
  expect(request).toMatchObject({
    user: 'system:serviceaccount:shop:robot',
    name: 'db',
    connection: '192.0.2.10:0-0.0.0.0:0',
  });
  expect(request.label).toBe('[REQ] POST /api/v1/namespaces/shop/secrets - db');
  expect(response).toMatchObject({ status: 201, latencyMs: 250, object: { kind: 'Secret', resourceVersion: '77' } });
  const shown = JSON.stringify(messages.map(({ details }) => [details?.fields(), details?.body()]));
  expect(shown).toContain('REDACTED');
  expect(shown).not.toContain('aHVudGVyMg');
});

it.each([
  [
    'a list, as the webhook backend sends it',
    bytesOf({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', items: [EVENT] }),
  ],
  ['CloudWatch Logs (EKS)', bytesOf({ timestamp: 1, message: JSON.stringify(EVENT) })],
  ['CloudWatch Insights (EKS)', bytesOf({ '@timestamp': '2026', '@message': JSON.stringify(EVENT) })],
  [
    'all of one answer of CloudWatch',
    bytesOf({ events: [{ message: JSON.stringify(EVENT) }], searchedLogStreams: [] }),
  ],
  ['an export of CloudWatch to S3', bytesOf(`2026-11-21T04:14:00.250Z ${JSON.stringify(EVENT)}`)],
  [
    'Azure diagnostics (AKS)',
    bytesOf({ category: 'kube-audit', properties: { log: JSON.stringify(EVENT), pod: 'x' } }),
  ],
  ['a collector of logs', bytesOf({ log: `${JSON.stringify(EVENT)}\n`, stream: 'stdout' })],
  ['a collector that parses', bytesOf({ log_processed: EVENT })],
])('opens %s', async (_, bytes) => {
  const plain = await read([bytesOf(EVENT)]);
  const wrapped = await read([bytes]);
  expect(wrapped.messages).toEqual(plain.messages);
});

it('orders requests of which the log has only the end, and reads a watch without its beginning', async () => {
  const end = (auditID: string, received: string, reached: string, more: object = {}): object => ({
    ...{ auditID, stage: 'ResponseComplete', verb: 'get', requestURI: `/api/v1/nodes/${auditID}` },
    ...{ user: { username: 'u' }, sourceIPs: ['192.0.2.1'], responseStatus: { code: 200 } },
    ...{ requestReceivedTimestamp: `2026-11-21T04:${received}Z`, stageTimestamp: `2026-11-21T04:${reached}Z`, ...more },
  });
  const { messages, notices } = await read([
    bytesOf(
      end('b', '14:01.000000', '14:01.010000'),
      end('a', '14:00.000000', '14:30.000000'),
      '{"kind":"Event"}',
      'not JSON',
      end('c', '14:02.000000', '14:31.000000', { verb: 'watch', requestURI: '/api/v1/nodes?watch=true' }),
    ),
  ]);
  expect(messages.map(({ kind, name, frames, latencyMs }) => [kind, name, frames[0], latencyMs])).toEqual([
    ['request', 'a', 2, undefined],
    ['request', 'b', 1, undefined],
    ['response', undefined, 1, 10],
    ['request', undefined, 5, undefined],
    ['response', undefined, 2, 30_000],
    ['response', undefined, 5, undefined],
  ]);
  expect(notices.filter(({ code }) => code === 'capture.damaged').map(({ detail }) => detail)).toEqual([
    'line 3 of the audit log is no event, or is too long, and 1 more; left out',
  ]);
});

it('bears any line', async () => {
  const values = fc.oneof(fc.jsonValue(), fc.constantFrom('ResponseComplete', 'Panic', '2026-11-21T04:14:00Z', 'list'));
  const record = fc.dictionary(fc.constantFrom(...Object.keys(EVENT), 'message', 'log', 'items', 'events'), values);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(record, fc.boolean()), { maxLength: 5 }), async (records) => {
      const lines = records.map(([one, isEvent]) => (isEvent ? { ...EVENT, ...one } : one));
      const { messages } = await read([bytesOf(EVENT, ...lines)], [], true);
      expect(messages.length).toBeGreaterThanOrEqual(1);
    }),
    { numRuns: 300 },
  );
});
