// What credentials look like, in each place that allows other texts: prefixes, tokens, numbers, labels of hosts.

import { describe, expect, it } from 'vitest';
import { redactionOf } from './redaction.js';
import { redactText } from './text.js';

const REDACTION = redactionOf();
const OF_TEXT = redactionOf({ text: true });
const bodyOf = (value: unknown, context = {}) => REDACTION.object(value, context);

// The prefixes are those of the makers' documentation, and of gitleaks (config/gitleaks.toml).
describe.each([
  'ghp_9aZbYcXdWeVfUgThSiRjQkPlOmNn0123456',
  'gho_0123456789abcdefABCDEF',
  'github_pat_11ABCDEFG0abcdefghij_klmnop',
  'glpat-Zx9Yw8Vu7Ts6Rq5Po4Nm',
  'glrt-t1_aBcDeFgHiJ2',
  'xoxp-998877665544-abcdefabcdef',
  'xoxs-1-a',
  'sk_test_4eC39HqLyjWDarjtT1zdp7dc',
  'rk-live-7Qz',
  'sk-proj-AbCdEf012345',
  'sk-AbCdEfGhIjKlMnOpQrStUvWx',
  'ASIAQ3EGRIYNOPQRSTUV',
  'AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY',
  'npm_0123456789abcdefghijklmnopqrstuvwxyz',
  'hvs.CAESIJ0123456789abcdef',
  'K10ffeeddccbbaa::node:Zx81Qw',
  'zyxwvu.fedcba9876543210',
  'q1w2e3.r4t5y6u7i8o9p0a1',
  '6dcd4ce23d88e2ee9568ba546c007c63d9131c1b',
])('%s', (secret) => {
  it.each(['got $ there', 'unknown field "$"', '[$]', 'x=$', 'spec.$'])('is not in %j', (sentence) => {
    for (const text of [redactText, (one: string) => OF_TEXT.text(one), (one: string) => REDACTION.text(one)]) {
      const out = text(sentence.replace('$', secret));
      expect(out).not.toContain(secret);
      expect(out).not.toContain(secret.slice(-6));
      expect(redactText(out)).toBe(out);
    }
  });
});

it.each([
  'Event web-01.17a2b3c4d5e6f708 of foobar.18f0a1b2c3d4e5f6',
  'pods sk-learn-6d4cf56db6-x7k2p and glance-api-0',
  'host shared.infrastructure is there',
  "stored artifact for revision 'main@sha1:6dcd4ce23d88e2ee9568ba546c007c63d9131c1b'",
  "Initiated automated sync to '6dcd4ce23d88e2ee9568ba546c007c63d9131c1b'",
  'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  'the bearer token has expired, invalid bearer token, token lookup failed',
])('keeps %s', (text) => expect(redactText(text)).toBe(text));

it.each([
  ['[invalid bearer token 9fK2mQ7xLp, token lookup failed]', '[invalid bearer token REDACTED, token lookup failed]'],
  ['basic token: Zq81.xy_7', 'basic token: REDACTED'],
])('--show text: %s', (text, out) => expect(OF_TEXT.text(text)).toBe(out));

it.each([
  ['unknown field "spec.template.replicaz"', 'unknown field "spec.template.replicaz"'],
  ['unknown field "spec.Zq81xY7pLm.name"', 'unknown field "spec.….name"'],
  [
    'strict decoding error: unknown field "metadata.Kq9ZtV3b", unknown field "spec.x"',
    'strict decoding error: unknown field "metadata.…", unknown field "spec.x"',
  ],
])('the parts of a path are keys: %s', (text, out) => expect(REDACTION.text(text)).toBe(out));

it.each([
  ['tcp/10.0.0.7:10250', 'tcp/10.0.0.7:10250'],
  ['tcp/[2001:db8::7]:443', 'tcp/[2001:db8::7]:443'],
  ['tcp/registry.example.com:5000', 'tcp/registry.example.com:5000'],
  ['tcp/zq81xy7plmk3v.example.com:443', 'tcp/….example.com:443'],
  ['unix//run/containerd.sock', 'unix//run/containerd.sock'],
  ['unix//run/Zq81xY7pLmK3v', 'unix//run/…'],
  ['tcp/user:Zq81xY7p:443', '…'],
  ['tcp/registry.example.com', '…'],
  ['token=Zq81xY7p', '…'],
  ['Zq81xY7p', '…'],
  ['K10ffeedd::server:Zq81', '…'],
])('a tunnel is told to dial %s', (address, out) => expect(REDACTION.dial(address)).toBe(out));

