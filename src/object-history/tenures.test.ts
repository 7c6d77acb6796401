import { expect, it } from 'vitest';
import { KUBECTL, MANAGER, message, SCHEDULER } from '../../test/kit/messages.js';
import { observeWhole } from '../../test/kit/whole-fixtures.js';
import type { Participant } from '../kubernetes/messages/message.js';
import { HistoryBuilder } from './history.js';
import type { FieldChange, HistoryStep, Revision, RevisionKind } from './model.js';
import { tenuresOf } from './tenures.js';

it('a recorded leader: its renewals are its updates that succeeded, and the longest gap lies between two of them', async () => {
  const { messages } = await observeWhole('connections-tls');
  const name = { resource: 'leases', group: 'coordination.k8s.io', namespace: 'kube-system', name: 'kube-scheduler' };
  const builder = new HistoryBuilder(name);
  for (const one of messages) builder.feed(one);
  const [incarnation] = builder.result().incarnations;
  const [tenure, ...others] = incarnation.tenures ?? [];
  expect(others).toEqual([]);
  const answered = new Map(messages.filter(({ kind }) => kind === 'response').map((one) => [one.exchange, one.status]));
  const writes = messages.filter(
    (one) =>
      one.kind === 'request' &&
      one.verb === 'update' &&
      one.resource === 'leases' &&
      one.name === 'kube-scheduler' &&
      answered.get(one.exchange) === 200,
  );
  // The last one gives it up.
  expect(tenure.renewals).toBe(writes.length - 1);
  const times = [tenure.begin.time, ...writes.slice(0, -1).map(({ time }) => time)];
  const gaps = times.slice(1).map((time, i) => Number(time - times[i]));
  expect(Number(tenure.longestGap)).toBe(Math.max(...gaps));
  expect([tenure.participant, tenure.leaseSeconds, tenure.ended]).toEqual(['kube-scheduler', 15, 'released']);
  expect(tenure.end?.seq).toBe(writes.at(-1)?.seq);
  const failed = messages.filter(
    (one) =>
      one.kind === 'request' &&
      one.verb === 'update' &&
      one.name === 'kube-scheduler' &&
      one.resource === 'leases' &&
      answered.get(one.exchange) !== 200 &&
      one.seq < writes.at(-1)!.seq,
  );
  expect(tenure.failed.map(({ seq }) => seq)).toEqual(failed.map(({ seq }) => seq));
});

it('a holder whose renewals fail', () => {
  const attempt = (seconds: number, what: 'refused' | 'unanswered' | 'dry run', from: Participant): HistoryStep => ({
    kind: 'attempt',
    what,
    request: message({ kind: 'request', time: BigInt(seconds) * 1_000_000_000n, seq: seconds, from }),
    response: undefined,
  });
  const holder = revision(1, 'created', [{ path: 'spec.holderIdentity', after: 'a' }], SCHEDULER);
  const [tenure] = tenuresOf([
    holder,
    attempt(3, 'refused', SCHEDULER),
    attempt(5, 'unanswered', SCHEDULER),
    attempt(7, 'dry run', SCHEDULER),
    attempt(9, 'refused', MANAGER),
  ]);
  expect(tenure.failed.map(({ seq }) => seq)).toEqual([3, 5]);
});

it('a lock that another client takes, and that is deleted', () => {
  const steps = [
    revision(0, 'created', [
      { path: 'spec.holderIdentity', after: 'a' },
      { path: 'spec.leaseDurationSeconds', after: 15 },
    ]),
    revision(2, 'changed', [{ path: 'spec.renewTime', before: '1', after: '2' }]),
    revision(30, 'changed', [{ path: 'spec.holderIdentity', before: 'a', after: 'b' }]),
    revision(31, 'changed', [{ path: 'metadata.labels[x]', after: 'y' }]),
    revision(40, 'deleted', null),
  ];
  expect(tenuresOf(steps)).toMatchObject([
    { holder: 'a', renewals: 1, longestGap: 2_000_000_000n, leaseSeconds: 15, ended: 'taken over' },
    { holder: 'b', renewals: 0, ended: 'deleted' },
  ]);
});

it('a holder from before the capture, at its end', () => {
  const steps = [revision(0, 'seen', [{ path: 'spec.holderIdentity', after: 'a' }])];
  expect(tenuresOf(steps)).toMatchObject([{ holder: 'a', ended: null, end: null }]);
});

function revision(
  seconds: number,
  happened: RevisionKind,
  changes: readonly unknown[] | null,
  from = KUBECTL,
): Revision {
  const first = message({ kind: 'request', from, time: BigInt(seconds) * 1_000_000_000n });
  const rest = { author: null, managers: [], changes: changes as readonly FieldChange[] | null };
  return { kind: 'version', resourceVersion: String(seconds), happened, first, ...rest };
}
