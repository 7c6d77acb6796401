// What starts: only what the command needs, from the code that the build compiled where this Node.js can take it, and with the
// same output where it cannot.

import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type Ran, ROOT } from '../kit/command.js';
import { fixturePath } from '../kit/fixtures.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'kubeseq-start-'));
afterAll(() => rmSync(FOLDER, { recursive: true }), 60_000);

const PICTURE = [fixturePath('run-nginx-http1/capture.pcap.gz'), '--follow', 'pod/nginx'];

function node(args: readonly string[], env: NodeJS.ProcessEnv = process.env): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: '/',
    env,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  return { status, stdout, stderr };
}

/** The built package in a folder of its own. */
function copied(name: string): string {
  const folder = join(FOLDER, name);
  const filter = (path: string): boolean => !path.endsWith('.d.ts');
  for (const part of ['bin', 'dist', 'package.json'])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true, filter });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Runs a command with the compiled code. @returns of each unit that was loaded, whether V8 rejected its code. */
function unitsOf(args: readonly string[], flags: readonly string[] = []): Record<string, boolean> | null {
  const code = `
    const { setLoadingFlags, unitsHere } = await import(${JSON.stringify(`file://${ROOT}/dist/cli/start.js`)});
    setLoadingFlags();
    const units = unitsHere();
    await units.load('main.js').main(['node', 'kubeseq', ...${JSON.stringify(args)}], () => {});
    const loaded = [...units.scripts].map(([name, script]) => [name.replace(/-.*/, ''), script.cachedDataRejected]);
    process.stderr.write(JSON.stringify(Object.fromEntries(loaded)));`;
  const { status, stderr } = node([...flags, '--input-type=module', '-e', code]);
  expect(status).toBe(0);
  return JSON.parse(stderr) as Record<string, boolean>;
}

/** Its modules, for which there is no compiled code. */
function modules(name: string): string {
  const folder = copied(name);
  rmSync(join(folder, 'dist/cli/compiled.bin'));
  return folder;
}

describe('what is loaded', () => {
  it.each(['--version', '--help'])('of %s: no command, and nothing that commands need', (option) => {
    expect(Object.keys(unitsOf([option]) ?? {}).sort()).toEqual(['chunk', 'main.js']);
    // V8 complains about flags that it does not have.
    expect(node([join(ROOT, 'bin/kubeseq.js'), option]).stderr).toBe('');
    const folder = modules(`only${option}`);
    const commands = readdirSync(join(folder, 'dist/cli')).filter((file) => /^commands-\w+\.js$/.test(file));
    expect(commands).toHaveLength(1);
    writeFileSync(join(folder, 'dist/cli', commands[0]), 'throw new Error("the commands were loaded");');
    writeFileSync(join(folder, 'dist/index.js'), 'throw new Error("the library was loaded");');
    const run = (...args: string[]): Ran => node([join(folder, 'bin/kubeseq.js'), ...args]);
    expect(run(option)).toEqual(node([join(ROOT, 'bin/kubeseq.js'), option]));
    expect(run(...PICTURE).stderr).toContain('the commands were loaded');
  });

  it('is small until a command runs', () => {
    const file = readFileSync(join(ROOT, 'dist/cli/compiled.bin')).toString('latin1');
    const { units } = JSON.parse(file.slice(0, 4096)) as { units: Record<string, { source: [number, number] }> };
    const sourceOf = (name: string): string => file.substr(...units[name].source);
    const main = sourceOf('main.js');
    const needed = [...new Set([...main.matchAll(/require\("\.\/(chunk-\w+\.js)"\)/g)].map(([, name]) => name))];
    expect(needed.length).toBeGreaterThan(0);
    const commands = Object.keys(units).find((name) => name.startsWith('commands-'))!;
    const bytes = [main, ...needed.map(sourceOf)].reduce((sum, source) => sum + source.length, 0);
    expect(bytes).toBeLessThan(sourceOf(commands).length / 10);
  });
});

describe('compiled code', () => {
  it('is taken for every unit', () => {
    expect(unitsOf(PICTURE)).toEqual({ 'main.js': false, chunk: false, commands: false });
  });

  it('is rejected under other flags of V8, and the source is compiled', () => {
    expect(unitsOf(PICTURE, ['--no-opt'])).toEqual({ 'main.js': true, chunk: true, commands: true });
  });
});

describe('the same output', () => {
  const expected = node([join(ROOT, 'bin/kubeseq.js'), ...PICTURE]);
  const damaged = (name: string, change: (file: string) => void): string => {
    const folder = copied(name);
    change(join(folder, 'dist/cli/compiled.bin'));
    return join(folder, 'bin/kubeseq.js');
  };

  it('is a diagram', () => {
    expect(expected.status).toBe(0);
    expect(expected.stdout).toMatch(/^sequenceDiagram\n[\s\S]*\[RESP\] 201 Created/);
  });

  it.each<[string, () => string[]]>([
    ['under other flags', () => ['--no-opt', join(ROOT, 'bin/kubeseq.js')]],
    ['from the modules', () => [join(modules('none'), 'bin/kubeseq.js')]],
    ['where the compiled file was cut', () => [damaged('cut', (file) => truncateSync(file, 100_000))]],
    ['where it is empty', () => [damaged('empty', (file) => truncateSync(file))]],
    ['where it is none', () => [damaged('none-such', (file) => writeFileSync(file, 'x'.repeat(10_000)))]],
    [
      'where its code was damaged',
      () => [
        damaged('damaged', (file) => {
          const bytes = readFileSync(file);
          const { units } = JSON.parse(bytes.subarray(0, 4096).toString('latin1')) as {
            units: Record<string, { code: [number, number] }>;
          };
          for (const {
            code: [start, length],
          } of Object.values(units))
            for (const part of length === 0 ? [] : [0.01, 0.5, 0.99]) bytes[start + Math.floor(length * part)] ^= 0x55;
          writeFileSync(file, bytes);
        }),
      ],
    ],
    [
      'where another Node.js made it',
      () => [
        damaged('other', (file) => {
          const bytes = readFileSync(file);
          const header = bytes.subarray(0, 4096).toString('latin1').replace(process.version, 'v20.0.0').slice(0, 4096);
          bytes.write(header.padEnd(4096), 'latin1');
          // Whoever takes it runs this.
          bytes.fill(0, 4096);
          writeFileSync(file, bytes);
        }),
      ],
    ],
  ])('%s', (_, script) => {
    expect(node([...script(), ...PICTURE])).toEqual(expected);
  });

  it('without an environment', () => {
    expect(node([join(ROOT, 'bin/kubeseq.js'), ...PICTURE], {})).toEqual(expected);
  });

  it('of errors', () => {
    const script = join(modules('errors'), 'bin/kubeseq.js');
    for (const args of [
      [],
      ['no-such.pcap'],
      ['--no-such-option'],
      [PICTURE[0], '--where', 'verb =='],
      [PICTURE[0], '--layers', 'none'],
      [PICTURE[0], '-o', 'none'],
    ]) {
      const one = node([script, ...args]);
      expect(one.status).toBe(2);
      expect(one.stderr).toMatch(/^kubeseq: [^\n]+\n$/);
      expect(node([join(ROOT, 'bin/kubeseq.js'), ...args])).toEqual(one);
    }
  });

  it('of messages', () => {
    const [compiled, from] = [ROOT, modules('messages')].map((folder) =>
      node([join(folder, 'bin/kubeseq.js'), 'messages', '-q', PICTURE[0]]),
    );
    expect([compiled.status, compiled.stderr]).toEqual([0, '']);
    expect(compiled.stdout.split('\n').length).toBeGreaterThan(500);
    expect(from).toEqual(compiled);
  });
});
