import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runningTargets } from './key-targets.js';

const folder = mkdtempSync(join(tmpdir(), 'kubeseq-'));
const program = join(folder, 'no-go-program');
copyFileSync('/bin/sleep', program);
const running: ChildProcess[] = [];

afterAll(() => {
  for (const process of running) process.kill();
  rmSync(folder, { recursive: true });
});

it('reads each executable once, whichever user runs it', async () => {
  for (let i = 0; i < 2; i += 1) {
    const process = spawn(program, ['60']);
    running.push(process);
    await once(process, 'spawn');
  }
  const seen = new Set<string>();
  const [first, second] = [1, 2].map(() => runningTargets({ component: ['no-go-program'] }, seen));
  expect(first).toEqual({ targets: [], refused: [expect.stringContaining(`${program} is not a Go program`)] });
  expect(seen.size).toBe(1);
  expect(second).toEqual({ targets: [], refused: [] });
});
