// Helm 4 and Helm 3 in a cluster that ran for long when the capture began. Requests are held against the audit log, what Helm's own
// watches tell against what tshark and Python make of them; operations, against what was done (fixtures/helm-tls/README.md).

import { describe, expect, it } from 'vitest';
import { operationsIn } from '../../src/diagram/layout/releases.js';
import { indexMessages } from '../../src/diagram/message-index.js';
import { notesOf } from '../../src/diagram/model.js';
import { Problems } from '../../src/diagram/problems.js';
import { buildSequence, type Message } from '../../src/index.js';
import { type Audit, auditLog, programOf } from '../kit/audit.js';
import { tellsEventsOf, tellsRequestsOf } from '../kit/captured-truth.js';
import { observedTogether } from '../kit/diagrams.js';

const { messages, notices } = await observedTogether(['helm-tls/control-plane.pcap'], 'helm-tls/keys.log');
const log = auditLog('helm-tls/audit.jsonl');
const isHelms = ({ from }: Message): boolean => from.name === 'helm';

/** kwok's name was said before the capture began. */
const CALLED: Readonly<Record<string, string | undefined>> = {
  'kubernetes-admin': 'helm',
  'kwok-controller': 'client 198.51.100.21',
};
const nameOf = (entry: Audit): string => CALLED[entry.user.username] ?? programOf(entry);

it('opens every connection that was there before', () => {
  expect(notices.filter(({ code }) => code === 'tls.mid-session')).toHaveLength(4);
  expect(notices.filter(({ code }) => code === 'tls.no-handshake' || code === 'limit.trials')).toEqual([]);
});

tellsRequestsOf('helm-tls', messages, 400, nameOf, 2);
// The others' watches were opened before the capture.
tellsEventsOf(
  'helm-tls',
  messages.filter(({ to }) => to.name === 'helm'),
  60,
);

const DONE = [
  ['install of release shop, revision 1', 'deployed'],
  ['upgrade of release shop, revision 2', 'failed'],
  ['rollback of release shop, revision 3', 'deployed'],
  ['uninstall of release shop, revision 3', 'uninstalling'],
  ['install of release till, revision 1', 'deployed'],
  ['upgrade of release till, revision 2', 'failed'],
  ['rollback of release till, revision 3', 'deployed'],
  ['uninstall of release till, revision 3', 'uninstalling'],
] as const;

describe('what Helm did', () => {
  const parts = operationsIn(indexMessages(messages));

  it('is shown as operations, in their order, each with how it ended', () => {
    const last = new Map<string, string | undefined>();
    for (const [{ release }, title] of parts)
      if (release === undefined || title.endsWith(` of release ${release.name}, revision ${release.revision}`))
        last.set(title, release?.status ?? last.get(title));
    expect([...last]).toEqual(DONE);
  });

  it('has all of its writes that the API server took, each in one operation', () => {
    const taken = [...log.values()].filter(
      (entry) =>
        nameOf(entry) === 'helm' &&
        ['create', 'update', 'patch', 'delete'].includes(entry.verb) &&
        entry.responseStatus.code < 300,
    );
    expect(taken.length).toBeGreaterThan(50);
    expect(parts.size).toBe(taken.length);
  });

  it('makes the chapters of the diagram', () => {
    const notes = notesOf(buildSequence({ messages, notices }).steps).flatMap(({ lines }) => lines);
    const titles = notes.filter((line) => / of release /.test(line));
    expect(titles).toEqual(DONE.map(([title]) => title));
    expect(notes.filter((line) => /^(?:create|update|patch|delete) /.test(line))).toEqual([]);
    expect(notes).toContain('release shop, revision 2: pending-upgrade');
    expect(notes).toContain('release shop, revision 2 failed');
    expect(notes.filter((line) => line === 'release till, revision 1: superseded')).toHaveLength(1);
  });

  it('has both failures, and why', () => {
    const problems = new Problems();
    for (const one of messages) problems.add(one);
    const found = problems.result().map(({ what }) => what);
    expect(found.filter((what) => what.includes('release'))).toEqual([
      'secrets default/sh.helm.release.v1.shop.v2: release shop, revision 2 failed',
      'secrets default/sh.helm.release.v1.till.v2: release till, revision 2 failed',
    ]);
    expect(found.some((what) => /shop-web.*FailedScheduling: .*Insufficient cpu/.test(what))).toBe(true);
    expect(found.some((what) => /helm: patch deployments.*422 Invalid: spec\.replicas/.test(what))).toBe(true);
  });
});

it('shows nothing of what a release is made of: its record holds that', () => {
  const records = messages.filter((one) => isHelms(one) && one.release !== undefined);
  expect(records.length).toBeGreaterThan(15);
  for (const { release } of records) expect(Object.keys(release!)).toEqual(['name', 'revision', 'status']);
});
