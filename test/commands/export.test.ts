// An export stands for the capture that it was made of: every command says the same of both.

import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { kubeseq, type Ran, ROOT } from '../kit/command.js';
import { fixture } from '../kit/fixtures.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-export-'));
const NGINX = 'fixtures/run-nginx-http1/capture.pcap.gz';
const ERRORS = 'fixtures/errors-http1/capture.pcap.gz';
const KEYS = join(FOLDER, 'keys.log');
writeFileSync(KEYS, fixture('run-nginx-tls/keys.log'));
const TLS = ['fixtures/run-nginx-tls/capture.pcap.gz', '--keylog', KEYS];

function exported(name: string, captures: readonly string[]): string {
  const path = join(FOLDER, `${name}.ndjson`);
  expect(kubeseq(['export', ...captures, '-w', path])).toMatchObject({ status: 0, stdout: '' });
  return path;
}

describe.each([
  ['run-nginx-http1', [NGINX]],
  ['errors-http1', [ERRORS]],
  ['run-nginx-tls with keys', TLS],
  ['two captures', [ERRORS, NGINX]],
])('%s', (name, captures) => {
  const file = exported(name.replaceAll(' ', '-'), captures);

  it.each([
    [['messages', '-o', 'ndjson', '--bodies', '--where', 'resource == "pods"', '--since', '1s']],
    [['diagram', '--all', '--layers', 'all', '-o', 'json']],
    [['summary', '-o', 'json', '--streams']],
  ])('%j', (args) => {
    const ofCapture = kubeseq([...args, ...captures]);
    const ofExport = kubeseq([...args, file]);
    expect(ofExport.stdout.length).toBeGreaterThan(100);
    expect(isSame(ofExport, ofCapture)).toBe(true);
  });
});

describe('connections that could not be read', () => {
  it('have the same reasons: the client random, what each side did', () => {
    const captures = ['fixtures/run-nginx-tls/capture.pcap.gz'];
    const summary = ['summary', '-o', 'json', '--streams'];
    const ofExport = kubeseq([...summary, exported('no-keys', captures)]);
    expect(ofExport.stdout).toContain('client random 0c1f9d88');
    expect(isSame(ofExport, kubeseq([...summary, ...captures]))).toBe(true);
  });
});

