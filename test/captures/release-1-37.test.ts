// What came to the wire with Kubernetes 1.36 and 1.37, as its API server sent it. Requests are held against the audit log, gzipped events
// against the same events in plain.

import { beforeAll, describe, expect, it } from 'vitest';
import type { Message } from '../../src/index.js';
import { type Audit, toldOtherwise } from '../kit/audit.js';
import { kubeseq } from '../kit/command.js';
import { fixtureLines, fixturePath } from '../kit/fixtures.js';
import { observeWhole } from '../kit/whole-fixtures.js';

let messages: readonly Message[] = [];
beforeAll(async () => {
  ({ messages } = await observeWhole('release-1.37-tls'));
});

const eventsTo = (name: string): readonly Message[] =>
  messages.filter(({ kind, type, to }) => kind === 'event' && type !== 'BOOKMARK' && to.name === name);
const shape = ({ type, object }: Message): string => `${type} ${object?.name} ${object?.resourceVersion}`;
const answerOf = (request: Message | undefined): Message | undefined =>
  messages.find(({ kind, exchange }) => kind === 'response' && exchange === request?.exchange);
const requestWhere = (wanted: (one: Message) => boolean): Message | undefined =>
  messages.find((one) => one.kind === 'request' && wanted(one));

it('every request is the one of the audit log', () => {
  const log = new Map(fixtureLines<Audit>('release-1.37-tls/audit.jsonl').map((entry) => [entry.auditID, entry]));
  expect(log.size).toBeGreaterThan(20);
  const agents: Record<string, string> = { admin: 'kubectl', auditor: 'kubectl', 'system:node:node-1': 'kubelet' };
  const nameOf = ({ user: { username } }: Audit): string => agents[username] ?? username;
  // Four of the programs have a User-Agent of their own, whatever their account.
  const own = /^(?:shard-\d|zipped|setup)$/;
  const others = messages.filter(
    ({ kind, from, to }) => (kind === 'request' && !own.test(from.name)) || (kind === 'response' && !own.test(to.name)),
  );
  expect(others.filter(({ kind }) => kind === 'response').length).toBeGreaterThan(15);
  expect(toldOtherwise(others, log, nameOf).filter((line) => !/ kubelet \(node-1\) /.test(line))).toEqual([]);
});

describe('shards of a watch', () => {
  it('have each Pod in one of them', () => {
    const [low, high] = ['shard-0', 'shard-1'].map((name) => new Set(eventsTo(name).map(({ object }) => object?.name)));
    expect([...low, ...high].sort()).toEqual(['web-0', 'web-1', 'web-2', 'web-3']);
  });

  it('together are what a gzipped watch of all has', () => {
    const zipped = eventsTo('zipped');
    const response = answerOf(requestWhere(({ from }) => from.name === 'zipped'));
    expect(response?.details?.fields()).toContainEqual(['Content-Encoding', 'gzip']);
    expect(zipped.map(shape).sort()).toEqual([...eventsTo('shard-0'), ...eventsTo('shard-1')].map(shape).sort());
  });
});

it('constrained impersonation: who acts for whom, and what is refused', () => {
  const asJane = messages.filter(({ kind, user }) => kind === 'request' && user === 'jane');
  expect(asJane.map(({ userFrom }) => userFrom)).toEqual(['impersonation', 'impersonation', 'impersonation']);
  expect(asJane.map((one) => [one.resource, answerOf(one)?.status])).toEqual([
    ['pods', 403],
    ['pods', 200],
    ['secrets', 403],
  ]);
});

it('a mutating policy changes what is created, without any webhook', () => {
  const made = requestWhere(({ verb, resource }) => verb === 'create' && resource === 'configmaps');
  const labels = (one: Message | undefined): unknown =>
    (one?.details?.body() as { metadata: { labels?: unknown } } | undefined)?.metadata.labels;
  expect([labels(made), labels(answerOf(made))]).toEqual([undefined, { team: 'web' }]);
  const { stdout } = kubeseq([
    ...['object', 'configmap/colours', '-n', 'shop', '-q', fixturePath('release-1.37-tls/capture.pcap.gz')],
    ...['--keylog', fixturePath('release-1.37-tls/keys.log.gz')],
  ]);
  expect(stdout).toMatch(/filled in by the API server:\n(?:.*\n)*.*\+ metadata\.labels\.team: web/);
});
