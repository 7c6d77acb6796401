// `check --update` and `--corrected`: what is rewritten, what stays, what is never written.

import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { judged } from '../kit/check-rows.js';
import { kubeseq, ROOT } from '../kit/command.js';
import { parseMermaid } from '../kit/mermaid.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-update-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));
const PLAIN = 'fixtures/run-nginx-http1/capture.pcap.gz';
const EXPECTED = readFileSync(join(ROOT, 'fixtures/check/expected-run-nginx.mmd'), 'utf8');
const ARTICLE = 'fixtures/check/article-flow.mmd';
const article = readFileSync(join(ROOT, ARTICLE), 'utf8');

function file(name: string, text: string): string {
  const path = join(FOLDER, name);
  writeFileSync(path, text);
  return path;
}

async function verdictOn(capture: string, expectation: string): Promise<string> {
  return (await judged({ name: '', expectation, capture, verdict: 'pass' })).verdict;
}

describe('--update', () => {
  it("changes two arrows of the article's text, tells which, and nothing when it is asked again", async () => {
    const path = join(FOLDER, 'article.mmd');
    copyFileSync(join(ROOT, ARTICLE), path);
    const { status, stderr } = kubeseq(['check', '--update', path, PLAIN]);
    expect(status).toBe(0);
    // What the kubelet of today asks: frame 1822 of the truth file.
    const nginx = '/api/v1/namespaces/default/pods/nginx/status';
    expect(stderr).toContain(
      `article.mmd:18: kubelet → kube-apiserver: [REQ] PUT ${nginx} becomes [REQ] PATCH ${nginx}\n`,
    );
    const text = readFileSync(path, 'utf8');
    const after = text.split('\n');
    // Its third and its eleventh arrow.
    expect(article.split('\n').flatMap((line, i) => (line === after[i] ? [] : [i + 1]))).toEqual([9, 18]);
    expect(await verdictOn('run-nginx-http1', text)).toBe('pass');
    expect(kubeseq(['check', '--update', path, PLAIN, '-q'])).toMatchObject({ status: 0, stderr: '' });
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('draws a new expectation whose generated names are open, and which holds', async () => {
    const path = join(FOLDER, 'web.mmd');
    const capture = [
      'fixtures/deployment-tls/control-plane.pcap.gz',
      '--keylog',
      'fixtures/deployment-tls/keys.log.gz',
    ];
    expect(kubeseq(['check', '--update', path, '--follow', 'deployment/web', ...capture, '-q']).status).toBe(0);
    const text = readFileSync(path, 'utf8');
    expect(text).toContain('[RESP-CHUNK] Pod ADDED - web-{hash}-{suffix}');
    expect(text).not.toMatch(/web-[bcdfghjklmnpqrstvwxz2456789]{8,10}\b/);
    expect(await verdictOn('deployment-tls', text)).toBe('pass');
  });

  it('keeps notes, aliases and patterns, mends what changed, moves what was elsewhere, removes what is gone', async () => {
    const mine = `sequenceDiagram
    participant People as kubectl
    participant AS as kube-apiserver
    participant S as kube-scheduler
    Note over People: my own words
    People ->>+ AS: [REQ] POST /api/*/namespaces/{ns}/pods - {pod}
    AS -->>- People: [RESP] 202 Accepted
    S ->>+ AS: [REQ] POST /api/v1/namespaces/{ns}/pods/{pod}/binding
    AS ->> S: [RESP-CHUNK] Pod Added - {pod}
    AS -->>- S: [RESP] 2xx
    S ->>+ AS: [REQ] GET /no/such/thing/at/all/in/this/capture
    AS -->>- S: [RESP] 418
`;
    const path = file('mine.mmd', mine);
    expect(kubeseq(['check', '--update', path, PLAIN, '-q']).status).toBe(0);
    const text = readFileSync(path, 'utf8');
    expect(text).toContain('Note over People: my own words');
    expect(text).toContain('[REQ] POST /api/*/namespaces/{ns}/pods - {pod}');
    expect(text).toContain('AS -->>- People: [RESP] 201 Created');
    expect(text).not.toContain('no/such/thing');
    expect(text.indexOf('Pod Added - {pod}')).toBeLessThan(text.indexOf('binding'));
    await parseMermaid(text);
  });

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

  it('keeps what it cannot see', () => {
    // The API server's clients are encrypted there, etcd is not.
    const text = `sequenceDiagram
  participant RS as replicaset-controller
  RS ->> kube-apiserver: [REQ] POST /api/v1/namespaces/shop/pods
  kube-apiserver ->> etcd: [RPC] KV/Txn create /registry/pods/shop/{pod}
  kube-apiserver -->> RS: [RESP] 201 Created
`;
    const path = file('unseen.mmd', text);
    const { status, stderr } = kubeseq(['check', '--update', path, 'fixtures/boot-etcd-tls/capture.pcap.gz', '-q']);
    expect(stderr).toMatch(/unseen\.mmd:1: not rewritten: the arrows of lines 3, 5 may be/);
    expect(status).toBe(2);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it.each([
    ['a new expectation', null],
    ['one that waits for its diagram', 'sequenceDiagram\n'],
    ['one whose arrows all would go', 'sequenceDiagram\n  kubectl ->> kube-apiserver: [REQ] GET /none\n'],
  ])('does not write %s without arrows', (name, before) => {
    const path = join(FOLDER, `${name.replaceAll(' ', '-')}.mmd`);
    if (before !== null) writeFileSync(path, before);
    const ran = kubeseq(['check', '--update', path, PLAIN, '--follow', 'pod/none', '-q']);
    expect([ran.status, ran.stdout, ran.stderr]).toEqual([2, '', expect.stringMatching(/:1: not written: .*no arrow/)]);
    expect(existsSync(path) ? readFileSync(path, 'utf8') : null).toBe(before);
  });
});

it('--corrected: those that fail as they would pass, into a folder; they stay as they are', async () => {
  const folder = join(FOLDER, 'corrected');
  const summary = join(FOLDER, 'corrected.md');
  const expectations = [ARTICLE, 'fixtures/check/expected-run-nginx.mmd'];
  const args = ['check', ...expectations, PLAIN, '-q', '--corrected', folder, '--report', summary];
  expect(kubeseq(args).status).toBe(1);
  expect(readFileSync(join(ROOT, ARTICLE), 'utf8')).toBe(article);
  expect(readdirSync(folder, { recursive: true }).filter((name) => String(name).endsWith('.mmd'))).toEqual([ARTICLE]);
  const corrected = readFileSync(join(folder, ARTICLE), 'utf8');
  expect(await verdictOn('run-nginx-http1', corrected)).toBe('pass');
  // The patch in the summary is what leads from the one to the other.
  const [, patch] = /\n```diff\n([\s\S]*?)\n```\n/.exec(readFileSync(summary, 'utf8')) ?? [];
  const patched = file('patched.mmd', article);
  spawnSync('patch', [patched], { input: `${patch}\n` });
  expect(readFileSync(patched, 'utf8')).toBe(corrected);
});
