// An aggregated API server, asked by the API server because a client asked that one: both hops in one made capture.

import { describe, expect, it } from 'vitest';
import { arrowsOf } from '../../src/diagram/model.js';
import { buildSequence } from '../../src/index.js';
import { observed } from '../kit/observed.js';
import { conversation, packets, pcap, START } from '../kit/packetiser.js';

const SECOND = 1_000_000_000n;

describe('an aggregated API server', async () => {
  const TARGET = '/apis/metrics.k8s.io/v1beta1/namespaces/default/pods/web';
  const body = JSON.stringify({
    kind: 'PodMetrics',
    apiVersion: 'metrics.k8s.io/v1beta1',
    metadata: { name: 'web', namespace: 'default' },
  });
  const answer = `HTTP/1.1 200 OK\r\nAudit-Id: a1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const hop = (client: string, server: string, port: number, more: string, start: bigint, step: bigint) =>
    conversation(
      [
        {
          from: 'client',
          bytes: `GET ${TARGET} HTTP/1.1\r\nHost: x\r\nUser-Agent: kubectl/v1.34.4 (linux/amd64)\r\n${more}\r\n`,
        },
        { from: 'server', bytes: answer },
      ],
      { client: { address: client, port: 40000 + port }, server: { address: server, port }, start, step },
    );
  const first = hop('192.0.2.1', '192.0.2.10', 8080, '', START, SECOND);
  // Between the first hop's request and its answer.
  const second = hop(
    '192.0.2.10',
    '198.18.0.9',
    4443,
    'X-Remote-User: kubernetes-admin\r\nAudit-ID: a1\r\n',
    START + (7n * SECOND) / 2n,
    SECOND / 100n,
  );
  const both = [...first, ...second].sort((a, b) => ((a.time ?? 0n) < (b.time ?? 0n) ? -1 : 1));
  const { messages, notices } = await observed([pcap(packets(both))]);

  it("is called by the API server, because of a client's request", () => {
    const requests = messages.filter((one) => one.kind === 'request');
    expect(requests.map((one) => [one.from.name, one.to.name, one.causedBy])).toEqual([
      ['kubectl', 'kube-apiserver', undefined],
      ['kube-apiserver', 'aggregated-apiserver metrics.k8s.io', requests[0].seq],
    ]);
  });

  it('is drawn between question and answer', () => {
    const sequence = buildSequence({ messages, notices });
    const names = new Map(sequence.participants.map((one) => [one.id, one.name]));
    expect(arrowsOf(sequence.steps).map((one) => names.get(one.to))).toEqual([
      'kube-apiserver',
      'aggregated-apiserver metrics.k8s.io',
      'kube-apiserver',
      'kubectl',
    ]);
  });
});
