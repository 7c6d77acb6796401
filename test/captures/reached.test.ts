// Requests are the same however they were reached: behind a path, through proxies.

import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { captureReader } from '../../src/capture/capture-reader.js';
import { packetDecoder } from '../../src/packet/packet-decoder.js';
import { tcpReassembler } from '../../src/tcp/reassembler.js';
import type { Side } from '../../src/tcp/stream-event.js';
import { dialerMessage, MASK, webSocket } from '../kit/channel-kit.js';
import { kubeseq } from '../kit/command.js';
import { fixture } from '../kit/fixtures.js';
import { headers, literals, ok, PREFACE, settings, settingsAck } from '../kit/http2-kit.js';
import { conversation, ethernet, ip, packets, pcap, type Turn, udp } from '../kit/packetiser.js';

const KUBELET = 'tcp/192.0.2.10:6443';
const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-reached-'));

interface Line {
  readonly kind: string;
  readonly verb?: string;
  readonly label: string;
  readonly from: string;
  readonly to: string;
  readonly object?: { readonly namespace?: string; readonly name?: string };
  readonly cause?: { readonly seq: number };
  readonly connection?: string;
  readonly frames?: readonly number[];
  readonly via?: readonly string[];
}

function lines(args: readonly string[]): Line[] {
  const { stdout } = kubeseq(['messages', '-o', 'ndjson', ...args]);
  return stdout
    .split('\n')
    .filter((line) => line.includes('"seq"'))
    .map((line) => JSON.parse(line) as Line);
}

/** tshark: requests of each capture, by stream; and what client-go makes of the watch's two JSON documents. */
const SESSION = [
  '[REQ] GET /version',
  '[REQ] GET /api',
  '[REQ] GET /apis',
  '[REQ] GET /api/v1',
  '[REQ] GET /api/v1/namespaces/shop/pods',
  '[REQ] GET /api/v1/namespaces/shop/pods?watch=true',
  '[REQ] POST /api/v1/namespaces/shop/pods - web',
  '[RESP-CHUNK] Pod ADDED - shop/web',
  '[REQ] DELETE /api/v1/namespaces/shop/pods/web',
  '[RESP-CHUNK] Pod DELETED - shop/web',
];

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
  const path = join(FOLDER, 'audit.log');
  writeFileSync(path, `${JSON.stringify(event)}\n`);
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
    const path = join(FOLDER, `${name}.yaml`);
    writeFileSync(path, `participants:\n  - name: ${name}\n    address: ${address}\n`);
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

// tshark: 8 requests of each, with the same keys (of TZSP and VXLAN the outer packets, decoded as what they are: 95 inner frames).
it.each<[string, string, string | null]>([
  ['reached/nflog', 'reached/link', null],
  ['reached/pktap258', 'reached/link', 'process 4321, kubectl, as PKTAP noted (frame 2)'],
  ['not-read/tzsp', 'not-read/snap96', null],
  ['not-read/vxlan-port-9999', 'not-read/snap96', null],
])('recorded as %s', (name, keys, note) => {
  const args = [`fixtures/${name}.pcap.gz`, '--keylog', `fixtures/${keys}.keys.log.gz`];
  const messages = lines(args);
  expect(messages.filter(({ kind }) => kind !== 'response').map(({ label }) => label)).toEqual(SESSION);
  expect(messages).toHaveLength(18);
  const evidence = kubeseq(['explain', '3', ...args]).stdout;
  if (note !== null) expect(evidence.split('to: ')[0]).toContain(note);
  expect(evidence.split('to: ')[1]).not.toContain('process');
});

it('what sockdump records of a unix socket', () => {
  const write = (from: number, to: number, text: string): Buffer => {
    const header = Buffer.alloc(16);
    header.writeUInt32BE(to, 4);
    header.writeUInt32BE(from, 12);
    return Buffer.concat([header, Buffer.from(text)]);
  };
  const said = [
    write(3412, 370, 'GET /_ping HTTP/1.1\r\nHost: docker\r\nUser-Agent: Docker-Client/18.06.1-ce (linux)\r\n\r\n'),
    write(370, 3412, 'HTTP/1.1 200 OK\r\nApi-Version: 1.38\r\nContent-Length: 2\r\n\r\nOK'),
    write(3412, 370, 'GET /v1.38/containers/json HTTP/1.1\r\nHost: docker\r\n\r\n'),
    write(370, 3412, 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]'),
  ];
  const path = join(FOLDER, 'sockdump.pcap');
  const list = said.map((bytes, i) => ({ time: 1_795_800_000_000_000_000n + BigInt(i) * 1_000_000n, bytes }));
  writeFileSync(path, pcap(list, { linkType: 147 }));
  expect(lines([path]).map(({ label, connection }) => `${connection} ${label}`)).toEqual([
    'unix:3412-unix:370 [REQ] GET /_ping',
    'unix:3412-unix:370 [RESP] 200 OK',
    'unix:3412-unix:370 [REQ] GET /v1.38/containers/json',
    'unix:3412-unix:370 [RESP] 200 OK',
  ]);
});

