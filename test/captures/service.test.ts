// How a Service comes to the nodes: the diagram of service/web on a cluster of two nodes.

import { describe, expect, it } from 'vitest';
import { arrowsOf } from '../../src/diagram/model.js';
import { buildSequence, type Message, parseFollow } from '../../src/index.js';
import { observedTogether } from '../kit/diagrams.js';
import { edgesOf, missingEdges } from '../kit/edges.js';
import { fixtureLines } from '../kit/fixtures.js';

const CAPTURES = ['pod-network-tls/control-plane.pcap', 'pod-network-tls/node-1.pcap'];
const { messages, notices } = await observedTogether(CAPTURES, 'pod-network-tls/keys.log');
const bySeq = new Map(messages.map((one) => [one.seq, one]));
const sequence = buildSequence({ messages, notices }, { follow: parseFollow('service/web', 'default') ?? undefined });

const REQUIRED = `
    participant C as kubectl
    participant AS as kube-apiserver
    participant KEC as endpointslice-controller
    participant KGGC as generic-garbage-collector
    participant KP as kube-proxy (node-1)
    participant KP2 as kube-proxy (node-2)
    C ->>+ AS: [REQ] POST /api/v1/namespaces/default/services - web
    AS ->> KP2: [RESP-CHUNK] Service ADDED - web
    AS ->> KP: [RESP-CHUNK] Service ADDED - web
    AS ->> KEC: [RESP-CHUNK] Service ADDED - web
    KEC ->>+ AS: [REQ] POST /apis/discovery.k8s.io/v1/namespaces/default/endpointslices
    AS ->> KP2: [RESP-CHUNK] EndpointSlice ADDED - web-{slice}
    AS ->> KP: [RESP-CHUNK] EndpointSlice ADDED - web-{slice}
    AS ->> KEC: [RESP-CHUNK] Pod MODIFIED - web-{hash}-{pod}
    KEC ->>+ AS: [REQ] PUT /apis/discovery.k8s.io/v1/namespaces/default/endpointslices/web-{slice}
    AS ->> KP: [RESP-CHUNK] EndpointSlice MODIFIED - web-{slice}
    C ->>+ AS: [REQ] DELETE /api/v1/namespaces/default/services/web
    AS ->> KGGC: [RESP-CHUNK] Service DELETED - web
    KGGC ->>+ AS: [REQ] DELETE /apis/discovery.k8s.io/v1/namespaces/default/endpointslices/web-{slice}
    AS ->> KP2: [RESP-CHUNK] EndpointSlice DELETED - web-{slice}
    AS ->> KP: [RESP-CHUNK] EndpointSlice DELETED - web-{slice}
`;

describe('the diagram of service/web', () => {
  it('goes from the Service over its EndpointSlice to the kube-proxy of each node, in order', () => {
    expect(missingEdges(edgesOf(REQUIRED), sequence)).toEqual([]);
  });

  it('each arrow that is no root has its cause in the capture', () => {
    const roots = arrowsOf(sequence.steps).filter(({ message }) => message.causedBy === undefined);
    const others = roots.filter(({ message: { from, verb } }) => from.component !== 'kubectl' && verb !== 'watch');
    expect(others.map(({ message }) => message.label)).toEqual([]);
  });

  it('an EndpointSlice changes because of a Pod that it names in its body', () => {
    const puts = messages.filter((one) => one.resource === 'endpointslices' && one.verb === 'update');
    const causes = puts.map((one) => bySeq.get(one.causedBy ?? 0) as Message);
    expect(causes.map((one) => one.object?.kind)).toEqual(['Pod', 'Pod']);
    // The independent decoder saw the same events of the same Pods, told before the write.
    const truth = fixtureLines<{ kind: string; uid: string; resourceVersion: string }>(
      'pod-network-tls/control-plane.truth.jsonl',
    ).filter((one) => one.kind === 'watch-event');
    for (const [i, cause] of causes.entries()) {
      const same = truth.some(
        (one) => one.uid === cause.object?.uid && one.resourceVersion === cause.object?.resourceVersion,
      );
      expect([same, cause.time < puts[i].time]).toEqual([true, true]);
    }
  });
});

describe('Events', () => {
  it('are caused by the last delivery of their object to their reporter', () => {
    const reports = messages.filter((one) => one.kind === 'request' && one.k8sEvent !== undefined);
    const caused = reports.filter((one) => one.causedBy !== undefined);
    // What a node or a leader reports of itself nobody told it; that a node is new, its controller finds by looking at all of them.
    const others = reports.filter((one) => one.causedBy === undefined).map((one) => one.k8sEvent?.kind);
    expect([...new Set(others)].sort()).toEqual(['Lease', 'Node']);
    expect(caused).toHaveLength(21);
    const owners = new Map<string, string[]>();
    for (const { object } of messages)
      if (object?.uid != null) owners.set(object.uid, object.owners?.map((owner) => owner.uid) ?? []);
    for (const one of caused) {
      const told = bySeq.get(one.causedBy ?? 0)?.object?.uid ?? '';
      const about = one.k8sEvent?.uid ?? '';
      const related = told === about || owners.get(told)?.includes(about) || owners.get(about)?.includes(told);
      expect(related).toBe(true);
    }
  });
});
