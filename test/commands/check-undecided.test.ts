// Undecided is not failed: `check` and `diff` end with status 2 and say why where nothing, or not what they need, could be read,
// and where a file stands in another's place.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { kubeseq } from '../kit/command.js';
import { fixture } from '../kit/fixtures.js';
import { pcap } from '../kit/packetiser.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-undecided-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));

function file(name: string, content: string | Uint8Array): string {
  const path = join(FOLDER, name);
  writeFileSync(path, content);
  return path;
}

const BOOT = 'fixtures/boot-etcd-tls/capture.pcap.gz';
const KEYS = 'fixtures/boot-etcd-tls/keys.log.gz';
const PLAIN = 'fixtures/run-nginx-http1/capture.pcap.gz';
const TLS = 'fixtures/run-nginx-tls/capture.pcap.gz';
const EXPECTED = 'fixtures/check/expected-run-nginx.mmd';

// What the API server and etcd say to each other is not encrypted in this capture, what others say to the API server is. From the
// truth of the fixture: the ReplicaSet's Pod, and that the API server writes it into etcd.
const STORY = [
  'sequenceDiagram',
  '  participant RS as replicaset-controller',
  '  RS ->> kube-apiserver: [REQ] POST /api/v1/namespaces/shop/pods',
  '  kube-apiserver ->> etcd: [RPC] KV/Txn create /registry/pods/shop/{pod}',
  '  kube-apiserver -->> RS: [RESP] 201 Created',
  '',
];
const story = (name: string, change: (text: string) => string = (text) => text): string =>
  file(name, change(STORY.join('\n')));

describe('check where not all could be read', () => {
  it('holds with keys', () => {
    expect(kubeseq(['check', story('all.mmd'), BOOT, '--keylog', KEYS, '-q']).status).toBe(0);
  });

  it('an arrow that may be in there: status 2, with the arrow, the connections and what to do', () => {
    const path = story('api.mmd');
    const { status, stdout, stderr } = kubeseq(['check', path, BOOT, '-q', '-o', 'json']);
    expect(stderr).toMatch(
      /api\.mmd:1: the arrows of lines 3, 5 may be in what could not be read: \d+ encrypted connections /,
    );
    expect(stderr).toMatch(/ \(\S+:\d+ to \S+:6443, .*--keylog/);
    expect(status).toBe(2);
    const { met, expectations } = JSON.parse(stdout) as { met: boolean; expectations: { undecided?: string }[] };
    expect([met, expectations[0].undecided]).toEqual([false, expect.stringContaining('lines 3, 5')]);
  });

  it('an arrow that cannot be in there fails: status 1', () => {
    const path = story('etcd.mmd', (text) => text.replace('Txn create', 'Txn delete'));
    expect(kubeseq(['check', path, BOOT, '-q']).status).toBe(1);
  });

  it('what must never occur and may be in there is not known not to', () => {
    const path = story('never.mmd', (text) =>
      text.replace(/^.*RS ->> (.*)$/m, '  %% never: RS ->> $1').replace(/^.*RESP.*\n/m, ''),
    );
    expect(kubeseq(['check', path, BOOT, '--keylog', KEYS, '-q']).status).toBe(1);
    const ran = kubeseq(['check', path, BOOT, '-q']);
    expect([ran.status, ran.stderr]).toEqual([
      2,
      expect.stringMatching(/line 3 must never occur, and may be in what could not/),
    ]);
  });

  it('--update keeps what it cannot see', () => {
    const path = story('update.mmd');
    const { status, stderr } = kubeseq(['check', '--update', path, BOOT, '-q']);
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/update\.mmd:1: not rewritten: the arrows of lines 3, 5 may be/),
    ]);
    expect(readFileSync(path, 'utf8')).toBe(STORY.join('\n'));
  });
});

