// Runs a command while its memory is watched, fed through a pipe where it is given traffic. Knows /proc of Linux; elsewhere
// `ps` says what is resident, and the peak is that of the samples.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { statusOf } from './process-status.js';

/**
 * @typedef {object} Watched
 * @property {number} seconds wall time.
 * @property {number} peak MB resident at most.
 * @property {{ packets: number, rss: number }[]} samples MB resident when so many packets were written to its pipe.
 * @property {number} packets
 * @property {number} bytes that were piped.
 * @property {string} said the end of what it wrote to standard error.
 *
 * @param {readonly string[]} command program and arguments; its output goes nowhere.
 * @param {Iterable<import('./traffic.js').Piece>} [traffic] its standard input.
 * @returns {Promise<Watched>} rejects where the command fails.
 */
export async function watched(command, traffic) {
  const nowhere = openSync('/dev/null', 'w');
  const start = process.hrtime.bigint();
  const child = spawn(command[0], command.slice(1), { stdio: [traffic ? 'pipe' : 'ignore', nowhere, 'pipe'] });
  const fed = { packets: 0, bytes: 0 };
  const samples = /** @type {Watched['samples']} */ ([]);
  let peak = 0;
  let said = '';
  child.stderr.on('data', (text) => {
    said = (said + text).slice(-SAID);
  });
  const timer = setInterval(() => {
    const now = memoryOf(/** @type {number} */ (child.pid));
    if (now === null) return;
    peak = Math.max(peak, now.peak);
    samples.push({ packets: fed.packets, rss: now.rss });
  }, SAMPLE_MS);
  try {
    const ended = once(child, 'close');
    // A command that ends early is told by its status.
    child.stdin?.on('error', () => {});
    if (traffic) await feed(/** @type {import('node:stream').Writable} */ (child.stdin), traffic, fed);
    const [status] = await ended;
    if (status !== 0) throw new Error(`${command.join(' ')} ended with status ${status}: ${said}`);
  } finally {
    clearInterval(timer);
    closeSync(nowhere);
  }
  return { seconds: Number(process.hrtime.bigint() - start) / 1e9, peak, samples, ...fed, said };
}

/** @param {import('node:stream').Writable} into */
async function feed(into, /** @type {Iterable<import('./traffic.js').Piece>} */ traffic, fed) {
  for (const { bytes, packets } of traffic) {
    if (into.destroyed) return;
    // A piece is valid until the next is asked for: whatever the pipe has not taken yet is copied.
    if (!into.write(Uint8Array.from(bytes))) await drained(into);
    fed.packets += packets;
    fed.bytes += bytes.length;
  }
  into.end();
}

/** Resolves when there is room again, or nobody reads any more. */
function drained(/** @type {import('node:stream').Writable} */ into) {
  return new Promise((resolve) => {
    const done = () => {
      into.off('drain', done).off('close', done);
      resolve(undefined);
    };
    into.on('drain', done).on('close', done);
  });
}

/** @returns {{ rss: number, peak: number } | null} MB; null where it is over. */
function memoryOf(/** @type {number} */ pid) {
  try {
    if (!existsSync('/proc/self/status')) {
      const rss = Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1000;
      return { rss, peak: rss };
    }
    const of = statusOf(pid);
    const [rss, peak] = [of('VmRSS'), of('VmHWM')];
    return Number.isNaN(rss) ? null : { rss, peak };
  } catch {
    return null;
  }
}

const SAMPLE_MS = 50;
/** Characters of standard error that are kept: its notices. */
const SAID = 65536;
