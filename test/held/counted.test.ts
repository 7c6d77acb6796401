// What is counted is held exactly: lines of the sources, the way of one POST, what each message allocates.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../kit/command.js';
import { fixturePath } from '../kit/fixtures.js';
import { recording } from '../kit/foreign.js';
import { expectHeld, HELD } from '../kit/held.js';

it('src/ has no line more', () => {
  const lines = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => readFileSync(join(ROOT, 'src', name), 'utf8').split('\n').length - 1);
  expectHeld(
    HELD,
    'lines',
    lines.reduce((sum, count) => sum + count, 0),
  );
});

it('one POST and its 201 run through no file and no function more', () => {
  const printed = printedBy(['scripts/count-path.js', '--page']);
  const counted = /^(\d+) files, (\d+) functions$/m.exec(printed);
  expect(counted).not.toBeNull();
  expectHeld(HELD.path, 'files', Number(counted![1]));
  expectHeld(HELD.path, 'functions', Number(counted![2]));
  const path = join(ROOT, 'docs/architecture.md');
  const page = readFileSync(path, 'utf8');
  const made = page.replace(TABLE, (_, from, to) => `${from}\n\n${printed.slice(0, counted!.index).trim()}\n\n${to}`);
  if (process.env['UPDATE'] === '1') writeFileSync(path, made);
  else expect(page, 'UPDATE=1 npx vitest run test/held writes its table').toBe(made);
});

const TABLE = /(<!-- table: one POST -->)[\s\S]*?(<!-- end -->)/;
const { node, room, ...captures } = HELD.allocated;
const VERSION = Number(process.versions.node.split('.')[0]);

describe.skipIf(VERSION !== node)(`each message allocates no more (of Node.js ${node})`, () => {
  it.for(Object.keys(captures))('%s', (name, { skip }) => {
    const folder = folderOf(name.split('/')[0]);
    if (folder === null) return skip('its recording is not here');
    const capture = join(folder, `${name.split('/')[1]}.pcap.gz`);
    const printed = printedBy([...V8, 'scripts/held/allocation.js', capture, join(folder, 'keys.log.gz')]);
    expectHeld(HELD.allocated, name, Number(printed), room);
  });
});

/** One thread, and the same seeds in each run, so that V8 optimizes the same; young objects are not collected. */
const V8 = [
  ...['--single-threaded', '--hash-seed=1', '--random-seed=1'],
  ...['--min-semi-space-size=512', '--max-semi-space-size=512'],
];

function folderOf(name: string): string | null {
  const own = fixturePath(name);
  return existsSync(own) ? own : recording(name);
}

function printedBy(args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  return stdout;
}
