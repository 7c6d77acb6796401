// A node joins, and asks for its certificates. Requests are held against the audit log, what the kubelet's watches tell against what
// tshark and Python make of them; stories, against what the sources of Kubernetes do (fixtures/bootstrap-tls/README.md).

import { describe, expect, it } from 'vitest';
import { arrowsOf, notesOf } from '../../src/diagram/model.js';
import { Problems } from '../../src/diagram/problems.js';
import { buildSequence, type Message, parseFollow } from '../../src/index.js';
import { type Audit, programOf } from '../kit/audit.js';
import { tellsEventsOf, tellsRequestsOf } from '../kit/captured-truth.js';
import { observedTogether } from '../kit/diagrams.js';
import { edgesOf, missingEdges } from '../kit/edges.js';
import { fixture } from '../kit/fixtures.js';

const { messages, notices } = await observedTogether(['bootstrap-tls/control-plane.pcap'], 'bootstrap-tls/keys.log');
const bySeq = new Map(messages.map((one) => [one.seq, one]));

/** kwok's name was said before the capture began; who has the token is who becomes the node. */
const CALLED: Readonly<Record<string, string | undefined>> = {
  'kwok-controller': 'client 198.51.100.21',
  'system:bootstrap:abcdef': 'kubelet (node-1)',
};
const nameOf = (entry: Audit): string => CALLED[entry.user.username] ?? programOf(entry);
const storyOf = (name: string) => buildSequence({ messages, notices }, { follow: parseFollow(name, 'default')! });
const drawn = (name: string): readonly Message[] => arrowsOf(storyOf(name).steps).map(({ message }) => message);

tellsRequestsOf('bootstrap-tls', messages, 200, nameOf, 4);
// The others' watches were opened before the capture.
tellsEventsOf(
  'bootstrap-tls',
  messages.filter(({ to }) => to.component === 'kubelet'),
  25,
);

describe('certificates', () => {
  it.each([
    ['csr/csr-rthfm', 'client'],
    ['csr/csr-mft4d', 'client'],
    ['csr/csr-4kbfw', 'serving'],
  ])('the story of %s has what the sources do, in their order', (name, kind) => {
    const edges = edgesOf(Buffer.from(fixture(`bootstrap-tls/expected-${kind}.mmd`)).toString());
    expect(edges.length).toBeGreaterThan(5);
    expect(missingEdges(edges, storyOf(name))).toEqual([]);
  });

  it('are signed because they were approved, by a program or a user', () => {
    const signed = messages.filter(
      ({ kind, resource, subresource }) =>
        kind === 'request' && resource === 'certificatesigningrequests' && subresource === 'status',
    );
    expect(signed.map(({ name }) => name)).toEqual(['csr-rthfm', 'csr-mft4d', 'csr-4kbfw', 'jane', 'wrong']);
    for (const { causedBy } of signed) {
      const event = bySeq.get(causedBy!)!;
      const write = bySeq.get(event.causedBy!)!;
      expect([event.kind, event.type, write.subresource]).toEqual(['event', 'MODIFIED', 'approval']);
    }
  });

  it('are delivered to the client that requested them, unless it does not wait', () => {
    const toMaker = (name: string) =>
      drawn(name).filter(({ kind, to }) => kind === 'event' && to.tier !== 'controllers');
    expect(toMaker('csr/csr-4kbfw').map(({ to, type }) => `${to.name} ${type}`)).toEqual([
      'kubelet (node-1) MODIFIED',
      'kubelet (node-1) MODIFIED',
    ]);
    expect(toMaker('csr/jane')).toEqual([]);
  });

  it('that were denied, or not signed, have the reason', () => {
    const said = (name: string) => notesOf(storyOf(name).steps).flatMap(({ lines }) => lines);
    expect(said('csr/mallory')).toContain('condition Denied=True (This CSR was denied by kubectl certificate deny.)');
    expect(said('csr/wrong')).toContain('condition Failed=True (subject organization is not system:nodes)');
    expect(said('csr/jane').filter((line) => line.startsWith('condition'))).toEqual([]);
    const problems = new Problems();
    for (const one of messages) problems.add(one);
    const found = problems.result().filter(({ what }) => what.startsWith('certificatesigningrequests'));
    expect(found.map(({ what }) => what.split(' ').slice(1, 4).join(' '))).toEqual([
      'mallory: condition Denied=True',
      'wrong: condition Failed=True',
    ]);
  });
});

it('the story of node/node-1 has the kubelet that creates it, and the controllers that react to it', () => {
  const labels = drawn('node/node-1')
    .filter(({ kind }) => kind === 'request')
    .map(({ from, verb, resource, subresource }) => [from.name, verb, resource, subresource].filter(Boolean).join(' '));
  expect(labels).toEqual(
    expect.arrayContaining([
      'kubelet (node-1) create nodes',
      'kubelet (node-1) create csinodes',
      'kubelet (node-1) create leases',
      'node-controller patch nodes',
      'ttl-controller patch nodes',
    ]),
  );
});
