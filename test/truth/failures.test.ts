// Connections and requests that fail, as tshark has them (flags, alerts, ICMP) and as the API server logged and worded them
// (fixtures/connections-tls/README.md); answers of a storm and verdicts of a webhook, as the audit log has them.

import { expect, it } from 'vitest';
import { arrowsOf } from '../../src/diagram/model.js';
import { buildSequence, type Message, type Notice } from '../../src/index.js';
import { type Audit, programOf } from '../kit/audit.js';
import { fixtureLines } from '../kit/fixtures.js';
import { observeWhole } from '../kit/whole-fixtures.js';

const FIXTURE = 'connections-tls';

interface Failure {
  readonly connection: string;
  readonly kind: Notice['code'];
  readonly frame: number;
  readonly by?: string;
  readonly alert?: string;
  readonly syns?: number;
}

it('each failed connection is reported with its error, and no other', async () => {
  const { notices } = await observeWhole(FIXTURE);
  const truth = fixtureLines<Failure>(`${FIXTURE}/failures.truth.jsonl`);
  expect(truth.length).toBeGreaterThan(380);
  const kinds = new Set(truth.map(({ kind }) => kind));
  expect(kinds.size).toBe(5);
  const told = notices.filter(({ code }) => kinds.has(code));
  const words = (code: string, connection = '', frame = 0): string => `${code} ${connection} frame ${frame}`;
  expect(told.map(({ code, connection, origin }) => words(code, connection, origin?.frame)).sort()).toEqual(
    truth.map(({ kind, connection, frame }) => words(kind, connection, frame)).sort(),
  );
  const detailOf = new Map(told.map((one) => [one.connection, one.detail]));
  for (const { connection, by, alert, syns } of truth) {
    if (alert !== undefined) expect(detailOf.get(connection)).toMatch(new RegExp(`^the ${by} sends ${alert}(?:;|$)`));
    if (syns !== undefined) expect(detailOf.get(connection)).toMatch(new RegExp(`^${syns} SYNs in `));
  }
});

interface Logged extends Audit {
  readonly requestURI: string;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
}

it('each request of the log without a response is shown as given up, at its time', async () => {
  const { messages } = await observeWhole(FIXTURE);
  const log = fixtureLines<Logged>(`${FIXTURE}/unanswered.jsonl`);
  const answered = new Set(messages.filter(({ kind }) => kind === 'response').map(({ exchange }) => exchange));
  const open = messages.filter(
    ({ kind, protocol, exchange }) => kind === 'request' && protocol === 'kubernetes' && !answered.has(exchange),
  );
  const gaveUp = messages.filter(({ cut }) => cut?.by === 'client' && cut.afterMs !== undefined);
  const isNear = ({ time }: Message, logged: string): boolean =>
    Math.abs(Number(time / 1000n) / 1000 - Date.parse(logged)) < 5;
  expect(log).toHaveLength(12);
  for (const entry of log) {
    const asked = open.filter(
      (one) =>
        one.verb === entry.verb &&
        one.from.name === programOf(entry) &&
        one.resource === entry.objectRef?.resource &&
        isNear(one, entry.requestReceivedTimestamp),
    );
    expect(asked, entry.requestURI).toHaveLength(1);
    const told = gaveUp.filter((one) => one.connection === asked[0].connection && one.stream === asked[0].stream);
    expect(told, entry.requestURI).toHaveLength(1);
    expect(isNear(told[0], entry.stageTimestamp)).toBe(true);
  }
});

const isLog = ({ subresource }: Message): boolean => subresource === 'log';

/** What was asked, and what the API server answers of how it failed. */
it.each<[string, (request: Message) => boolean, RegExp]>([
  [
    'a certificate for another address',
    isLog,
    /^Get "https:.*: x509: certificate is valid for \S+11, not 192\.0\.2\.21$/,
  ],
  [
    'an unknown authority',
    isLog,
    /: tls: failed to verify certificate: x509: certificate signed by unknown authority$/,
  ],
  ['a kubelet that is away', isLog, /: dial tcp 192\.0\.2\.21:10250: connect: connection refused$/],
  ['the same, for an exec', ({ subresource }) => subresource === 'exec', /^error dialing backend: dial tcp /],
  [
    'what it waits for itself',
    ({ target }) => target === '/readyz',
    /^not ready: (?:[\w./-]+(?:, | and \d+ more$|$))+/,
  ],
  ['HTTP in place of TLS', ({ target }) => target === '/version', /^Client sent an HTTP request to an HTTPS server\.$/],
])('the reason of the API server: %s', async (_, wanted, words) => {
  const { messages } = await observeWhole(FIXTURE);
  const asked = new Set(messages.filter((one) => one.kind === 'request' && wanted(one)).map((one) => one.exchange));
  const answers = messages.filter((one) => one.kind === 'response' && asked.has(one.exchange));
  expect(answers.map(({ statusMessage = '' }) => statusMessage)).toContainEqual(expect.stringMatching(words));
});