describe('tunnels on ports of their own', () => {
  const args = ['fixtures/not-read/vxlan-port-9999.pcap.gz', '--keylog', 'fixtures/not-read/snap96.keys.log.gz'];

  it('as --decode says', () => expect(lines([...args, '--decode', 'udp:9999=vxlan'])).toHaveLength(18));

  it('a rule that is none is an error', () => {
    const { stderr, status } = kubeseq(['summary', ...args, '--decode', '9999=vxlan']);
    expect(stderr).toContain('--decode 9999=vxlan: expected udp:PORT=vxlan, geneve or tzsp');
    expect(status).toBe(2);
  });

  it('what to do is said where nothing shows what a port carries', () => {
    const path = join(FOLDER, 'unknown-port.pcap');
    const bytes = ethernet(ip('192.0.2.1', '192.0.2.2', 17, udp(40_000, 9999, Buffer.from('overlay'))));
    writeFileSync(path, pcap([{ time: 1_795_800_000_000_000_000n, bytes }]));
    const { stderr } = kubeseq(['summary', path]);
    expect(stderr).toContain("next: if port 9999 is an overlay's: --decode udp:9999=vxlan, or geneve");
  });
});

describe('files as people have them', () => {
  const KEYS = 'fixtures/reached/link.keys.log.gz';

  it.each(['stderr-first', 'kubectl-line'])('%s: text before the capture', (name) => {
    const messages = lines([`fixtures/reached/${name}.pcap.gz`, '--keylog', KEYS]);
    expect(messages.filter(({ kind }) => kind !== 'response').map(({ label }) => label)).toEqual(SESSION);
    const { stdout } = kubeseq(['summary', `fixtures/reached/${name}.pcap.gz`, '--keylog', KEYS]);
    expect(stdout).toContain('capture.text-before × 1');
  });

  it('written through a terminal', () => {
    const { stderr } = kubeseq(['diagram', 'fixtures/reached/tty.pcap.gz', '--keylog', KEYS]);
    expect(stderr).toContain(
      'every line feed of the file has a carriage return before it: it was written through a terminal; leave out -t',
    );
  });

  it('two captures behind each other', () => {
    const whole = fixture('reached/nflog.pcap');
    const other = pcap(
      packets(
        conversation(exchange('GET', '/api/v1/namespaces/shop/pods/later', '', '{}'), {
          start: 1_795_800_000_000_000_000n,
        }),
      ),
      { bigEndian: true, variant: 'nano' },
    );
    const path = join(FOLDER, 'both.pcap');
    writeFileSync(path, Buffer.concat([whole, other]));
    const messages = lines([path, '--keylog', KEYS]);
    expect(messages).toHaveLength(20);
    expect(messages.map(({ label }) => label)).toContain('[REQ] GET /api/v1/namespaces/shop/pods/later');
  });

  it.each<[string, Buffer, string]>([
    [
      'bundle.tar.gz',
      gzipSync(
        Buffer.concat([
          Buffer.from('capture.pcap'),
          Buffer.alloc(245),
          Buffer.from('ustar\0' + '00'),
          Buffer.alloc(247),
          Buffer.from(fixture('reached/nflog.pcap')),
        ]),
      ),
      'is an archive (tar), not a capture; unpack it',
    ],
    ['bundle.zip', Buffer.from('504b030414000000080000', 'hex'), 'is an archive (zip), not a capture; unpack it'],
    [
      'hubble.json',
      Buffer.from('{"flow": {"time": "2026-11-26T10:00:00Z", "verdict": "FORWARDED"}, "node_name": "n1"}\n'),
      'is flows of Hubble (JSON), not a capture; it has no bytes of the connections',
    ],
    [
      'falco.json',
      Buffer.from('{"hostname":"n1","output":"x","priority":"Notice","rule":"r","output_fields":{"k":"v"}}\n'),
      'is events of Falco (JSON), not a capture',
    ],
    [
      'printed.txt',
      Buffer.from('tcpdump: verbose output suppressed\n12:00:00.000001 IP 192.0.2.1.443 > 192.0.2.2.80: Flags [S]\n'),
      'is what tcpdump prints, not a capture',
    ],
    ['other.bin', Buffer.from('something else'), 'is not a packet capture'],
  ])('%s is named, with what to do', (name, bytes, words) => {
    const path = join(FOLDER, name);
    writeFileSync(path, bytes);
    const { stderr, status } = kubeseq(['summary', path]);
    expect(stderr).toContain(words);
    expect(status).toBe(2);
  });

  const LOG = Buffer.from(fixture('reached/link.keys.log')).toString();
  it.each<[string, Buffer]>([
    ['UTF-16, as PowerShell writes it', Buffer.from(`\ufeff${LOG.replaceAll('\n', '\r\n')}`, 'utf16le')],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${LOG}`)],
    [
      'with a time and a stream before each line (CRI)',
      Buffer.from(LOG.replace(/^/gm, '2026-11-26T22:19:03.287Z stdout F ')),
    ],
    ['with the Pod before each line (kubectl logs --prefix)', Buffer.from(LOG.replace(/^/gm, '[pod/web/app] '))],
    [
      "in Docker's JSON",
      Buffer.from(LOG.replace(/^(.+)$/gm, '{"log":"$1\\\\n","stream":"stdout","time":"2026-11-26T22:19:03Z"}')),
    ],
    ['broken at 80 columns', Buffer.from(LOG.replace(/^.+$/gm, (line) => line.replace(/.{80}/g, '$&\n')))],
    ['among other lines', Buffer.from(LOG.replace(/^/gm, 'GET /healthz 200\n'))],
  ])('a key log %s', (_, bytes) => {
    const path = join(FOLDER, 'keys.log');
    writeFileSync(path, bytes);
    expect(lines(['fixtures/reached/nflog.pcap.gz', '--keylog', path])).toHaveLength(18);
  });

  it('a private key in place of a key log', () => {
    const path = join(FOLDER, 'server.key');
    writeFileSync(
      path,
      generateKeyPairSync('ec', {
        namedCurve: 'P-256',
        privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
        publicKeyEncoding: { type: 'spki', format: 'pem' },
      }).privateKey,
    );
    const { stdout, stderr } = kubeseq(['summary', 'fixtures/reached/nflog.pcap.gz', '--keylog', path]);
    expect(stdout).toContain(
      'keys.private-key × 1: a private key was given as a key log: it does not open TLS 1.3, nor ECDHE in TLS 1.2',
    );
    expect(stdout + stderr).not.toContain('keys.malformed');
  });
});

it('exec through a proxy that drops Upgrade: the message, and which hop took the header away', () => {
  // tshark: kubectl (192.0.2.30) sends nginx (192.0.2.20) Connection: Upgrade, nginx sends 192.0.2.10 Connection: close.
  const { stdout } = kubeseq(['summary', 'fixtures/reached/exec-nginx.pcap.gz']);
  const failed = stdout.split('\n').filter((line) => line.includes('Upgrade request required'));
  expect(failed).toHaveLength(4);
  expect(
    failed.filter((line) => line.includes('the proxy 192.0.2.20 port 8080 did not forward Connection: Upgrade')),
  ).toHaveLength(2);
  expect(failed.filter((line) => line.includes('which a proxy did not forward'))).toHaveLength(2);
});

it('what is not HTTP is named, with its longest answer', () => {
  // tshark: three connections to 192.0.2.10:3306; a select with sleep(2) is answered after 2.0 s.
  const { stdout } = kubeseq(['summary', 'fixtures/reached/mariadb.pcap.gz']);
  expect(stdout).toContain(
    '3 × MySQL (server greeting 10.11.19-MariaDB-0+deb12u1), which is not read; longest answer 2.0 s',
  );
  const diagram = kubeseq(['diagram', 'fixtures/reached/mariadb.pcap.gz']).stdout;
  expect(diagram).toContain('3 connections of MySQL not understood');
});

it('a version that the server tells after it has authenticated its client, and the longest answer', () => {
  const capture = saved('postgres.pcap', [
    { from: 'client', bytes: '\0\0\0\x29\0\x03\0\0user\0kine\0database\0kubernetes\0\0' },
    { from: 'server', bytes: 'R\0\0\0\x0c\0\0\0\x05abcd' },
    { from: 'client', bytes: 'p\0\0\0\x28md5hunter2-in-a-secret\0' },
    { from: 'server', bytes: 'R\0\0\0\x08\0\0\0\0S\0\0\0\x18server_version\x0016.3\0Z\0\0\0\x05I' },
  ]);
  const { stdout, stderr } = kubeseq(['summary', capture]);
  expect(stdout).toContain('1 × PostgreSQL (server version 16.3), which is not read');
  expect(stdout + stderr).not.toContain('hunter2');
});

it('names that DNS did not resolve are said', () => {
  // tshark: guard.shop.svc is asked for three times, and three times the server fails.
  const { stdout } = kubeseq(['summary', 'fixtures/not-read/dns.pcap.gz']);
  expect(stdout).toContain('connection from 192.0.2.10 to 192.0.2.53:53: DNS: guard.shop.svc: SERVFAIL, 3 times');
  const { stdout: diagram } = kubeseq(['diagram', 'fixtures/not-read/dns.pcap.gz']);
  expect(diagram).toContain('DNS: guard.shop.svc: SERVFAIL, 3 times');
  expect(diagram).not.toContain('no answer after that');
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

function exchange(method: string, target: string, body: string, answer: string): Turn[] {
  const head = `${method} ${target} HTTP/1.1\r\nHost: rancher.example\r\nAuthorization: Bearer Tq9vWm2xKp7rZs4y\r\nContent-Type: application/json\r\n`;
  return [
    { from: 'client', bytes: `${head}Content-Length: ${body.length}\r\n\r\n${body}` },
    {
      from: 'server',
      bytes: `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${answer.length}\r\n\r\n${answer}`,
    },
  ];
}

function saved(name: string, turns: readonly Turn[]): string {
  const path = join(FOLDER, name);
  writeFileSync(path, pcap(packets(conversation(turns))));
  return path;
}
