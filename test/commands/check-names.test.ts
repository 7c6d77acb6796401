// Who is named in files of users: a name that nobody has, or a kind that no message has, ends `check` with status 2 and the
// nearest name; `--update` never changes who did something.

import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { kubeseq, ROOT } from '../kit/command.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-check-names-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));
const PLAIN = 'fixtures/run-nginx-http1/capture.pcap.gz';
const EXPECTED = readFileSync(join(ROOT, 'fixtures/check/expected-run-nginx.mmd'), 'utf8');

function file(name: string, text: string): string {
  const path = join(FOLDER, name);
  writeFileSync(path, text);
  return path;
}

it('a name without a participant: status 2, each with its line and the nearest, and no verdict', () => {
  const GET = 'kube-apiserver: [REQ] GET /api/v1/namespaces/default/pods/nginx';
  const path = file(
    'names.mmd',
    `sequenceDiagram\n  kubectl ->> ${GET}\n  kubletl ->> ${GET}\n  sheduler ->> ${GET}\n`,
  );
  const { status, stdout, stderr } = kubeseq(['check', path, PLAIN, '-q', '-o', 'json']);
  const [first, second] = stderr.trimEnd().split('\n');
  expect(first).toMatch(
    /^kubeseq: \S+names\.mmd:3: no participant is called kubletl, in the capture or in Kubernetes; nearest: kubelet$/,
  );
  expect(second).toMatch(/^kubeseq: \S+names\.mmd:4: no participant is called sheduler, /);
  expect([status, stdout]).toEqual([2, '']);
});

it('a name that a user gives in --participants may be missing like any other: status 1', () => {
  const path = file('own.mmd', 'sequenceDiagram\n  shop ->> kube-apiserver: [REQ] GET /shop\n');
  expect(kubeseq(['check', path, PLAIN, '-q']).status).toBe(2);
  const rules = 'participants:\n  - { name: shop, userAgent: shop/* }\n';
  expect(kubeseq(['check', path, PLAIN, '-q', '--participants', file('own.yaml', rules)]).status).toBe(1);
});

it('a name in a budget without a participant: status 2, with its line', () => {
  const budget = file('budget.yaml', 'budget:\n  - verb: get\n    from: kubectl|kubelett\n    max: 10000\n');
  const { status, stdout, stderr } = kubeseq(['check', '--budget', budget, PLAIN, '-q']);
  expect(stderr).toMatch(/budget\.yaml:2: no participant is called kubelett, .*; nearest: kubelet$/m);
  expect([status, stdout]).toEqual([2, '']);
});

it.each([
  ['diagram', [PLAIN]],
  ['check', ['fixtures/check/run-nginx.md', PLAIN]],
  ['diff', [PLAIN, 'fixtures/check/run-nginx.md#a-pod-is-run']],
])('a name in the order of --participants without a participant, %s: status 2', (command, args) => {
  const path = file('order.yaml', 'order: [etcd, kubectl, kube-apisrver]\n');
  const { status, stdout, stderr } = kubeseq([command, ...args, '--participants', path, '-q']);
  expect(stderr).toMatch(
    /--participants \S+order\.yaml: order: no participant is called kube-apisrver, .*; nearest: kube-apiserver$/m,
  );
  expect([status, stdout]).toEqual([2, '']);
});

it('a label of no kind: status 2 with its line, before anything is read', () => {
  const text =
    'sequenceDiagram\n  kubectl ->> kube-apiserver: [REQ] GET /\n  kube-apiserver ->> kubelet: [RESP-CHUNCK] Pod ADDED - nginx\n';
  const { status, stdout, stderr } = kubeseq(['check', file('kind.mmd', text), join(FOLDER, 'no-such.pcap'), '-q']);
  expect(stderr).toMatch(/kind\.mmd:3: \[RESP-CHUNCK\] is no kind of message; nearest: \[RESP-CHUNK\]$/m);
  expect([status, stdout]).toEqual([2, '']);
});

describe('--update', () => {
  it('refuses a mistyped participant and leaves the file as it is', () => {
    const text = EXPECTED.replace('as kube-scheduler', 'as kube-schedular');
    const path = file('mistyped.mmd', text);
    const { status, stderr } = kubeseq(['check', '--update', path, PLAIN]);
    expect([status, stderr]).toEqual([2, expect.stringMatching(/nearest: kube-scheduler$/m)]);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('never replaces the participant of an arrow: an arrow of another participant fails, and stays', () => {
    // The scheduler binds Pods; whoever expects job-controller to do it is wrong, or has found something.
    const text = EXPECTED.replace('as kube-scheduler', 'as job-controller');
    const path = file('other.mmd', text);
    const { status, stdout } = kubeseq(['check', '--update', path, PLAIN]);
    expect(status).toBe(1);
    expect(stdout).toMatch(/it was sent by kube-scheduler, not job-controller/);
    const after = readFileSync(path, 'utf8');
    expect(after).toContain('participant S as job-controller');
    expect(after).toMatch(/S ->>\+ AS: \[REQ\] POST \S+binding/);
    expect(after.match(/participant/g)).toEqual(text.match(/participant/g));
  });

  it('reports what it rewrote: the participants, the label before and after', () => {
    const path = join(FOLDER, 'article.mmd');
    copyFileSync(join(ROOT, 'fixtures/check/article-flow.mmd'), path);
    const { stderr } = kubeseq(['check', '--update', path, PLAIN]);
    // Line 18: the article's PUT, and what the kubelet of today asks (frame 1822 of the truth file).
    const nginx = '/api/v1/namespaces/default/pods/nginx/status';
    expect(stderr).toContain(
      `article.mmd:18: kubelet → kube-apiserver: [REQ] PUT ${nginx} becomes [REQ] PATCH ${nginx}\n`,
    );
  });
});