describe('saved messages', () => {
  const file = exported('nginx', [NGINX]);
  const plain = join(FOLDER, 'plain.ndjson');
  kubeseq(['messages', '-o', 'ndjson', NGINX, '-w', plain]);

  const printed = readFileSync(plain, 'utf8');
  const diagram = kubeseq(['diagram', '--follow', 'pod/nginx', NGINX]).stdout;

  it('of messages -o ndjson are read too: the same lines, the same diagram', () => {
    expect(kubeseq(['messages', '-o', 'ndjson', plain]).stdout === printed).toBe(true);
    expect(kubeseq(['diagram', '--follow', 'pod/nginx', plain]).stdout).toBe(diagram);
  });

  it('of messages -o ndjson name an operator and a webhook by their requests and names', () => {
    const keys = 'fixtures/workloads-tls/keys.log.gz';
    const captures = ['fixtures/workloads-tls/control-plane.pcap.gz', '--keylog', keys];
    const lines = join(FOLDER, 'workloads.ndjson');
    kubeseq(['messages', '-o', 'ndjson', ...captures, '-w', lines]);
    const drawn = kubeseq(['diagram', '--no-overview', ...captures]).stdout;
    expect(drawn).toContain('as webhook v.cache.example.com\n');
    expect(kubeseq(['diagram', '--no-overview', lines]).stdout).toBe(drawn);
  });

  it('of an export give the same lines, the same table, the same diagram', () => {
    expect(kubeseq(['messages', '-o', 'ndjson', file]).stdout === printed).toBe(true);
    expect(isSame(kubeseq(['messages', '-o', 'table', file]), kubeseq(['messages', '-o', 'table', NGINX]))).toBe(true);
    expect(kubeseq(['diagram', '--follow', 'pod/nginx', file]).stdout).toBe(diagram);
  });

  it('of a diagram are read too', () => {
    const json = join(FOLDER, 'diagram.json');
    kubeseq(['diagram', '-o', 'json', '--follow', 'pod/nginx', NGINX, '-w', json]);
    const labels = (text: string): unknown[] =>
      text
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { label: string }).label);
    const drawn = (JSON.parse(readFileSync(json, 'utf8')) as { messages: { label: string }[] }).messages;
    expect(labels(kubeseq(['messages', '-o', 'ndjson', json]).stdout)).toEqual(drawn.map((one) => one.label));
  });

  it('come gzipped and by standard input', () => {
    const gz = join(FOLDER, 'export.gz');
    writeFileSync(gz, gzipSync(readFileSync(file)));
    expect(kubeseq(['messages', '-o', 'ndjson', gz]).stdout === printed).toBe(true);
    expect(kubeseq(['messages', '-o', 'ndjson', '-'], { input: readFileSync(file) }).stdout === printed).toBe(true);
  });

  it('beside a capture are merged by time and numbered anew', () => {
    const linesOf = (ran: Ran): Record<string, unknown>[] =>
      ran.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    const both = linesOf(kubeseq(['messages', '-o', 'ndjson', ERRORS, file]));
    const ofCaptures = linesOf(kubeseq(['messages', '-o', 'ndjson', ERRORS, NGINX]));
    // Causes that lead from one capture into the other are known only where both are decoded together.
    const told = ({ causedBy: _, cause: __, ...rest }: Record<string, unknown>): unknown => rest;
    expect(both.length).toBeGreaterThan(1900);
    expect(both.map(told)).toEqual(ofCaptures.map(told));
  });

  it('cut in the middle are read as far as they go, with a notice', () => {
    const cut = join(FOLDER, 'cut.ndjson');
    writeFileSync(cut, readFileSync(file).subarray(0, 300_000));
    const { status, stdout, stderr } = kubeseq(['messages', '-o', 'ndjson', cut]);
    expect(status).toBe(0);
    expect(stdout.split('\n').length).toBeGreaterThan(100);
    expect(stderr).toMatch(/capture\.truncated/);
    expect(printed.startsWith(stdout)).toBe(true);
  });

  it('begin with what they are and end with what summaries need', () => {
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    expect(JSON.parse(lines[0])).toMatchObject({ kind: 'export', format: 1, redacted: true, captures: [NGINX] });
    expect(JSON.parse(lines[lines.length - 1])).toMatchObject({ kind: 'capture', format: 'pcap', truncated: false });
  });

  it('JSON that is none of ours is no capture', () => {
    const other = join(FOLDER, 'other.json');
    writeFileSync(other, '{"name":"kubeseq"}\n');
    const { status, stderr } = kubeseq(['messages', other]);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^kubeseq: .* is not a packet capture .* nor messages that kubeseq saved.*\n$/);
  });

  it('JSON that is none of ours is left out of a directory or a pattern; messages in it are not', () => {
    const mixed = join(FOLDER, 'mixed');
    mkdirSync(mixed);
    cpSync(join(ROOT, 'package.json'), join(mixed, 'package.json'));
    writeFileSync(join(mixed, 'lines.jsonl'), '{"level":"info","msg":"started"}\n'.repeat(1000));
    writeFileSync(join(mixed, 'lines.jsonl.gz'), gzipSync('{"level":"info","msg":"started"}\n'.repeat(1000)));
    for (const nothing of [mixed, join(mixed, '*')]) {
      const { status, stderr } = kubeseq(['messages', nothing]);
      expect([status, stderr]).toEqual([2, expect.stringMatching(/^kubeseq: .*: no capture .* and no saved messages/)]);
    }
    cpSync(file, join(mixed, 'messages.ndjson'));
    for (const found of [mixed, join(mixed, '*')]) {
      const { status, stdout, stderr } = kubeseq(['messages', '-o', 'ndjson', '-v', found]);
      expect([status, stdout]).toEqual([0, kubeseq(['messages', '-o', 'ndjson', file]).stdout]);
      expect(stderr).toContain('3 of 4 files');
    }
  });
});

