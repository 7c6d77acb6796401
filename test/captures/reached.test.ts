// Requests are the same however they were reached: behind a path, through proxies.

import { describe, expect, it } from 'vitest';
import { captureReader } from '../../src/capture/capture-reader.js';
import { packetDecoder } from '../../src/packet/packet-decoder.js';
import { tcpReassembler } from '../../src/tcp/reassembler.js';
import type { Side } from '../../src/tcp/stream-event.js';
import { dialerMessage, MASK, webSocket } from '../kit/channel-kit.js';
import { kubeseq } from '../kit/command.js';
import { fixture } from '../kit/fixtures.js';
import { headers, literals, ok, PREFACE, settings, settingsAck } from '../kit/http2-kit.js';
import type { Turn } from '../kit/packetiser.js';
import { exchange, lines, SESSION, saved, savedAs } from '../kit/reached.js';

const KUBELET = 'tcp/192.0.2.10:6443';

describe('behind a path', () => {
  const PREFIXED: readonly [string, string][] = [
    ['rancher', 'Rancher cluster c-m-abcd1234'],
    ['kcp', 'kcp workspace root:org:team-a'],
    ['karmada', 'Karmada cluster member1'],
  ];
  const argsOf = (name: string): string[] => [
    `fixtures/reached/${name}.pcap.gz`,
    '--keylog',
    'fixtures/reached/prefix.keys.log.gz',
  ];

  it.each(PREFIXED)('%s: the requests and events of the API server behind it', (name, which) => {
    const messages = lines(argsOf(name));
    const said = messages.filter(({ kind }) => kind !== 'response');
    expect(said.map(({ label }) => label)).toEqual(SESSION);
    expect(messages).toHaveLength(18);
    expect(new Set(messages.filter(({ kind }) => kind === 'request').map(({ to }) => to))).toEqual(
      new Set([`kube-apiserver (${which})`]),
    );
    // The Pod's creation is what the watch is told of.
    const seqOf = (verb: string): number => messages.findIndex((one) => one.verb === verb) + 1;
    expect(messages.filter(({ kind }) => kind === 'event').map(({ cause }) => cause?.seq)).toEqual([
      seqOf('create'),
      seqOf('delete'),
    ]);
  });

  it.each(PREFIXED)('%s: --follow', (name) => {
    const { stdout } = kubeseq(['diagram', ...argsOf(name), '--follow', 'pod/web', '-n', 'shop']);
    expect(stdout.match(/->>/g)).toHaveLength(8);
  });

  it('of an API server behind a Service', () => {
    const { stdout } = kubeseq(['diagram', 'fixtures/reached/svcproxy.pcap.gz']);
    expect(stdout).toContain('participant AS as kube-apiserver (Service vcluster/team-a)');
    expect(stdout).toContain('[REQ] GET /api/v1/namespaces/shop/pods/web\n');
  });

  it('two clusters behind one address are two participants', () => {
    const capture = saved('two.pcap', [
      ...['a', 'b'].flatMap((name) =>
        exchange('GET', `/k8s/clusters/${name}/api/v1/namespaces/shop/pods/web`, '', '{}'),
      ),
    ]);
    expect(lines([capture]).map(({ to }) => to)).toContain('kube-apiserver (Rancher cluster a)');
    expect(lines([capture]).map(({ to }) => to)).toContain('kube-apiserver (Rancher cluster b)');
  });
});

it('the audit log of kcp, whose paths have the workspace', () => {
  const event = {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Metadata',
    auditID: '11111111-2222-4333-8444-555555555551',
    stage: 'ResponseComplete',
    requestURI: '/clusters/root:org:team-a/api/v1/namespaces/shop/pods',
    verb: 'create',
    user: { username: 'kcp-admin' },
    sourceIPs: ['192.0.2.30'],
    objectRef: { resource: 'pods', namespace: 'shop', name: 'web', apiVersion: 'v1' },
    responseStatus: { code: 201 },
    requestReceivedTimestamp: '2026-11-26T22:36:31.017885Z',
    stageTimestamp: '2026-11-26T22:36:31.027885Z',
  };
  const path = savedAs('audit.log', `${JSON.stringify(event)}\n`);
  expect(lines([path])[0]).toMatchObject({
    verb: 'create',
    label: '[REQ] POST /api/v1/namespaces/shop/pods - web',
    to: 'kube-apiserver (kcp workspace root:org:team-a)',
  });
});

