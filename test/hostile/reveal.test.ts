// Options that show more: each shows what it says, and nothing else of the planted secrets.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kubeseq } from '../kit/command.js';
import { fixturePath } from '../kit/fixtures.js';
import { findPlanted, nameOf } from '../kit/planted.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-reveal-'));
const CAPTURE = [fixturePath('planted/capture.pcap.gz'), '--keylog', fixturePath('planted/keys.log.gz')];

/** Planted secrets that the messages with their bodies show. */
function shown(...options: string[]): string[] {
  const { stdout, status } = kubeseq(['messages', '-q', '-o', 'ndjson', '--bodies', ...options, ...CAPTURE]);
  expect(status).toBe(0);
  return [...new Set(findPlanted(stdout).map(({ secret }) => nameOf(secret)))];
}

describe('options that show more', () => {
  it('--show-commands: arguments', () => {
    const found = shown('--show-commands');
    expect(found).toContain('commands: exec, mysql -p…');
    expect(found).toContain('commands: container args');
    expect(found).toContain('container runtime: ExecSync, command');
    expect(found.filter((name) => /^(?:custom resources|events and statuses|query|header|secrets)/.test(name))).toEqual(
      [],
    );
  });

  it('--show-text: texts of programs', () => {
    const found = shown('--show-text');
    expect(found).toContain('events and statuses: Unhealthy, output of a probe');
    expect(found).toContain('events and statuses: a bare secret');
    expect(found.filter((name) => /^(?:commands|query|header|secrets|etcd)/.test(name))).toEqual([]);
  });

  it('--show-field: that field', () => {
    expect(shown('--show-field', 'databases.spec.engine')).toEqual(['custom resources: spec.engine: an innocent name']);
    expect(shown('--show-field', 'Database.spec.map.*')).toEqual(['custom resources: value of a map']);
  });

  it('--show-field @FILE: the fields of its lines', () => {
    const file = join(FOLDER, 'fields.txt');
    writeFileSync(file, '# what everybody may see\ndatabases.spec.engine\n\ndatabases.spec.map.* # a map\n');
    expect(shown('--show-field', `@${file}`).sort()).toEqual([
      'custom resources: spec.engine: an innocent name',
      'custom resources: value of a map',
    ]);
  });

  it('--show-field never shows the data of a Secret', () => {
    expect(shown('--show-field', 'secrets.data.*')).toEqual([]);
  });

  it.each([
    [['--show-field', 'databases'], '--show-field databases: it has to name a resource or kind and a field in it'],
    [['--show-field', '*.spec.x'], '--show-field *.spec.x: its resource or kind cannot be *'],
    [['--show-field', `@${FOLDER}/none`], `--show-field @${FOLDER}/none: no such file; check the path`],
  ])('%s is one sentence', (options, sentence) => {
    const { stderr, status } = kubeseq(['messages', ...options, ...CAPTURE]);
    expect(stderr.trim()).toBe(`kubeseq: ${sentence}`);
    expect(status).toBe(2);
  });
});
