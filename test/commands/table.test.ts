// A table (Parquet) stands for the capture that it was made of: every command says the same of both.

import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { kubeseq, type Ran, ROOT } from '../kit/command.js';
import { fixture } from '../kit/fixtures.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-table-'));
const NGINX = 'fixtures/run-nginx-http1/capture.pcap.gz';
const ERRORS = 'fixtures/errors-http1/capture.pcap.gz';
const KEYS = join(FOLDER, 'keys.log');
writeFileSync(KEYS, fixture('boot-etcd-tls/keys.log'));
const BOOT = ['fixtures/boot-etcd-tls/capture.pcap.gz', '--keylog', KEYS];

function table(name: string, captures: readonly string[], command = ['export']): string {
  const path = join(FOLDER, `${name}.parquet`);
  expect(kubeseq([...command, ...captures, '-w', path])).toMatchObject({ status: 0, stdout: '' });
  return path;
}

const NGINX_TABLE = table('nginx', [NGINX]);

describe.each([
  ['run-nginx-http1', [NGINX]],
  ['boot-etcd with keys: calls of the store, watches, data', BOOT],
  ['two captures', [ERRORS, NGINX]],
])('%s', (name, captures) => {
  const file = table(name.slice(0, 10).replaceAll(' ', '-'), captures);

  it.each([
    [['messages', '-o', 'ndjson', '--bodies']],
    [['messages', '-o', 'table']],
    [['diagram', '--all', '--layers', 'all', '-o', 'json']],
    [['diagram', '--follow', 'pod/nginx']],
    [['object', 'namespace/default', '--all']],
  ])('%j', (args) => {
    const ofCapture = kubeseq([...args, ...captures]);
    const ofTable = kubeseq([...args, file]);
    expect(ofCapture.stdout.length + ofCapture.stderr.length).toBeGreaterThan(100);
    expect(isSame(ofTable, ofCapture)).toBe(true);
  });
});

describe('a table', () => {
  const printed = kubeseq(['messages', '-o', 'ndjson', NGINX]).stdout;

  it('is a fifth of the lines that it holds, even of a short capture', () => {
    const plain = table('plain', [NGINX], ['messages', '-o', 'parquet']);
    expect(printed.length / readFileSync(plain).length).toBeGreaterThan(5);
    expect(kubeseq(['messages', '-o', 'ndjson', plain]).stdout === printed).toBe(true);
  });

  it('has the summary of its capture, of which it reads the columns that a summary needs', () => {
    const args = ['summary', '-o', 'json', '--streams'];
    for (const [ofCapture, ofTable] of [
      [NGINX, NGINX_TABLE],
      [ERRORS, table('errors', [ERRORS])],
    ])
      expect(isSame(kubeseq([...args, ofTable]), kubeseq([...args, ofCapture]))).toBe(true);
  });

  it('comes by standard input and compressed, too', () => {
    const bytes = readFileSync(NGINX_TABLE);
    const zipped = join(FOLDER, 'zipped.parquet.gz');
    writeFileSync(zipped, gzipSync(bytes));
    expect(kubeseq(['messages', '-o', 'ndjson', zipped]).stdout === printed).toBe(true);
    expect(kubeseq(['messages', '-o', 'ndjson', '-'], { input: bytes }).stdout === printed).toBe(true);
  });

  it('beside a capture is merged by time and numbered anew', () => {
    const both = kubeseq(['messages', '-o', 'ndjson', ERRORS, NGINX_TABLE]).stdout;
    const ofLines = join(FOLDER, 'lines.ndjson');
    kubeseq(['export', NGINX, '-w', ofLines]);
    expect(both.split('\n').length).toBeGreaterThan(1900);
    const named = kubeseq(['messages', '-o', 'ndjson', ERRORS, ofLines]).stdout.replaceAll(ofLines, NGINX_TABLE);
    expect(both === named).toBe(true);
  });

  it('passes the redaction again', () => {
    const shown = join(FOLDER, 'shown.parquet');
    kubeseq(['export', '--show-secrets', NGINX, '-w', shown]);
    const args = ['messages', '-o', 'ndjson', '--bodies'];
    expect(isSame(kubeseq([...args, shown]), kubeseq([...args, NGINX]))).toBe(true);
  });
});

