// `--jobs`: whatever number of threads reads a capture, every line is the same, and all that is said beside.

import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { multiply } from '../scripts/bench/multiply.js';
import { kubeseq } from './command.js';
import { fixture } from './fixtures.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-jobs-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));

it('connections that fail, in one thread and in three', () => {
  const keys = join(FOLDER, 'connections.log');
  writeFileSync(keys, fixture('connections-tls/keys.log'), { mode: 0o600 });
  const file = join(FOLDER, 'connections.pcap');
  writeFileSync(file, fixture('connections-tls/control-plane.pcap'));
  const [one, two] = ['1', '3'].map((jobs) => {
    const { status, stdout, stderr } = kubeseq([
      'diagram',
      '--no-overview',
      '-v',
      file,
      '--keylog',
      keys,
      '--jobs',
      jobs,
    ]);
    return { status, stderr, stdout };
  });
  expect(one.stdout).toMatch(/kubectl gave up after \d/);
  expect(one.stderr).toMatch(/tls\.unfinished: /);
  expect(two).toEqual(one);
});

it('what is no capture is not reported as empty', () => {
  const file = join(FOLDER, 'text.pcap');
  writeFileSync(file, 'no capture\n');
  const [one, three] = ['1', '3'].map((jobs) => kubeseq(['messages', file, '--jobs', jobs]));
  expect(one.stderr).toMatch(/text\.pcap is not a packet capture/);
  expect(three).toEqual(one);
});

describe.each([
  ['run-nginx-http1', []],
  ['run-nginx-tls', ['--keylog', join(FOLDER, 'keys.log')]],
])('%s', (name, keys) => {
  it('one thread, two, four, as many as are worth it', () => {
    if (keys.length > 0) writeFileSync(keys[1], fixture(`${name}/keys.log`), { mode: 0o600 });
    const file = join(FOLDER, `${name}.pcap`);
    multiply(fixture(`${name}/capture.pcap`), 17e6, file);
    const [one, two, four, worth] = [['--jobs', '1'], ['--jobs', '2'], ['--jobs', '4'], []].map((jobs) => {
      const { status, stdout, stderr } = kubeseq(['messages', '-o', 'ndjson', '-v', file, ...keys, ...jobs]);
      return { status, stderr, lines: stdout.split('\n').length, md5: createHash('md5').update(stdout).digest('hex') };
    });
    expect(one.status).toBe(0);
    expect(one.lines).toBeGreaterThan(15_000);
    expect(two).toEqual(one);
    expect(four).toEqual(one);
    expect(worth).toEqual(one);
  });
});