describe('what is chosen', () => {
  const chosen = (args: readonly string[], capture: string): string =>
    kubeseq(['messages', '-o', 'ndjson', ...args, capture]).stdout;

  it.each([
    [['--follow', 'pod/nginx']],
    [['--follow', 'pod/nginx', '--from', 'kubelet', '--until', '8s']],
    [['--where', 'resource == "pods" && verb == "create"', '--since', '7s']],
    [['--to', 'kube-scheduler', '--until', '2026-11-21T04:13:28Z']],
  ])('%j is the same of an export as of the capture', (how) => {
    const part = join(FOLDER, 'part.ndjson');
    expect(kubeseq(['export', NGINX, ...how, '-w', part])).toMatchObject({ status: 0, stdout: '' });
    const lines = chosen(how, NGINX);
    expect(lines.length).toBeGreaterThan(100);
    expect(chosen([], part)).toBe(lines);
  });

  it('--follow: what the object caused, its deliveries, and nothing else', () => {
    const all = chosen([], NGINX).split('\n');
    const about = chosen(['--follow', 'pod/nginx'], NGINX).trim().split('\n');
    expect(about.filter((line) => !all.includes(line))).toEqual([]);
    expect(about.filter((line) => !/nginx|"verb":"watch"|"kind":"response"/.test(line))).toEqual([]);
    expect(about.filter((line) => line.includes('"subresource":"binding"'))).toHaveLength(1);
    const isTold = (line: string): boolean => /"kind":"event".*"kind":"Pod".*"name":"nginx"/.test(line);
    expect(about.filter(isTold)).toEqual(all.filter(isTold));
    expect(about.filter(isTold).length).toBeGreaterThan(10);
  });

  it('--follow: a diagram of what is kept marks nothing as before the capture', () => {
    const part = join(FOLDER, 'followed.ndjson');
    kubeseq(['export', NGINX, '--follow', 'pod/nginx', '-w', part]);
    const diagrams = [NGINX, part].map((file) => kubeseq(['diagram', '--follow', 'pod/nginx', file]).stdout);
    for (const diagram of diagrams) expect(diagram).toContain('complete capture: every connection was decoded');
    const [drawn, again] = diagrams.map((diagram) => diagram.replace(/.*not drawn: .*/g, ''));
    expect(again).toBe(drawn);
  });

  it('--follow of no object, --from and --to of no participant: nothing, and a message', () => {
    for (const command of [
      ['messages', '-o', 'ndjson'],
      ['export', '-w', join(FOLDER, 'none.ndjson')],
    ]) {
      const { status, stdout, stderr } = kubeseq([...command, NGINX, '--follow', 'pod/none']);
      expect([status, stdout]).toEqual([1, '']);
      expect(stderr).toContain('--follow pod/none: no message in the capture is about it');
    }
    for (const [side, said] of [
      ['--from', 'sent'],
      ['--to', 'received'],
    ]) {
      for (const command of [['messages', '-o', 'ndjson'], ['diagram']]) {
        const ran = kubeseq([...command, NGINX, side, 'kubelett']);
        expect([ran.status, ran.stdout.includes('->>')]).toEqual([0, false]);
        expect(ran.stderr).toMatch(
          `${side} kubelett: no participant of that name ${said} a message; there are: clusterrole-`,
        );
        expect(ran.stderr).toMatch(/ kubelet \(node-1\), /);
        expect(kubeseq([...command, NGINX, side, 'kubelet']).stderr).not.toContain('no participant of that name');
      }
    }
    const ran = kubeseq(['export', NGINX, '--follow', 'nginx']);
    expect([ran.status, ran.stderr]).toEqual([2, expect.stringMatching(/--follow nginx: expected KIND\/NAME/)]);
  });
});

describe('--bodies', () => {
  it('decodes protobuf and JSON alike', () => {
    const bodyOf = (...args: string[]): unknown => {
      const { stdout } = kubeseq(['messages', '-o', 'ndjson', '--bodies', ...args]);
      const line = stdout
        .split('\n')
        .find((one) => one.includes('[REQ] POST /api/v1/namespaces/default/pods/nginx/binding'));
      return (JSON.parse(line ?? '{}') as { body: unknown }).body;
    };
    expect(bodyOf(NGINX)).toMatchObject({
      kind: 'Binding',
      apiVersion: 'v1',
      metadata: { name: 'nginx', namespace: 'default' },
      target: { kind: 'Node', name: 'node-1' },
    });
  });

  it('is for ndjson', () => {
    const { status, stderr } = kubeseq(['messages', '--bodies', '-o', 'csv', NGINX]);
    expect([status, stderr]).toEqual([
      2,
      'kubeseq: -o csv has no room for bodies; leave --bodies out, or use -o ndjson\n',
    ]);
  });
});

/** Without printing megabytes where it is not. */
function isSame(a: Ran, b: Ran): boolean {
  return a.status === b.status && a.stdout === b.stdout && a.stderr === b.stderr;
}