it('labels of hosts are words that people write, or names of the capture', () => {
  const redaction = redactionOf();
  redaction.observeName('web-64c966cf88-2sdz6');
  for (const [host, out] of [
    ['web.shop.svc.cluster.local', 'web.shop.svc.cluster.local'],
    ['web-64c966cf88-2sdz6.shop', 'web-64c966cf88-2sdz6.shop'],
    ['x7q2pzk9vt-4mw8.hooks.example.com', '….hooks.example.com'],
    ['22222222-3333-4444-8555-666666666666.example.com', '….example.com'],
    ['192.0.2.7', '192.0.2.7'],
  ]) {
    expect(redaction.host(host)).toBe(out);
    expect(redaction.field('Host', `${host}:8443`)).toBe(`${out}:8443`);
  }
  expect(redaction.target('https://zq81xy7plmk3v.example.com/login', 'http')).toBe('https://….example.com/login');
});

it.each([
  ['Sec-WebSocket-Protocol', 'v4.channel.k8s.io, base64.binary.k8s.io', 'v4.channel.k8s.io, base64.binary.k8s.io'],
  ['Sec-WebSocket-Protocol', 'graphql-ws', 'graphql-ws'],
  ['Sec-WebSocket-Protocol', 'bearer, 99887766', 'bearer,REDACTED'],
  ['Sec-WebSocket-Protocol', 'Bearer, hunter', 'REDACTED,REDACTED'],
  ['Sec-WebSocket-Protocol', 'jwt.12345678', 'REDACTED'],
  ['User-Agent', 'wget/1.21 (31415926)', 'wget/1.21 (…)'],
  [
    'User-Agent',
    'kubectl/v1.34.0 (linux/amd64) kubernetes/1234567',
    'kubectl/v1.34.0 (linux/amd64) kubernetes/1234567',
  ],
  ['User-Agent', 'tool/1.0 271828182', 'tool/1.0 …'],
])('%s: %s', (name, value, out) => expect(REDACTION.field(name, value)).toBe(out));

it('numbers of cells are shown where their column counts, as those of fields', () => {
  const columns = ['Name', 'Code', 'Replicas', 'Restarts', 'Pin'].map((name) => ({ name, type: 'string' }));
  const cells = ['web', 771_204, 12_000, '1234 (5m ago)', '90210'];
  const table = { kind: 'Table', apiVersion: 'meta.k8s.io/v1', columnDefinitions: columns, rows: [{ cells }] };
  const out = bodyOf(table, { resource: 'doors', apiGroup: 'example.com' }) as { rows: { cells: unknown[] }[] };
  expect(out.rows[0].cells.slice(1)).toEqual(['REDACTED', 12_000, '1234 (5m ago)', 'REDACTED']);
  // A table's later events have no columns.
  const later = bodyOf({ ...table, columnDefinitions: null }, { resource: 'doors' }) as typeof out;
  expect(later.rows[0].cells.slice(1, 3)).toEqual(['REDACTED', 'REDACTED']);
});

it('what has a shape is shown in that shape alone', () => {
  const pod = (containerID: string, containerPort: number) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    spec: { containers: [{ ports: [{ containerPort }] }] },
    status: { containerStatuses: [{ containerID }] },
  });
  const id = `containerd://${'0f'.repeat(32)}`;
  expect(bodyOf(pod(id, 8080))).toEqual(pod(id, 8080));
  expect(JSON.stringify(bodyOf(pod('docker://Zq81xY7pLm', 81_220_134)))).not.toMatch(/Zq81|8122/);
  const version = {
    major: '1',
    minor: '34+',
    gitVersion: 'v1.34.4+k3s1',
    gitCommit: '0f'.repeat(20),
    platform: 'linux/amd64',
  };
  const show = (value: object) => bodyOf({ ...value, buildDate: '2026-01-01T00:00:00Z', compiler: 'gc' });
  expect(show({ ...version, goVersion: 'go1.24.6' })).toMatchObject({ ...version, goVersion: 'go1.24.6' });
  const odd = { gitVersion: 'Zq81xY7pLm', gitCommit: 'Zq81', platform: 'Zq81xY7pLmK3', goVersion: 'Zq81' };
  expect(JSON.stringify(show(odd))).not.toContain('Zq81');
});
