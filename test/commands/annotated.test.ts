// Captures with comments: what tshark reads of a copy, beside what it reads of the original.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { kubeseq } from '../kit/command.js';
import { fixturePath } from '../kit/fixtures.js';

const HAS_TSHARK = spawnSync('tshark', ['--version']).status === 0;
const FOLDER = mkdtempSync(join(tmpdir(), 'annotated-'));
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

interface Line {
  readonly seq: number;
  readonly frames: readonly [number, number];
  readonly label: string;
  readonly from: string;
  readonly cause?: { readonly seq: number };
}

const CASES = [
  ['run-nginx-tls/capture.pcap.gz', ['--keylog', fixturePath('run-nginx-tls/keys.log.gz')]],
  ['run-nginx-tls/capture-with-secrets.pcapng.gz', []],
  ['run-nginx-http1/capture.pcap.gz', []],
] as const;

describe.each(CASES)('the copy of %s', (name, keys) => {
  const original = fixturePath(name);
  const copy = join(FOLDER, `${name.replaceAll(/[/.]/g, '-')}.pcapng`);
  const ran = kubeseq(['export', '-q', original, ...keys, '-w', copy]);
  const lines = kubeseq(['messages', '-q', '-o', 'ndjson', original, ...keys])
    .stdout.trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

  it('is read as the original is', () => {
    expect(ran).toMatchObject({ status: 0, stdout: '' });
    const again = kubeseq(['messages', '-q', '-o', 'ndjson', copy, ...keys])
      .stdout.trimEnd()
      .split('\n');
    // Nanoseconds, whatever the original has.
    const shown = (line: Line): unknown => [line.seq, line.frames, line.label, line.cause?.seq];
    expect(again.map((line) => shown(JSON.parse(line) as Line))).toEqual(lines.map(shown));
  });

  it('holds no key that the original does not hold', () => {
    const text = readFileSync(copy).toString();
    expect(text.includes('CLIENT_HANDSHAKE_TRAFFIC_SECRET ')).toBe(name.includes('with-secrets'));
  });

  it.skipIf(!HAS_TSHARK)('has the same frames and the comments for tshark, at the last frame of each message', () => {
    const fields = (file: string): string =>
      tshark(
        file,
        ['-o', 'frame.generate_md5_hash:TRUE'],
        ['frame.number', 'frame.time_epoch', 'frame.len', 'frame.md5_hash'],
      );
    expect(fields(copy)).toBe(fields(original));
    const expected = new Map<number, string[]>();
    for (const { seq, frames, label, from } of lines)
      expected.set(frames[1], [...(expected.get(frames[1]) ?? []), `kubeseq: message ${seq}, ${from} → `, label]);
    const commented = tshark(copy, ['-Y', 'frame.comment'], ['frame.number', 'frame.comment']).trimEnd().split('\n');
    expect(commented.map((line) => Number(line.split('\t', 1)[0]))).toEqual([...expected.keys()].sort((a, b) => a - b));
    for (const line of commented) {
      const [frame, text] = line.split('\t');
      for (const part of expected.get(Number(frame)) ?? []) expect(text).toContain(part);
    }
    const first = lines.find(({ cause }) => cause !== undefined)!;
    expect(commented.join('\n')).toContain(`because of ${first.cause!.seq} (`);
  });
});

it('comments only what is chosen', () => {
  const copy = join(FOLDER, 'chosen.pcapng');
  const { status } = kubeseq([
    'export',
    '-q',
    fixturePath('run-nginx-http1/capture.pcap.gz'),
    '--follow',
    'pod/nginx',
    '-w',
    copy,
  ]);
  expect(status).toBe(0);
  const text = readFileSync(copy).toString();
  expect(text).toContain(
    'kubeseq: message 976, kubectl → kube-apiserver: [REQ] POST /api/v1/namespaces/default/pods - nginx',
  );
  expect(text).not.toContain('kubeseq: message 1, ');
});

it.each([
  ['two captures', [fixturePath('run-nginx-http1/capture.pcap.gz'), fixturePath('run-nginx-tls/capture.pcap.gz')]],
  ['saved messages', [fixturePath('run-nginx-tls/audit.jsonl.gz')]],
  ['standard input', ['-']],
])('refuses %s', (_, files) => {
  const { status, stderr } = kubeseq(['export', '-q', ...files, '-w', join(FOLDER, 'x.pcapng')]);
  expect(status).toBe(2);
  expect(stderr).toMatch(/one capture file/);
});

function tshark(file: string, options: readonly string[], fields: readonly string[]): string {
  const args = ['-r', file, ...options, '-T', 'fields', ...fields.flatMap((field) => ['-e', field])];
  const { status, stdout, stderr } = spawnSync('tshark', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}
