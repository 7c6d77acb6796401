// What an API server asks nodes through konnectivity: a CONNECT inside TLS, and TLS inside of that (fixtures/egress-tls/README.md).
// Requests are held against the audit log; frames and bytes against what tshark shows of both sessions.

import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/index.js';
import { tellsRequestsOf } from '../kit/captured-truth.js';
import { observedTogether } from '../kit/diagrams.js';

const KEYS = 'egress-tls/keys.log';
const both = await observedTogether(['egress-tls/control-plane.pcap', 'egress-tls/node.pcap'], KEYS);
const one = await observedTogether(['egress-tls/control-plane.pcap'], KEYS);

tellsRequestsOf('egress-tls', both.messages, 9, () => 'kubectl');

const line = ({ from, to, label, frames }: Message): string => `${frames[0]} ${from.name} > ${to.name} ${label}`;
const of = (messages: readonly Message[], ...protocols: string[]): string[] =>
  messages.filter(({ protocol }) => protocols.includes(protocol)).map(line);

describe('logs', () => {
  it('are requested from the kubelet inside the tunnel, and shown once, captured at one end or at both', () => {
    const asked = [
      '172 kube-apiserver > kubelet (node-1) [REQ] GET /containerLogs/default/web/web?follow=true',
      '179 kubelet (node-1) > kube-apiserver [RESP] 200 OK',
      '179 kubelet (node-1) > kube-apiserver [DATA] log 41 bytes',
      '189 kubelet (node-1) > kube-apiserver [DATA] log 41 bytes',
      '198 kubelet (node-1) > kube-apiserver [DATA] log 41 bytes',
    ];
    for (const { messages } of [one, both]) expect(of(messages, 'kubelet').slice(0, 5)).toEqual(asked);
    const node = both.messages.filter(({ protocol }) => protocol === 'kubelet');
    expect(node.every(({ translated }) => translated?.length === 1)).toBe(true);
    expect(both.notices.map(({ code }) => code)).toContain('exchange.proxied');
  });

  it("of an unreachable node fail with the konnectivity server's reason, whose version of HTTP is 0.1", () => {
    const connects = of(both.messages, 'http').filter((text) => !text.includes('readyz'));
    expect(connects).toEqual([
      '140 client 192.0.2.10 > proxy 192.0.2.11 [REQ] CONNECT 192.0.2.20:10250',
      '147 proxy 192.0.2.11 > client 192.0.2.10 [RESP] 200 OK',
      '367 client 192.0.2.10 > proxy 192.0.2.11 [REQ] CONNECT 192.0.2.20:10251',
      '376 proxy 192.0.2.11 > client 192.0.2.10 [RESP] 502 Bad Gateway',
    ]);
    const [, why] = both.messages.filter(({ status }) => status === 500);
    expect(why.statusMessage).toMatch(
      /proxy error from 192\.0\.2\.11:8131 while dialing 192\.0\.2\.20:10251, code 502/,
    );
    expect(both.notices.filter(({ code }) => code === 'http.malformed')).toEqual([]);
  });
});

describe('a stream on which the server speaks first', () => {
  const tunnel = both.messages.filter(({ protocol }) => protocol === 'grpc');

  it('is shown when it is opened, and each message where it stands in the capture', () => {
    expect(tunnel.slice(0, 4).map(line)).toEqual([
      '12 konnectivity-agent > konnectivity-server [RPC] AgentService/Connect',
      '14 konnectivity-server > konnectivity-agent [RPC-RESP] stream, wait for messages...',
      '142 konnectivity-server > konnectivity-agent [RPC-CHUNK] 35 bytes',
      '146 konnectivity-agent > konnectivity-server [RPC-CHUNK] 16 bytes',
    ]);
    expect(tunnel[1].latencyMs).toBeCloseTo(0.358, 3);
    const times = both.messages.map(({ time }) => time);
    expect(times).toEqual(times.toSorted());
  });
});
