// Runs one command to its end and tells what it took. Memory and CPU come from GNU time where it is installed, else the
// peak is what /proc said last.

import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';

/**
 * @typedef {{ seconds: number, cpu: number | null, peak: number | null }} Run wall time and CPU time in s, peak in MB.
 * @param {readonly string[]} command program and arguments; its output goes nowhere.
 * @returns {Promise<Run>} rejects where the command fails.
 */
export function run(command) {
  const withTime = existsSync(TIME);
  const [program, ...rest] = withTime ? [TIME, '-f', `${MARK}%U %S %M`, ...command] : command;
  const nowhere = openSync('/dev/null', 'w');
  return new Promise((resolve, reject) => {
    const start = process.hrtime.bigint();
    const child = spawn(program, rest, { stdio: ['ignore', nowhere, 'pipe'] });
    let errors = '';
    let peak = /** @type {number | null} */ (null);
    child.stderr.on('data', (text) => {
      errors = (errors + text).slice(-4096);
    });
    const poll = withTime
      ? null
      : setInterval(() => {
          peak = peakOf(child.pid) ?? peak;
        }, 20);
    child.on('error', reject);
    child.on('close', (status) => {
      const seconds = Number(process.hrtime.bigint() - start) / 1e9;
      if (poll !== null) clearInterval(poll);
      closeSync(nowhere);
      if (status !== 0) return reject(new Error(`${command.join(' ')} ended with status ${status}: ${errors}`));
      const said = errors
        .slice(errors.lastIndexOf(MARK) + MARK.length)
        .split(' ')
        .map(Number);
      const [user, system, kilobytes] = said;
      resolve(withTime ? { seconds, cpu: user + system, peak: kilobytes / 1000 } : { seconds, cpu: null, peak });
    });
  });
}

/** @param {number | undefined} pid */
function peakOf(pid) {
  try {
    const line = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return line === null ? null : Number(line[1]) / 1000;
  } catch {
    return null;
  }
}

const TIME = '/usr/bin/time';
const MARK = 'kubeseq-bench ';
