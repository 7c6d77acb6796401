// The scripts of `kubeseq completion`, run by their shells. zsh and fish are asked where they are installed.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { kubeseq } from '../kit/command.js';

const folder = mkdtempSync(join(tmpdir(), 'kubeseq-completion-'));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, 'capture.pcap'), '');
const has = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0;
const script = (shell: string): string => kubeseq(['completion', shell]).stdout;
const COMMANDS = [...kubeseq(['--help']).stdout.matchAll(/^ {2}(\w+) (?:\[options\]|<)/gm)].map(([, name]) => name);

const BASH = script('bash');

/** What bash offers for a line that ends where the cursor stands. */
function offered(line: string): string[] {
  const words = line.split(' ');
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const text = `${BASH}\nCOMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _kubeseq; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', text], { cwd: folder, encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((word) => word !== '');
}

describe('bash', () => {
  it.each([
    ['kubeseq mess', ['messages']],
    ['kubeseq ca', ['capture.pcap']],
    ['kubeseq messages -o ', ['ndjson', 'table', 'csv', 'parquet', 'otlp', 'perfetto']],
    ['kubeseq messages --output t', ['table']],
    ['kubeseq --fol', ['--follow']],
    ['kubeseq capture.pcap --no-s', ['--no-sandbox']],
    ['kubeseq diagram --layers api,et', ['api,etcd']],
    ['kubeseq diagram --by ', ['controller', 'component']],
    ['kubeseq summary --fail-on keys.', ['keys.embedded', 'keys.world-readable', 'keys.malformed', 'keys.private-key']],
    ['kubeseq summary --fo', []],
    ['kubeseq messages --since ', []],
    ['kubeseq messages --keylog ', ['capture.pcap']],
    ['kubeseq completion ', ['bash', 'zsh', 'fish']],
    ['kubeseq docs --ch', ['--check']],
  ])('%j', (line, expected) => expect(offered(line)).toEqual(expected));

  it('offers the formats of every command that has -o', () => {
    const withFormats = COMMANDS.filter((command) => kubeseq([command, '--help']).stdout.includes('--output <'));
    expect(withFormats.length).toBeGreaterThanOrEqual(9);
    expect(withFormats.filter((command) => offered(`kubeseq ${command} -o `).length === 0)).toEqual([]);
  });

  it('offers every command, and every option of each', () => {
    expect(COMMANDS.length).toBeGreaterThanOrEqual(7);
    expect(offered('kubeseq ').filter((word) => word !== 'capture.pcap')).toEqual(COMMANDS);
    for (const command of COMMANDS) {
      const help = kubeseq([command, '--help']).stdout;
      const options = new Set(help.match(/(?<=^ {2}(?:-\w, )?)--[a-z-]+/gm));
      options.delete('--help');
      expect(new Set(offered(`kubeseq ${command} --`)), command).toEqual(options);
    }
  });
});

describe.skipIf(!has('zsh'))('zsh', () => {
  it('reads its script', () => {
    expect(spawnSync('zsh', ['-f', '-n'], { input: script('zsh') }).status).toBe(0);
  });
});

describe.skipIf(!has('fish'))('fish', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'kubeseq-fish-')), 'c.fish');
  writeFileSync(file, script('fish'));
  const asked = (line: string): string[] =>
    spawnSync('fish', ['--no-config', '-c', `source ${file}; complete -C '${line}'`], { cwd: folder, encoding: 'utf8' })
      .stdout.trimEnd()
      .split('\n')
      .map((one) => one.split('\t')[0]);

  it.each([
    ['kubeseq mess', ['messages']],
    ['kubeseq messages -o ', ['csv', 'ndjson', 'otlp', 'perfetto', 'table']],
    ['kubeseq --fol', ['--follow']],
    ['kubeseq completion ', ['bash', 'fish', 'zsh']],
  ])('%j', (line, expected) => expect(asked(line)).toEqual(expected));
});

it.each([[['tcsh']], [[]]])('of %j there is none', (args) => {
  const { status, stderr } = kubeseq(['completion', ...args]);
  expect(stderr).toMatch(/^kubeseq: [^\n]+\n$/);
  expect(status).toBe(2);
});