it('egress-tls: the reason of the konnectivity server, whose version of HTTP is 0.1', async () => {
  const { messages, notices } = await observeWhole('egress-tls');
  expect(messages.map(({ statusMessage = '' }) => statusMessage)).toContainEqual(
    expect.stringMatching(/proxy error from 192\.0\.2\.11:8131 while dialing 192\.0\.2\.20:10251, code 502/),
  );
  expect(notices.filter(({ code }) => code === 'http.malformed')).toEqual([]);
});

it('throttle-tls: the storm is drawn as a dozen loops that count each answer as often as the audit log has it', async () => {
  const sequence = buildSequence(await observeWhole('throttle-tls'));
  const counts = new Map<number, number>();
  for (const step of sequence.steps)
    for (const { message } of arrowsOf([step])) {
      const { status = 0, kind, to } = message;
      if (kind !== 'response' || to.name !== 'curl') continue;
      counts.set(status, (counts.get(status) ?? 0) + (step.kind === 'loop' ? step.times : 1));
    }
  const logged = new Map<number, number>();
  for (const { userAgent, stage, responseStatus } of fixtureLines<Audit & { userAgent: string; stage: string }>(
    'throttle-tls/audit.jsonl',
  ))
    if (userAgent.startsWith('curl') && stage === 'ResponseComplete')
      logged.set(responseStatus.code, (logged.get(responseStatus.code) ?? 0) + 1);
  expect([...counts].sort()).toEqual([...logged].sort());
  expect(counts.get(429)).toBe(11);
  expect(sequence.drawn).toBeLessThanOrEqual(14);
});

it('trouble-tls: a webhook has been asked as often as tshark has it, and its verdict is what the write ended with', async () => {
  const { messages } = await observeWhole('trouble-tls');
  const answers = new Map(messages.filter(({ kind }) => kind === 'response').map((one) => [one.exchange, one]));
  const writes = new Map(messages.map((one) => [one.seq, one]));
  const calls = messages.filter((one) => one.kind === 'request' && one.to.name === 'webhook guard.lab.example');
  const truth = fixtureLines<Record<string, string | null>>('trouble-tls/capture.truth.jsonl');
  expect(calls).toHaveLength(truth.filter((one) => one.kind === 'request' && one.tcp?.endsWith(':9443')).length);
  const log = fixtureLines<Audit & { stage: string }>('trouble-tls/audit.jsonl');
  const ended = calls.map(({ exchange, causedBy }) => {
    const id = answers.get(writes.get(causedBy ?? 0)?.exchange ?? 0)?.auditId;
    const entry = log.find(({ auditID, stage }) => auditID === id && stage === 'ResponseComplete');
    return `${answers.get(exchange)?.label.split(':')[0]}: ${entry?.responseStatus.code}`;
  });
  expect(ended).toEqual(['[RESP] 200 OK, allowed: 201', '[RESP] 200 OK, denied: 403', '[RESP] 200 OK, allowed: 200']);
});

it('trouble-tls: connections that are refused and watches that are, are as many as tshark has', async () => {
  const { messages, notices } = await observeWhole('trouble-tls');
  // Connections without a byte that end in a reset.
  expect(notices.filter(({ code }) => code === 'tcp.refused')).toHaveLength(352);
  const truth = fixtureLines<Record<string, string | null>>('trouble-tls/capture.truth.jsonl');
  const watches = truth.filter(({ kind, target }) => kind === 'request' && /[?&]watch=(?:true|1)/.test(target ?? ''));
  const refused = watches.filter(({ status }) => (status as unknown) === 403);
  const asked = new Set(messages.filter(({ verb }) => verb === 'watch').map(({ exchange }) => exchange));
  expect(refused.length).toBeGreaterThan(10);
  expect(messages.filter(({ status, exchange }) => status === 403 && asked.has(exchange))).toHaveLength(refused.length);
});