describe('what cannot be read is one line and exit status 2', () => {
  const bytes = readFileSync(NGINX_TABLE);

  it.each([
    ['cut short', () => bytes.subarray(0, bytes.length - 5000), /is cut short: the end of the Parquet file is missing/],
    ['cut to its beginning', () => bytes.subarray(0, 4), /is cut short/],
    ['damaged in its rows', () => damaged(bytes, 100, 40_000), /is damaged: /],
    [
      'damaged in its metadata',
      () => damaged(bytes, bytes.length - 30_000, 20_000),
      /is damaged|none that kubeseq wrote/,
    ],
    [
      'from a newer version',
      () => replaced(bytes, '"format":1', '"format":9'),
      /was written by kubeseq .*does not read/,
    ],
    [
      'with a page that says it has more values than there are rows',
      () => withManyValues(bytes),
      /is damaged: a page of 1048575 values in a row group of \d+ rows/,
    ],
    ['of another program', () => replaced(bytes, 'kubeseq.records', 'another.records'), /none that kubeseq wrote/],
  ])('%s', (_, made, message) => {
    const path = join(FOLDER, 'broken.parquet');
    writeFileSync(path, made());
    for (const command of [['messages', '-o', 'ndjson'], ['diagram'], ['summary']]) {
      const { status, stdout, stderr } = kubeseq([...command, path]);
      expect([status, stderr.trim().split('\n').length]).toEqual([2, 1]);
      expect(stderr).toMatch(message);
      if (command[0] !== 'messages') expect(stdout).toBe('');
    }
  });

  it('a table of a capture that grows', () => {
    const { status, stdout, stderr } = kubeseq([
      'messages',
      '--live',
      '-o',
      'parquet',
      '-w',
      join(FOLDER, 'x.parquet'),
      NGINX,
    ]);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^kubeseq: -o parquet and --live exclude each other[^\n]*\n$/);
  });

  it('no Parquet at all', () => {
    const path = join(FOLDER, 'none.parquet');
    writeFileSync(path, 'PARROTS are no tables');
    const { status, stderr } = kubeseq(['diagram', path]);
    expect([status, stderr]).toEqual([2, expect.stringMatching(/^kubeseq: .* is not a packet capture[^\n]*\n$/)]);
  });

  it('a table for a terminal or a full disk leaves nothing half-written', () => {
    const { status, stderr } = kubeseq(['messages', '-o', 'parquet', NGINX, '-w', '/dev/full']);
    expect([status, stderr]).toEqual([2, expect.stringMatching(/^kubeseq: \/dev\/full: .*no space[^\n]*\n$/i)]);
  });
});

describe('--until', () => {
  it.each(['1s', '7.4s', '2026-11-21T04:13:35Z'])(
    '%s ends the reading: the same picture of capture, table and lines',
    (until) => {
      const lines = join(FOLDER, 'until.ndjson');
      kubeseq(['export', NGINX, '-w', lines]);
      const args = ['diagram', '--follow', 'pod/nginx', '--until', until];
      const [ofCapture, ofTable, ofLines] = [NGINX, NGINX_TABLE, lines].map((file) => kubeseq([...args, file]));
      expect(ofCapture.stdout).toContain('sequenceDiagram');
      expect([ofTable.stdout, ofTable.stderr]).toEqual([ofCapture.stdout, ofCapture.stderr]);
      expect([ofLines.stdout, ofLines.stderr]).toEqual([ofCapture.stdout, ofCapture.stderr]);
    },
  );

  it('prints exactly the messages up to then', () => {
    const all = kubeseq(['messages', '-o', 'ndjson', NGINX]).stdout.trimEnd().split('\n');
    const end = (JSON.parse(all[600]) as { time: string }).time;
    const chosen = kubeseq(['messages', '-o', 'ndjson', '--until', end, NGINX]).stdout.trimEnd().split('\n');
    expect(chosen).toEqual(all.filter((line) => (JSON.parse(line) as { time: string }).time <= end));
  });
});

function damaged(bytes: Uint8Array, at: number, length: number): Uint8Array {
  const broken = Uint8Array.from(bytes);
  for (let i = at; i < at + length; i++) broken[i] ^= 0x5a;
  return broken;
}

/** @param to as long as `from`. */
function replaced(bytes: Uint8Array, from: string, to: string): Uint8Array {
  const broken = Buffer.from(bytes);
  const at = broken.lastIndexOf(from);
  expect(at).toBeGreaterThan(0);
  broken.write(to, at, 'latin1');
  return broken;
}

/** Names of files differ. */
function isSame(one: Ran, other: Ran): boolean {
  const text = ({ status, stdout, stderr }: Ran): string =>
    `${status} ${stdout} ${stderr}`.replaceAll(FOLDER, '').replaceAll(ROOT, '');
  return text(one) === text(other);
}

/** The first number of values in a page's header (parquet.thrift), which is followed by what was there; the metadata's numbers stay. */
function withManyValues(bytes: Buffer): Buffer {
  const rows = kubeseq(['messages', '-o', 'ndjson', NGINX_TABLE]).stdout.trimEnd().split('\n').length;
  const number = [0x15, ...varint(rows * 2)];
  const at = bytes.indexOf(Buffer.from(number), 4);
  expect(at).toBeGreaterThan(0);
  const many = [0x15, ...varint(1_048_575 * 2)];
  // The header grows by a byte, which the page behind it loses: nothing else moves.
  const end = at + number.length;
  return Buffer.concat([
    bytes.subarray(0, at),
    Buffer.from(many),
    bytes.subarray(end, end + 200),
    bytes.subarray(end + 200 + many.length - number.length),
  ]);
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) | 128, ...varint(Math.floor(value / 128))];
}
