// A long capture with keys is read by two threads; what is printed is the same.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { multiply } from '../scripts/bench/multiply.js';
import { messageLine, observe } from '../src/index.js';
import { kubeseq } from './command.js';
import { fixture } from './fixtures.js';

const folder = mkdtempSync(join(tmpdir(), 'kubeseq-reader-'));
const file = join(folder, 'long.pcap');
const keys = join(folder, 'keys.log');
const keyLog = fixture('clients-tls/keys.log');
multiply(fixture('clients-tls/capture.pcap'), 17_000_000, file);
writeFileSync(keys, keyLog);
afterAll(() => rmSync(folder, { recursive: true }));

async function* contentOf(path: string): AsyncGenerator<Uint8Array> {
  yield (await import('node:fs')).readFileSync(path);
}

it('prints what one thread prints', async () => {
  const expected: string[] = [];
  for await (const batch of observe([contentOf(file)], { keyLogs: [Buffer.from(keyLog).toString()] }))
    for (const item of batch)
      if (item.kind === 'message') expected.push(messageLine(item.message, { digits: () => 6 }));
  const { status, stdout } = kubeseq(['messages', '-o', 'ndjson', '--keylog', keys, file]);
  expect(status).toBe(0);
  expect(expected.length).toBeGreaterThan(1000);
  expect(stdout.split('\n').slice(0, -1)).toEqual(expected);
}, 60_000);

it('reports what is wrong with the second of two files', () => {
  const { status, stderr } = kubeseq(['messages', '--keylog', keys, file, join(folder, 'none.pcap')]);
  expect([status, stderr.split('\n').length]).toEqual([2, 2]);
  expect(stderr).toContain('no such file');
});

it('is not in the way of saved messages', () => {
  const saved = join(folder, 'saved.ndjson');
  const small = join(folder, 'small.pcap');
  writeFileSync(small, fixture('run-nginx-http1/capture.pcap'));
  const { stdout } = kubeseq(['messages', '-o', 'ndjson', small]);
  writeFileSync(saved, stdout.repeat(30));
  const { status, stdout: again } = kubeseq(['messages', '-o', 'ndjson', '--keylog', keys, saved]);
  expect(status).toBe(0);
  expect(again.split('\n').length).toBe(30 * 1087 + 1);
}, 60_000);