describe('through proxies', () => {
  // tshark, with the same keys: 7 requests of each, and a watch with one event. Frame 8 asks SOCKS for 192.0.2.10:6443; frame 4 names
  // 192.0.2.30 as the client of the load balancer 192.0.2.20.
  it.each<[string, string, string, string]>([
    ['socks5', 'socks5', 'proxy 192.0.2.20', '192.0.2.30:44982-192.0.2.20:1080'],
    ['proxy-v1', 'proxy', 'proxy 192.0.2.20', '192.0.2.20:57200-192.0.2.10:6444'],
    ['proxy-v2', 'proxy', 'proxy 192.0.2.20', '192.0.2.20:47844-192.0.2.10:6444'],
  ])('%s', (name, keys, via, connection) => {
    const args = [`fixtures/reached/${name}.pcap.gz`, '--keylog', `fixtures/reached/${keys}.keys.log.gz`];
    const messages = lines(args);
    const expected = SESSION.slice(0, 8).filter((label) => !label.includes('DELETE'));
    expect(messages.filter(({ kind }) => kind !== 'response').map(({ label }) => label)).toEqual(expected);
    expect(messages).toHaveLength(15);
    expect(messages[0]).toMatchObject({ connection, via: [via] });
    expect(messages.map(({ to }) => to)).toContain('kube-apiserver');
  });

  it('the client that a load balancer names is who asks', () => {
    const { stdout } = kubeseq([
      'messages',
      '-o',
      'ndjson',
      'fixtures/reached/proxy-plain.pcap.gz',
      '--participants',
      naming('198.51.100.7', 'office'),
    ]);
    expect(stdout).toContain('"from":"office"');
  });

  it('the server that a client asks for is who answers', () => {
    const args = ['fixtures/reached/socks5.pcap.gz', '--keylog', 'fixtures/reached/socks5.keys.log.gz'];
    expect(lines([...args, '--participants', naming('192.0.2.10', 'cluster')])[0].to).toBe('cluster');
  });

  it('a refusal of a SOCKS proxy went wrong, in words', () => {
    const capture = saved('refused.pcap', [
      { from: 'client', bytes: Uint8Array.of(5, 1, 0) },
      { from: 'server', bytes: Uint8Array.of(5, 0) },
      { from: 'client', bytes: Uint8Array.of(5, 1, 0, 1, 192, 0, 2, 10, 0x19, 0x2b) },
      { from: 'server', bytes: Uint8Array.of(5, 4, 0, 1, 0, 0, 0, 0, 0, 0) },
    ]);
    const { stdout } = kubeseq(['summary', capture]);
    expect(stdout).toContain(
      'connection from 192.0.2.1 to 192.0.2.2:8080: not forwarded: SOCKS5: 192.0.2.10:6443: host unreachable',
    );
    expect(stdout).toContain('1 × SOCKS5: the proxy did not connect its client');
  });

  it('before cleartext HTTP/2', () => {
    const capture = saved('h2c.pcap', [
      { from: 'client', bytes: 'PROXY TCP4 198.51.100.7 192.0.2.20 51234 443\r\n' },
      {
        from: 'client',
        bytes: Buffer.concat([
          PREFACE,
          settings,
          headers(
            1,
            literals(
              ':method',
              'GET',
              ':scheme',
              'http',
              ':path',
              '/api/v1/namespaces/shop/pods/web',
              ':authority',
              'a',
            ),
            true,
          ),
        ]),
      },
      { from: 'server', bytes: Buffer.concat([settings, settingsAck, headers(1, ok, true)]) },
    ]);
    expect(lines([capture]).map(({ label }) => label)).toEqual([
      '[REQ] GET /api/v1/namespaces/shop/pods/web',
      '[RESP] 200 OK',
    ]);
  });

  function naming(address: string, name: string): string {
    const path = savedAs(`${name}.yaml`, `participants:\n  - name: ${name}\n    address: ${address}\n`);
    return path;
  }
});

