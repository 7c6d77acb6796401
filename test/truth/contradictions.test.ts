// No cause contradicts the uids, versions, times and watches of the messages themselves.

import { beforeAll, describe, expect, it } from 'vitest';
import { decide } from '../../src/diagram/selection/visibility.js';
import { type Message, parseFollow } from '../../src/index.js';
import { causesIn } from '../kit/causes.js';
import { fixtureLines } from '../kit/fixtures.js';
import { observeWhole } from '../kit/whole-fixtures.js';

const uidOf = (one: Message | undefined): string | undefined => one?.object?.uid ?? undefined;
const answersIn = (messages: readonly Message[]): ReadonlyMap<number, Message> =>
  new Map(messages.filter(({ kind }) => kind === 'response').map((one) => [one.exchange, one]));

/** Uids of the owners of each object. */
function ownersIn(messages: readonly Message[]): ReadonlyMap<string, readonly string[]> {
  const owners = new Map<string, string[]>();
  for (const { object } of messages)
    if (object?.uid != null && object.owners !== undefined)
      owners.set(
        object.uid,
        object.owners.map(({ uid }) => uid),
      );
  return owners;
}

describe('deployment-tls', async () => {
  const { messages } = await observeWhole('deployment-tls');
  const causeOf = causesIn(messages);
  const answers = answersIn(messages);

  it('etcd is written at the revision that the API server answers with', () => {
    let exact = 0;
    for (const txn of messages) {
      if (txn.protocol !== 'etcd' || txn.kind !== 'request' || txn.causedBy === undefined) continue;
      const write = causeOf(txn) as Message;
      const [stored, answered] = [answers.get(txn.exchange), answers.get(write.exchange)];
      expect(write.started <= txn.time).toBe(true);
      if (write.verb === 'delete' || stored?.succeeded !== true || uidOf(answered) === undefined) continue;
      if (answered?.object?.kind === 'Scale' || (answered?.status ?? 0) >= 300) continue;
      expect(answered?.object?.resourceVersion).toBe(stored.revision);
      exact += 1;
    }
    expect(exact).toBeGreaterThan(80);
  });

  it('a client that acts received the object, its owner or what it owns, by a watch of its own process', () => {
    const owners = ownersIn(messages);
    /** What is made anew, and ReplicaSets that become smaller as another one's Pods are available. */
    const forBrothers = /^\[REQ\] (?:POST|PUT \S+\/replicasets\/[^/]+$)/;
    let checked = 0;
    for (const request of messages) {
      if (request.kind !== 'request' || request.protocol !== 'kubernetes' || request.causedBy === undefined) continue;
      const event = causeOf(request) as Message;
      const told = uidOf(event);
      const about = request.k8sEvent?.uid ?? uidOf(answers.get(request.exchange)) ?? uidOf(request);
      expect(event.to.process.name).toBe(request.from.process.name);
      expect(event.seq).toBeLessThan(request.seq);
      if (told === undefined || about === undefined || about === '') continue;
      // The Pods behind a Service, and the Service that Endpoints are named after, own nothing of each other.
      if (/^endpoint/.test(request.resource ?? '') && /^(?:Pod|Service)$/.test(event.object?.kind ?? '')) continue;
      // Every ClusterRole may be aggregated into another one (pkg/controller/clusterroleaggregation).
      if (request.resource === 'clusterroles' && event.object?.kind === 'ClusterRole') continue;
      // A Namespace holds what is in it; two of one owner are brothers.
      const isWithin = event.object?.kind === 'Namespace' && event.object.name === request.namespace;
      const areBrothers = owners.get(told)?.some((owner) => owners.get(about)?.includes(owner)) === true;
      const isOwner = owners.get(about)?.includes(told) === true || owners.get(told)?.includes(about) === true;
      const related = told === about || isOwner || isWithin || (areBrothers && forBrothers.test(request.label));
      expect(related, `message ${request.seq} ${request.label} because of ${event.seq} ${event.label}`).toBe(true);
      checked += 1;
    }
    expect(checked).toBeGreaterThan(100);
  });

  it('a controller is triggered by what it watches: no Deployment triggers the replicaset-controller', () => {
    const woken = messages.filter(
      (one) => one.kind === 'request' && one.from.name === 'replicaset-controller' && one.k8sEvent === undefined,
    );
    expect([...new Set(woken.map((one) => causeOf(one)?.object?.kind))].sort()).toEqual(['Pod', 'ReplicaSet']);
  });

  it('a registry is asked while the pull of the runtime is out', () => {
    const asked = messages.filter((one) => one.protocol === 'registry' && one.kind === 'request');
    expect(asked).toHaveLength(4);
    for (const one of asked) {
      const cause = causeOf(one)!;
      expect(cause.label).toBe('[RPC] ImageService/PullImage nginx:latest');
      expect([cause.time < one.time, one.time < answers.get(cause.exchange)!.time]).toEqual([true, true]);
    }
  });
});

