// Users of requests against the API servers' own audit logs: whom the log names, or nobody.

import { expect, it } from 'vitest';
import type { Message } from '../../src/index.js';
import { fixture, fixtureLines } from '../kit/fixtures.js';
import { observed } from '../kit/observed.js';

interface Entry {
  readonly auditID: string;
  readonly user: { readonly username?: string };
  readonly impersonatedUser?: { readonly username: string };
}

/** Capture, how it is read, how many of its logged requests have a user at least, and how many kinds of evidence. */
it.each([
  ['errors-http1/capture.pcap', null, 33, ['refusal', 'token']],
  ['throttle-tls/capture.pcap', 'throttle-tls/keys.log', 89, ['refusal']],
  ['trouble-tls/capture.pcap', 'trouble-tls/keys.log', 236, ['admission review', 'refusal', 'token']],
  [
    'bootstrap-tls/control-plane.pcap',
    'bootstrap-tls/keys.log',
    114,
    ['certificate', 'certificate signing request', 'token'],
  ],
  [
    'attach-aggregated-tls/control-plane.pcap',
    'attach-aggregated-tls/keys.log',
    38,
    ['certificate', 'impersonation', 'token'],
  ],
  ['connections-tls/control-plane.pcap', 'connections-tls/keys.log', 683, ['certificate', 'token']],
])('%s names no user that the audit log does not', async (capture, keys, least, evidence) => {
  const log = new Map(
    fixtureLines<Entry>(`${capture.split('/')[0]}/audit.jsonl`).map((entry) => [entry.auditID, entry]),
  );
  const { messages } = await observed(
    [fixture(capture)],
    keys === null ? {} : { keyLogs: [Buffer.from(fixture(keys)).toString('utf8')] },
  );
  const asked = new Map(messages.filter(({ kind }) => kind === 'request').map((one) => [one.exchange, one]));
  const answered = messages.filter(({ kind, auditId }) => kind === 'response' && log.has(auditId ?? ''));
  const told = answered.flatMap((answer) => {
    const { impersonatedUser, user } = log.get(answer.auditId as string) as Entry;
    const logged = impersonatedUser?.username ?? user.username ?? '';
    return [asked.get(answer.exchange), answer]
      .filter((one): one is Message => one?.user !== undefined)
      .map((one) => ({ exchange: one.exchange, user: one.user as string, logged, from: one.userFrom }));
  });
  expect(told.filter(({ user, logged }) => user !== logged)).toEqual([]);
  expect(new Set(told.map(({ exchange }) => exchange)).size).toBeGreaterThanOrEqual(least);
  expect([...new Set(told.map(({ from }) => from))].sort()).toEqual(evidence);
});
