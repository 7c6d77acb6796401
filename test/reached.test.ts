// Requests are the same however they were reached: behind a path, through proxies.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kubeseq } from './command.js';
import { conversation, packets, pcap, type Turn } from './packetiser.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-reached-'));

interface Line {
  readonly kind: string;
  readonly verb?: string;
  readonly label: string;
  readonly from: string;
  readonly to: string;
  readonly object?: { readonly namespace?: string; readonly name?: string };
  readonly cause?: { readonly seq: number };
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

describe('nothing secret of what is behind a path', () => {
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
  const capture = saved('secrets.pcap', [
    ...exchange('POST', `${PREFIX}/api/v1/namespaces/shop/secrets?api_key=${SECRETS[3]}`, secret, secret),
    ...exchange('POST', `${PREFIX}/api/v1/namespaces/shop/serviceaccounts/default/token`, '{}', token),
    ...exchange('GET', `/proxies/${SECRETS[5]}/api/v1/namespaces/shop/pods/web`, '', '{}'),
    ...exchange('GET', `/v1/teleport/${SECRETS[4]}/${SECRETS[6]}/api/v1/namespaces/shop/pods/web`, '', '{}'),
    ...exchange('GET', `/of/${SECRETS[6]}/api/v1/namespaces/shop/pods/web`, '', '{}'),
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
    expect(SECRETS.filter((one) => (stdout + stderr).includes(one))).toEqual([]);
  });

  it('the same test finds them where they are wanted', () => {
    const { stdout } = kubeseq(['export', capture, '--show-secrets']);
    expect(SECRETS.slice(0, 5).filter((one) => !stdout.includes(one))).toEqual([]);
  });
});

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