it.each(['workloads-tls', 'lacks-tls', 'volumes-tls', 'operator-tls'])(
  '%s: no request is older than its cause, and each had it by a watch of its own',
  async (name) => {
    const { messages } = await observeWhole(name);
    const causeOf = causesIn(messages);
    const caused = messages.filter(
      (one) => one.kind === 'request' && one.protocol === 'kubernetes' && causeOf(one)?.kind === 'event',
    );
    expect(caused.length).toBeGreaterThan(100);
    for (const one of caused) {
      const cause = causeOf(one)!;
      expect(cause.time <= one.time, one.label).toBe(true);
      expect([one.from.process.id, one.from.id]).toContain(cause.to.id);
    }
  },
);

it('pod-network-tls: Events are caused by the last delivery of their object, or of its owner, to their reporter', async () => {
  const { messages } = await observeWhole('pod-network-tls');
  const causeOf = causesIn(messages);
  const reports = messages.filter((one) => one.kind === 'request' && one.k8sEvent !== undefined);
  const caused = reports.filter((one) => one.causedBy !== undefined);
  // What a node or a leader reports of itself nobody told it; that a node is new, its controller finds by looking at all of them.
  const others = reports.filter((one) => one.causedBy === undefined).map((one) => one.k8sEvent?.kind);
  expect([...new Set(others)].sort()).toEqual(['Lease', 'Node']);
  expect(caused).toHaveLength(21);
  const owners = ownersIn(messages);
  for (const one of caused) {
    const [told, about] = [uidOf(causeOf(one)) ?? '', one.k8sEvent?.uid ?? ''];
    expect(told === about || owners.get(told)?.includes(about) || owners.get(about)?.includes(told)).toBe(true);
  }
});

describe('trouble-tls', () => {
  let messages: readonly Message[] = [];
  beforeAll(async () => {
    ({ messages } = await observeWhole('trouble-tls'));
  });

  it('a list after an expired watch is caused by the event that ended it: same program, resource and group', () => {
    const causeOf = causesIn(messages);
    const errors = messages.filter(({ kind, type }) => kind === 'event' && type === 'ERROR');
    const truth = fixtureLines<Record<string, unknown>>('trouble-tls/capture.truth.jsonl');
    expect(errors).toHaveLength(truth.filter(({ kind, type }) => kind === 'watch-event' && type === 'ERROR').length);
    const after = messages.filter((one) => one.kind === 'request' && causeOf(one)?.type === 'ERROR');
    expect(after.length).toBeGreaterThan(60);
    for (const request of after) {
      const error = causeOf(request)!;
      const watch = messages.find((one) => one.kind === 'request' && one.exchange === error.exchange);
      const shape = (one: Message | undefined) => [one?.from.name, one?.resource, one?.apiGroup];
      expect(shape(request)).toEqual(shape(watch));
      expect(request.seq).toBeGreaterThan(error.seq);
    }
  });

  it('a resumed watch requests the version that it received last', () => {
    const causeOf = causesIn(messages);
    const resumed = messages.filter(
      (one) =>
        one.verb === 'watch' && one.kind === 'request' && one.causedBy !== undefined && causeOf(one)?.type !== 'ERROR',
    );
    expect(resumed.length).toBeGreaterThan(50);
    for (const request of resumed) {
      const asked = new URL(request.target ?? '', 'https://x').searchParams.get('resourceVersion');
      expect(causeOf(request)?.object?.resourceVersion).toBe(asked);
    }
  });
});

it('operator-tls: a write that changes nothing is one whose answer has a version that was told before it', async () => {
  const { messages, notices } = await observeWhole('operator-tls');
  const decided = [...decide({ messages, notices }, { follow: parseFollow('cache/front', 'default')! })];
  const told = new Map<string, number>();
  for (const { seq, object } of messages) {
    const version = `${object?.uid} ${object?.resourceVersion}`;
    if (!told.has(version)) told.set(version, seq);
  }
  const folded = new Set(decided.filter(([, why]) => why === 'unchanged-writes').map(([one]) => one.exchange));
  const answers = messages.filter(({ kind, exchange }) => kind === 'response' && folded.has(exchange));
  expect(answers.length).toBeGreaterThan(10);
  const asked = new Map(messages.filter(({ kind }) => kind === 'request').map((one) => [one.exchange, one.seq]));
  for (const { exchange, object } of answers)
    expect(told.get(`${object?.uid} ${object?.resourceVersion}`)).toBeLessThan(asked.get(exchange)!);
});