describe('through a tunnel of remotedialer', () => {
  // Of its README: one log read through the tunnel; then the agent dies, and the next one gives 502. The bytes were read by hand.
  it("K3s: the address that is dialled, the kubelet's request, and who disconnected before the 502", () => {
    const capture = 'fixtures/reached/k3s-tunnel.pcap.gz';
    const messages = lines([capture]);
    expect(messages.map(({ label }) => label)).toEqual([
      '[REQ] GET /v1-k3s/connect',
      '[RESP] 101 Switching Protocols',
      '[REQ] GET /logs',
      '[DATA] connect tcp/127.0.0.1:10250',
      '[DATA] data 170 bytes',
      '[REQ] GET /containerLogs/shop/web/c?follow=false',
      '[DATA] data 131 bytes',
      '[RESP] 200 OK',
      '[RESP] 200 OK',
      '[DATA] failed: tunnel disconnect',
      '[REQ] GET /logs',
      '[RESP] 502 Bad Gateway',
    ]);
    expect(messages[5]).toMatchObject({
      from: 'kube-apiserver',
      to: 'kubelet',
      via: ['proxy 192.0.2.30'],
      connection: '192.0.2.10:8001-192.0.2.30:10250',
      frames: [15, 15],
    });
    const { stdout } = kubeseq(['summary', capture]);
    expect(stdout).toContain('tunnel ended: its agent disconnected (remotedialer)');
    expect(stdout.indexOf('tunnel ended')).toBeLessThan(stdout.indexOf('GET /logs: 502'));
  });

  it('TLS inside of it is read with the same keys', () => {
    const upgrade = 'HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n';
    const capture = saved('tls-in-a-tunnel.pcap', [
      { from: 'client', bytes: `GET /v1-rke2/connect ${upgrade}` },
      { from: 'server', bytes: upgrade.replace('HTTP/1.1', 'HTTP/1.1 101 Switching Protocols') },
      ...connectionsIn(fixture('reached/nflog.pcap')).map(({ connection, from, type, bytes }): Turn => {
        const message = dialerMessage(connection, type, bytes);
        // The tunnel's server has its agent dial.
        return from === 'client'
          ? { from: 'server', bytes: webSocket(message) }
          : { from: 'client', bytes: webSocket(message, { mask: MASK }) };
      }),
    ]);
    const messages = lines([capture, '--keylog', 'fixtures/reached/link.keys.log.gz']).filter(({ via }) => via);
    expect(messages.filter(({ kind }) => kind !== 'response').map(({ label }) => label)).toEqual(SESSION);
    expect(messages).toHaveLength(18);
  });

  /** What the connections of a capture say, as messages of a tunnel. */
  function connectionsIn(capture: Uint8Array): { connection: number; from: Side; type: number; bytes: Uint8Array }[] {
    const [packets, tcp] = [packetDecoder(), tcpReassembler()];
    const said: ReturnType<typeof connectionsIn> = [];
    const events = captureReader({ capture: 0 })
      .feed(capture)
      .flatMap((frame) => (frame.kind === 'frame' ? [...packets.feed(frame)] : []))
      .flatMap((segment) => (segment.kind === 'segment' ? [...tcp.feed(segment)] : []));
    for (const event of events) {
      const { kind } = event;
      if (kind !== 'established' && kind !== 'data' && kind !== 'closed') continue;
      const connection = event.connection.id;
      const bytes = kind === 'data' ? Buffer.from(event.bytes) : Buffer.from(kind === 'closed' ? 'EOF' : KUBELET);
      const from = kind === 'data' ? event.from : 'client';
      said.push({ connection, from, type: { established: 2, data: 1, closed: 3 }[kind], bytes });
    }
    return said;
  }
});

