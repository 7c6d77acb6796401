// Nodes that karpenter makes and takes away. Requests are held against the audit log, what is told of watches that were opened in the
// capture against what tshark and Python make of them; causes, against what karpenter does (fixtures/autoscaled-tls/README.md).

import { describe, expect, it } from 'vitest';
import { arrowsOf, notesOf } from '../../src/diagram/model.js';
import { buildSequence, type Message, parseFollow } from '../../src/index.js';
import { type Audit, programOf } from '../kit/audit.js';
import { tellsEventsOf, tellsRequestsOf } from '../kit/captured-truth.js';
import { causesIn } from '../kit/causes.js';
import { observedTogether } from '../kit/diagrams.js';

const { messages, notices } = await observedTogether(['autoscaled-tls/control-plane.pcap'], 'autoscaled-tls/keys.log');
const causeOf = causesIn(messages);

const CALLED: Readonly<Record<string, string | undefined>> = { admin: 'kubectl', operator: 'karpenter' };
/** One request of karpenter's does not say who sends it. */
const nameOf = (entry: Audit & { readonly userAgent?: string }): string =>
  entry.userAgent?.startsWith('Go-http-client') === true
    ? `User ${entry.user.username}`
    : (CALLED[entry.user.username] ?? programOf(entry));

tellsRequestsOf('autoscaled-tls', messages, 450, nameOf, 30);
tellsEventsOf(
  'autoscaled-tls',
  messages.filter(({ to }) => ['karpenter', 'kwok', 'kubectl'].includes(to.name)),
  150,
);

const requests = (verb: string, resource: string, subresource?: string): readonly Message[] =>
  messages.filter(
    (one) =>
      one.kind === 'request' && one.verb === verb && one.resource === resource && one.subresource === subresource,
  );
/** `MODIFIED Pod by kube-scheduler`. */
const words = (one: Message | undefined): string | undefined => {
  if (one === undefined) return undefined;
  const write = causeOf(one);
  return `${one.type} ${one.object?.kind} by ${write?.from.name} ${write?.verb} ${write?.subresource ?? ''}`.trim();
};

describe('karpenter', () => {
  it('makes a node for Pods that have none; one that replaces another it makes by the clock', () => {
    const made = requests('create', 'nodeclaims');
    expect(made.map((one) => words(causeOf(one)))).toEqual(['MODIFIED Pod by kube-scheduler patch status', undefined]);
    const pod = causeOf(made[0])?.object?.name;
    const nominated = messages.filter(({ kind, k8sEvent }) => kind === 'request' && k8sEvent?.reason === 'Nominated');
    expect(nominated.map(({ k8sEvent }) => k8sEvent?.name)).toContain(pod);
  });

  it('goes on from what it made itself, never from what was before that', () => {
    const changes = messages.filter(
      ({ kind, resource, verb }) =>
        kind === 'request' && resource === 'nodeclaims' && (verb === 'patch' || verb === 'delete'),
    );
    const mine = changes.filter(({ from }) => from.name === 'karpenter');
    expect(mine.length).toBeGreaterThan(20);
    const born = new Map(
      messages
        .filter(({ kind, type, object }) => kind === 'event' && type === 'ADDED' && object?.kind === 'NodeClaim')
        .map(({ seq, object }) => [object!.name, seq]),
    );
    expect(mine.filter((one) => !(one.causedBy! >= born.get(one.name!)!))).toEqual([]);
  });

  it('evicts a Pod because of what it did to its node', () => {
    const asked = requests('create', 'pods', 'eviction');
    expect(asked).toHaveLength(1);
    expect(words(causeOf(asked[0]))).toMatch(/^MODIFIED Node by karpenter/);
    const going = requests('delete', 'nodes').map((one) => words(causeOf(one)));
    expect(going).toEqual(Array(2).fill('MODIFIED NodeClaim by karpenter delete'));
  });
});

describe('the story of the Deployment', () => {
  const { steps } = buildSequence({ messages, notices }, { follow: parseFollow('deployment/web', 'default')! });
  const drawn = arrowsOf(steps).map(({ message }) => message);
  const sent = drawn.filter(({ kind }) => kind === 'request').map(({ from, label }) => `${from.name} ${label}`);

  it('has the nodes that were made for its Pods, and that went', () => {
    expect(sent).toContain('karpenter [REQ] POST /apis/karpenter.sh/v1/nodeclaims');
    expect(sent.filter((one) => one.startsWith('karpenter [REQ] POST /api/v1/nodes'))).toHaveLength(1);
    expect(sent.filter((one) => one.startsWith('karpenter [REQ] DELETE /api/v1/nodes'))).toHaveLength(1);
  });

  it('notes once what is reported of each of five Pods', () => {
    const lines = notesOf(steps).flatMap(({ lines: said }) => said);
    const about = lines.filter((line) => line.startsWith('reported on 5 Pods: web-'));
    expect(about).toHaveLength(3);
    const reasons = drawn.flatMap(({ kind, k8sEvent }) =>
      kind === 'request' && k8sEvent !== undefined ? k8sEvent.reason : [],
    );
    expect(reasons.filter((one) => one === 'FailedScheduling')).toHaveLength(2);
    expect(reasons.filter((one) => one === 'Nominated')).toHaveLength(1);
  });

  it('has no heartbeats of a node', () => {
    expect(sent.filter((one) => one.includes('PUT') && one.includes('/leases/'))).toEqual([]);
  });
});
