import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { isPattern, matchesOf } from './glob.js';

const folder = mkdtempSync(join(tmpdir(), 'kubeseq-glob-'));
afterAll(() => rmSync(folder, { recursive: true }));
mkdirSync(join(folder, 'a1'));
mkdirSync(join(folder, 'a2'));
for (const name of ['a1/x.pcap', 'a1/x.pcap1', 'a2/y.pcap', '.hidden.pcap', 'b^.pcap', 'b+.pcap'])
  writeFileSync(join(folder, name), '');

// What bash makes of them.
it.each([
  ['a*/*.pcap', ['a1/x.pcap', 'a2/y.pcap']],
  ['a?/x.pcap*', ['a1/x.pcap', 'a1/x.pcap1']],
  ['a[12]/[xy].pcap', ['a1/x.pcap', 'a2/y.pcap']],
  ['a[!1]/*', ['a2/y.pcap']],
  ['b[+^].pcap', ['b+.pcap', 'b^.pcap']],
  ['*.pcap', ['b+.pcap', 'b^.pcap']],
  ['.h*', ['.hidden.pcap']],
  ['none/*', []],
  ['a1/x.pcap1/*', []],
])('%s', async (pattern, expected) => {
  expect(await matchesOf(join(folder, pattern))).toEqual(expected.map((name) => join(folder, name)));
});

it('answers a pattern of many wildcards within a second', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubeseq-glob-'));
  const name = `${'a'.repeat(200)}.pcap`;
  writeFileSync(join(folder, name), '');
  const started = performance.now();
  expect(await matchesOf(join(folder, `${'*a'.repeat(50)}*b`))).toEqual([]);
  expect(await matchesOf(join(folder, `${'*a'.repeat(50)}*p`))).toEqual([join(folder, name)]);
  expect(performance.now() - started).toBeLessThan(1000);
  rmSync(folder, { recursive: true });
});

it('distinguishes patterns from names', () => {
  expect(['cap.pcap', 'cap*', 'c?p', 'c[a]p'].map(isPattern)).toEqual([false, true, true, true]);
});
