// The thread that runs a target. What it is about to do stands in shared memory, so that whoever watches it can tell which
// input never came back.

import { setImmediate } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { damagedCapture } from './captures.js';
import { engine } from './engine.js';
import { TARGETS } from './targets.js';

export interface FuzzWork {
  readonly target: string;
  readonly seed: number;
  readonly from: number;
  readonly runs: number;
  /** Inputs are made from their number alone: nothing is learnt, and run N is the same input whatever came before. */
  readonly plain: boolean;
  /** Number of the run; length of its input. */
  readonly state: SharedArrayBuffer;
  readonly input: SharedArrayBuffer;
}

const { target, seed, from, runs, plain, state, input } = workerData as FuzzWork;
const counters = (globalThis as { __reached?: Uint8Array }).__reached ?? null;
const chosen = targetNamed(target);
const numbers = new Int32Array(state);
const bytes = new Uint8Array(input);
const machine = plain && target === 'capture' ? null : engine(chosen, counters, seed);
let slowest = 0;
let slowestRun = 0;
let most = 0;

void fuzz();

async function fuzz(): Promise<void> {
  for (let run = from; run < from + runs; run++) {
    const data = machine === null ? Buffer.from(damagedCapture(seed + run)) : machine.next(run);
    bytes.set(data.subarray(0, bytes.length));
    numbers[1] = data.length;
    Atomics.store(numbers, 0, run);
    const began = process.cpuUsage();
    try {
      chosen.fuzz(data);
    } catch (error) {
      parentPort!.postMessage({
        kind: 'found',
        run,
        data: Uint8Array.from(data),
        what: String((error as Error).stack ?? error),
      });
    }
    // CPU time: a busy machine makes every input slow.
    const { user, system } = process.cpuUsage(began);
    const took = (user + system) / 1000;
    if (took > slowest) [slowest, slowestRun] = [took, run];
    machine?.learn(data);
    if (run % 128 === 0) {
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      most = Math.max(most, heapUsed + arrayBuffers);
      parentPort!.postMessage({ kind: 'at', run, ...soFar() });
      // zlib lets go of what failed in the next turn of the event loop; whoever reads captures has one with each chunk.
      await setImmediate();
    }
  }
  parentPort!.postMessage({ kind: 'over', ...soFar() });
}

function soFar() {
  return { slowest, slowestRun, most, corpus: machine?.corpus ?? 0, reached: machine?.reached ?? 0 };
}

function targetNamed(wanted: string): (typeof TARGETS)[number] {
  const found = TARGETS.find(({ name }) => name === wanted);
  if (found === undefined) throw new Error(`no target ${wanted}`);
  return found;
}