describe('nothing secret of what is behind a path or a proxy', () => {
  const SECRETS = [
    'hunter2-in-a-secret',
    'aHVudGVyMi1pbi1iYXNlNjQ=',
    'Tq9vWm2xKp7rZs4y',
    'Zx81kQm44vBn90Lq',
    'b64VjY2Vzcy10b2tlbi1v',
    '9f8e7d6c5b4a39281706f5e4d3c2b1a0',
    'Qw12Er34Ty56Ui78',
  ];
  const PREFIX = '/k8s/clusters/local';
  const secret = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'db', namespace: 'shop' },
    data: { p: SECRETS[1] },
    stringData: { password: SECRETS[0] },
  });
  const token = JSON.stringify({
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: { name: 'default' },
    spec: { audiences: null },
    status: { token: SECRETS[4], expirationTimestamp: null },
  });
  const PASSWORD = 'pass-of-a-socks-proxy';
  const capture = saved('secrets.pcap', [
    { from: 'client', bytes: 'PROXY TCP4 198.51.100.7 192.0.2.20 51234 443\r\n' },
    { from: 'client', bytes: Uint8Array.of(5, 1, 2) },
    { from: 'server', bytes: Uint8Array.of(5, 2) },
    { from: 'client', bytes: Buffer.from(`\x01\x04user\x15${PASSWORD}`) },
    { from: 'server', bytes: Uint8Array.of(1, 0) },
    { from: 'client', bytes: Uint8Array.of(5, 1, 0, 1, 192, 0, 2, 10, 0x19, 0x2b) },
    { from: 'server', bytes: Uint8Array.of(5, 0, 0, 1, 0, 0, 0, 0, 0, 0) },
    ...exchange('POST', `${PREFIX}/api/v1/namespaces/shop/secrets?api_key=${SECRETS[3]}`, secret, secret),
    ...exchange('POST', `${PREFIX}/api/v1/namespaces/shop/serviceaccounts/default/token`, '{}', token),
    ...exchange('GET', `/proxies/${SECRETS[5]}/api/v1/namespaces/shop/pods/web`, '', '{}'),
    ...exchange('GET', `/v1/teleport/${SECRETS[4]}/${SECRETS[6]}/api/v1/namespaces/shop/pods/web`, '', '{}'),
    ...exchange('GET', `/of/${SECRETS[6]}/api/v1/namespaces/shop/pods/web`, '', '{}'),
    ...tunnel(Buffer.from(exchange('POST', '/api/v1/namespaces/shop/secrets', secret, '')[0].bytes), SECRETS[4]),
  ]);

  it.each([
    ['messages', ['messages', '-o', 'ndjson', '--bodies']],
    ['export', ['export']],
    ['diagram', ['diagram', '--layers', 'all', '--all']],
    ['page', ['diagram', '-o', 'html', '--all', '--layers', 'all']],
    ['summary', ['summary', '-o', 'json']],
    ['explanation', ['diagram', '--explain', '3']],
  ])('%s', (_, args) => {
    const { stdout, stderr } = kubeseq([...args, capture]);
    expect([PASSWORD, ...SECRETS].filter((one) => (stdout + stderr).includes(one))).toEqual([]);
  });

  it('the same test finds them where they are wanted', () => {
    const { stdout } = kubeseq(['export', capture, '--show-secrets']);
    expect(SECRETS.slice(0, 5).filter((one) => !stdout.includes(one))).toEqual([]);
  });
});

/** A tunnel of remotedialer, the request in it, and why that fails. */
function tunnel(request: Uint8Array, why: string): Turn[] {
  return [
    {
      from: 'client',
      bytes: 'GET /v1-k3s/connect HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
    },
    { from: 'server', bytes: 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n' },
    { from: 'server', bytes: webSocket(dialerMessage(2, 2, KUBELET)) },
    { from: 'server', bytes: webSocket(dialerMessage(2, 1, request)) },
    { from: 'client', bytes: webSocket(dialerMessage(2, 3, `dial failed: ${why}`), { mask: MASK }) },
  ];
}
