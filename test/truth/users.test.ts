// Users of requests against the API servers' own audit logs: whom the log names, or nobody.

import { expect, it } from 'vitest';
import type { Message } from '../../src/index.js';
import { fixtureLines } from '../kit/fixtures.js';
import { observeWhole } from '../kit/whole-fixtures.js';

interface Entry {
  readonly auditID: string;
  readonly user: { readonly username?: string };
  readonly impersonatedUser?: { readonly username: string };
}

/** Fixture, how many of its logged requests have a user at least, and how many kinds of evidence. */
it.each([
  ['errors-http1', 33, ['refusal', 'token']],
  ['throttle-tls', 89, ['refusal']],
  ['trouble-tls', 236, ['admission review', 'refusal', 'token']],
  ['bootstrap-tls', 114, ['certificate', 'certificate signing request', 'token']],
  ['attach-aggregated-tls', 38, ['certificate', 'impersonation', 'token']],
  ['connections-tls', 683, ['certificate', 'token']],
])('%s names no user that the audit log does not', async (name, least, evidence) => {
  const log = new Map(fixtureLines<Entry>(`${name}/audit.jsonl`).map((entry) => [entry.auditID, entry]));
  const { messages } = await observeWhole(name);
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
