// The judge of changes that are to change no behaviour: `scripts/outputs.js`.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { differences, renaming } from '../../scripts/outputs/compare.js';
import { fixtureNames, runsOf } from '../../scripts/outputs/runs.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubeseq-outputs-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function outputs(name: string, files: Record<string, string>): string {
  mkdirSync(join(folder, name, 'a'), { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, name, file), text);
  return join(folder, name);
}

const MESSAGE = '{"seq":1,"lacks":["secret/x"],"label":"lacks"}\n';

describe('differences', () => {
  it('are none where only listed words changed', () => {
    const before = outputs('before', { 'a/messages.ndjson': MESSAGE });
    const after = outputs('after', { 'a/messages.ndjson': MESSAGE.replace('"lacks":', '"missing":') });
    expect(differences(before, after, renaming([{ old: '"lacks":', new: '"missing":', in: 'ndjson$' }]))).toEqual([]);
    expect(differences(before, after, renaming([{ old: '"lacks":', new: '"missing":', in: 'json$' }]))).toEqual([]);
    expect(differences(before, after, renaming([{ old: '"lacks":', new: '"missing":', in: '^summary' }]))).toHaveLength(
      1,
    );
  });

  it('are lines, and files that one has alone', () => {
    const before = outputs('before', { 'a/diagram.mmd': 'one\ntwo\nthree\n', 'a/gone.txt': '' });
    const after = outputs('after', { 'a/diagram.mmd': 'one\n2\nthree\n', 'a/new.txt': '' });
    expect(differences(before, after, renaming([]))).toEqual([
      { name: 'a/diagram.mmd', lines: ['-two', '+2'] },
      { name: 'a/gone.txt', lines: ['is gone'] },
      { name: 'a/new.txt', lines: ['is new'] },
    ]);
  });
});

describe('runs', () => {
  it('cover every command for every fixture that has captures', () => {
    const runs = fixtureNames().flatMap(runsOf);
    const names = runs.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(
      expect.arrayContaining([
        'run-nginx-tls/messages.ndjson',
        'run-nginx-tls/capture-with-secrets.summary.json',
        'late-start-tls/diagram-all.mmd',
        'run-nginx-http1/follow-pod-nginx.mmd',
        'run-nginx-http1/check-article-flow.txt',
        'lacks-tls/follow-pod-files.mmd',
        'bootstrap-tls/check-expected-client.txt',
      ]),
    );
  });
});
