import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../../test/kit/command.js';
import { readingText } from './progress.js';

it.each([
  [12_300_000, 45_600_000, 5120, 1000, '12 MB of 46 MB, 26 %, 12 MB/s, 5,120 messages'],
  [12_300_000, null, 0, 2000, '12 MB, 6.2 MB/s, 0 messages'],
  [0, 0, 0, 0, '0 B, 0 B/s, 0 messages'],
  [11, 10, 1, 1, '11 B of 10 B, 100 %, 11 kB/s, 1 message'],
])('%i of %s bytes', (bytes, total, messages, elapsed, expected) => {
  expect(readingText(bytes, total, messages, elapsed)).toBe(expected);
});

/** A capture that takes more than a second to come, read by `summary`; standard output goes nowhere. */
const SLOW = 'f=fixtures/errors-http1/capture.pcap.gz; (head -c 60000 $f; sleep 1.4; tail -c +60001 $f; sleep 0.4)';
const COMMAND = `${SLOW} | node bin/kubeseq.js summary -q -`;
const hasScript = spawnSync('script', ['--version']).status === 0;
const run = (command: string, args: readonly string[]): string =>
  spawnSync(command, args, { cwd: ROOT, encoding: 'utf8', env: { ...process.env, TERM: 'xterm' } }).stdout;
const terminal = (command: string): string => run('script', ['-qec', `bash -c '${command}'`, '/dev/null']);

describe.skipIf(!hasScript)('on a terminal', () => {
  it('prints what was read, and leaves nothing', { timeout: 20_000 }, () => {
    const said = terminal(`${COMMAND.replace(' -q', '')} >/dev/null`);
    const lines = said.split('\r\u001b[K').filter((line) => line !== '');
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.length).toBeLessThan(6);
    for (const line of lines) expect(line).toMatch(/^kubeseq: \d+ kB, \d+ kB\/s, [\d,]+ messages$/);
    expect(said.endsWith('\r\u001b[K')).toBe(true);
  });

  it.each(['--no-progress'])('prints nothing with %s', { timeout: 20_000 }, (option) => {
    expect(terminal(`${COMMAND.replace('-q', option)} >/dev/null`)).toBe('');
  });
});

it('prints nothing where the output is no terminal', { timeout: 20_000 }, () => {
  expect(run('bash', ['-c', `exec 2>&1; ${COMMAND.replace(' -q', '')} >/dev/null`])).toBe('');
});