describe('where nothing could be read: status 2', () => {
  it('check gives the reason, for expectations and budgets, in every report', () => {
    const { status, stdout, stderr } = kubeseq([
      'check',
      EXPECTED,
      TLS,
      '--budget',
      'fixtures/check/budget.yaml',
      '-q',
    ]);
    expect(stdout).not.toMatch(/^(?:pass|FAIL)/m);
    expect(stdout.match(/^undecided/gm)).toHaveLength(4);
    expect(stderr).toMatch(/expected-run-nginx\.mmd:1: nothing of the capture could be read: .*--keylog FILE/);
    expect(status).toBe(2);
    const junit = kubeseq(['check', EXPECTED, TLS, '-q', '-o', 'junit']).stdout;
    expect(junit).toMatch(/ failures="0" errors="1"/);
  });

  it('diff names the side, and no difference', () => {
    const { status, stdout, stderr } = kubeseq(['diff', PLAIN, TLS, '-q']);
    expect(stderr).toMatch(
      /^kubeseq: fixtures\/run-nginx-tls\/capture\.pcap\.gz: nothing of the capture could be read/,
    );
    expect([status, stdout]).toEqual([2, '']);
  });

  it('nor is an empty capture one on which a check fails', () => {
    const { status, stderr } = kubeseq(['check', EXPECTED, file('empty.pcap', pcap([])), '-q']);
    expect([status, stderr]).toEqual([2, expect.stringMatching(/there is no request and no answer in the capture/)]);
  });
});

it('diff: what only one side has and the other may have where it could not be read is no difference', () => {
  const args = ['diff', BOOT, file('saved.ndjson', kubeseq(['export', BOOT, '-q']).stdout)];
  const api = kubeseq([...args, '--keylog', KEYS, '-q']);
  expect([api.status, api.stderr]).toEqual([
    2,
    expect.stringMatching(
      /saved\.ndjson: what differs may be in what could not be read: \d+ encrypted connections without/,
    ),
  ]);
  // Both sides could be read there.
  expect(kubeseq([...args, '--keylog', KEYS, '--layers', 'etcd', '-q']).status).toBeLessThan(2);
});

describe('a file in the place of another: status 2, and a sentence', () => {
  const audit = file('audit.jsonl', fixture('run-nginx-tls/audit.jsonl'));
  const keys = file('keys.log', fixture('run-nginx-tls/keys.log'));
  const cases: [string, string[], RegExp][] = [
    [
      'check: swapped',
      ['check', PLAIN, EXPECTED],
      /capture\.pcap\.gz is a capture, and \S+\.mmd the expectation: .*; kubeseq check \S+\.mmd \S+\.pcap\.gz$/m,
    ],
    [
      'check: two captures',
      ['check', PLAIN, TLS],
      /capture\.pcap\.gz is a packet capture; the expectation comes first/,
    ],
    [
      'check: two expectations',
      ['check', EXPECTED, 'fixtures/check/article-flow.mmd'],
      /name a capture behind the expectations: kubeseq check \S+\.mmd \S+\.mmd CAPTURE$/m,
    ],
    [
      'an audit log as a key log',
      ['diagram', TLS, '--keylog', audit],
      /--keylog \S+audit\.jsonl: an audit log of the API server .* and no key log; .*kubeseq keys/,
    ],
    ['an audit log, gzipped', ['diagram', TLS, '--keylog', 'fixtures/run-nginx-tls/audit.jsonl.gz'], /: an audit log/],
    ['an audit log while it is read', ['messages', '-', '--keylog', audit], /: an audit log/],
    [
      'a capture as a key log',
      ['diagram', TLS, '--keylog', PLAIN],
      /: a packet capture, and no key log; name it as a capture/,
    ],
    ['a key log as a capture', ['diagram', keys], /keys\.log is an NSS key log, not a capture; give it with --keylog /],
  ];
  it.each(cases)('%s', (_, args, sentence) => {
    const { status, stdout, stderr } = kubeseq([...args, '-q']);
    expect(stderr).toMatch(sentence);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect([status, stdout]).toEqual([2, '']);
  });
});
