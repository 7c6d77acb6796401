// Status 2, and a sentence: `diff` where nothing, or not what it needs, could be read, and every command where a file stands in another's
// place.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { kubeseq } from '../kit/command.js';
import { fixture } from '../kit/fixtures.js';

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

it('diff: of a side of which nothing could be read it is named, and no difference', () => {
  const { status, stdout, stderr } = kubeseq(['diff', PLAIN, TLS, '-q']);
  expect(stderr).toMatch(/^kubeseq: fixtures\/run-nginx-tls\/capture\.pcap\.gz: nothing of the capture could be read/);
  expect([status, stdout]).toEqual([2, '']);
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
