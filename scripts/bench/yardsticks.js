// Measures the CPU time of a command of kubeseq in yardsticks: machines differ, so it is divided by that of a program of the same kind of
// work (yardstick.js) in the same run, in turns.

import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { captureOfCase, fixture, ROOT } from './cases.js';
import { multiply } from './multiply.js';
import { median } from './page.js';

const YARDSTICK = join(ROOT, 'scripts/bench/yardstick.js');

/** Says at its end what a program took: µs of user and system time, KiB that were resident at most. */
const REPORT = `data:text/javascript,${encodeURIComponent(
  `import { existsSync, readFileSync, writeSync } from 'node:fs';
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  const peak = existsSync('/proc/self/status')
    ? /VmHWM:\\s*(\\d+) kB/.exec(readFileSync('/proc/self/status', 'latin1'))[1]
    : process.resourceUsage().maxRSS;
  writeSync(2, 'took ' + (user + system) + ' ' + peak + '\\n');
});`,
)}`;

/**
 * @param {import('./cases.js').Case} one
 * @param {{ folder: string, size: number, rounds: number, kubeseq?: string, args: readonly string[] }} how `size`: bytes that the fixture is
 *   multiplied to; `args`: the command, without its capture and keys.
 * @returns {number} median over the rounds of kubeseq's CPU time divided by the yardstick's.
 */
export function inYardsticks(one, { folder, size, rounds, kubeseq, args }) {
  const { file, keys } = inputsOf(one, folder, size);
  const command = [kubeseq ?? join(ROOT, 'bin/kubeseq.js'), ...args, file, ...keys];
  const ratios = Array.from(
    { length: rounds },
    () => taken(command).cpu / taken([YARDSTICK, file, ...(one.keys ? ['aes'] : [])]).cpu,
  );
  rmSync(file);
  return median(ratios);
}

/**
 * @param {import('./cases.js').Case} one
 * @param {{ folder: string, size: number, args: readonly string[] }} how as above
 * @returns {number} MiB that the command had resident at most.
 */
export function peakOf(one, { folder, size, args }) {
  const { file, keys } = inputsOf(one, folder, size);
  const { peak } = taken([join(ROOT, 'bin/kubeseq.js'), ...args, file, ...keys]);
  rmSync(file);
  return peak / 1024;
}

/** @returns {number} seconds of CPU time of the yardstick alone, on a capture of `size` bytes. */
export function yardstickSeconds(one, { folder, size }) {
  const { file } = inputsOf(one, folder, size);
  const { cpu } = taken([YARDSTICK, file]);
  rmSync(file);
  return cpu / 1e6;
}

function inputsOf(one, folder, size) {
  const file = join(folder, `${one.name}.pcap`);
  multiply(captureOfCase(one), size, file);
  if (!one.keys) return { file, keys: [] };
  const keys = join(folder, `${one.name}.keys`);
  writeFileSync(keys, fixture(`${one.fixture}/keys.log`));
  return { file, keys: ['--keylog', keys] };
}

/** What a program of Node.js takes, its start included: µs, KiB. */
function taken(/** @type {readonly string[]} */ args) {
  const { status, stderr } = spawnSync(process.execPath, ['--import', REPORT, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, SSLKEYLOGFILE: '' },
  });
  const said = /took (\d+) (\d+)\n$/.exec(stderr);
  if (status !== 0 || said === null) throw new Error(`${args.join(' ')} ended with status ${status}: ${stderr}`);
  return { cpu: Number(said[1]), peak: Number(said[2]) };
}
