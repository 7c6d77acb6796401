// npm test: builds, then checks types and style while the tests run; says how long it took beside the yardstick, and what was not tried.
//
//   npm test              what `npm ci` brought is enough
//   npm run test:all      the same, then all that takes a browser, root, Go, or long

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CASES } from './bench/cases.js';
import { yardstickSeconds } from './bench/yardsticks.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const NOT_TRIED =
  'not tried: pages in a browser, mermaid, SQL, root, Go, executables, documented pages, whole random runs: npm run test:all';

const began = performance.now();
const built = await run('npm', ['run', '--silent', 'build'], 'inherit');
const [types, lint, tests] =
  built.status === 0
    ? await Promise.all([
        run('npm', ['run', '--silent', 'types']),
        run('npm', ['run', '--silent', 'lint']),
        run('npx', ['vitest', 'run', ...process.argv.slice(2)], 'inherit', { TESTS: 'quick' }),
      ])
    : [built, built, built];
for (const [name, { status, output }] of Object.entries({ types, lint }))
  if (status !== 0) process.stdout.write(`\n${name} failed\n${output}\n`);
const isWhole = process.argv.length === 2;
const isInTime = !isWhole || tookNoLonger((performance.now() - began) / 1000);
process.stdout.write(`${NOT_TRIED}\n`);
process.exitCode = isInTime && [types, lint, tests].every(({ status }) => status === 0) ? 0 : 1;

/** Whether the seconds are within what is held. Elsewhere than in CI, other programs may run beside the tests: there it is said alone. */
function tookNoLonger(seconds) {
  const { testSeconds, room } = JSON.parse(readFileSync(join(ROOT, 'scripts/held.json'), 'utf8')).measured;
  const folder = mkdtempSync(join(tmpdir(), 'kubeseq-test-'));
  const yardsticks = seconds / yardstickSeconds(CASES[0], { folder, size: 12e6 });
  rmSync(folder, { recursive: true });
  process.stdout.write(`${seconds.toFixed(0)} s, ${yardsticks.toFixed(0)} yardsticks; ${testSeconds} are held\n`);
  const isInside = yardsticks <= testSeconds * (1 + room.testSeconds);
  if (!isInside) process.stdout.write('npm test takes longer than what is held (scripts/held.json)\n');
  return isInside || process.env.CI !== 'true';
}

/** @param {'pipe' | 'inherit'} stdio @returns {Promise<{ status: number | null, output: string }>} */
function run(command, args, stdio = 'pipe', env = {}) {
  return new Promise((done, fail) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      stdio: ['ignore', stdio, stdio],
      env: { ...process.env, ...env },
      shell: process.platform === 'win32',
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (bytes) => {
        output += bytes;
      });
    child.on('error', fail);
    child.on('close', (status) => done({ status, output }));
  });
}
