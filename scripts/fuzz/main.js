// npm run fuzz: feeds the parsers what nobody would send. Every target for some seconds, guided by what its inputs reach;
// or, by number, captures that something happened to, each made of its number alone.
//
//   npm run fuzz [-- --seconds N] [--target NAME] [--seed N]
//   npm run fuzz -- --captures 100000 [--seed N] [--from N]    so many, from number N on

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { bundle, ROOT } from './bundle.js';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    target: { type: 'string', default: '' },
    seed: { type: 'string', default: '1' },
    captures: { type: 'string', default: '0' },
    from: { type: 'string', default: '0' },
  },
});
const captures = Number(values.captures);
/** A run that takes longer is taken for one that never ends. */
const HANG_MS = 10_000;
const MEMORY_MB = 512;
const FOUND = join(ROOT, 'fuzz-found');
const folder = mkdtempSync(join(tmpdir(), 'kubeseq-fuzz-'));
let findings = 0;
/** The places that they come from: of each kind the first is told. */
const kinds = new Set();
try {
  const script = join(folder, 'worker.cjs');
  const places = await bundle('test/kit/fuzz/worker.ts', script, { counted: captures === 0 });
  if (captures > 0) {
    const done = await run(
      script,
      { target: 'capture', plain: true, runs: captures, from: Number(values.from) },
      Infinity,
    );
    const numbers = `${values.from} to ${Number(values.from) + done.runs - 1}`;
    say(`damaged captures ${numbers} of seed ${values.seed}: ${count()}; ${words(done)}`);
  } else {
    await bundle('test/kit/fuzz/names.ts', join(folder, 'names.cjs'), { counted: false });
    const { createRequire } = await import('node:module');
    const { NAMES } = createRequire(import.meta.url)(join(folder, 'names.cjs'));
    const names = values.target === '' ? NAMES : [values.target];
    say(`${places} places are counted`);
    for (const target of names) {
      const done = await run(script, { target, plain: false, runs: 1e9, from: 0 }, Number(values.seconds));
      say(`${target.padEnd(10)} ${words(done)}`);
    }
    say(count());
  }
} finally {
  rmSync(folder, { recursive: true });
}
process.exitCode = findings > 0 ? 1 : 0;

/** One target in a thread that is ended when its time is over, or when one input takes longer than 10 s. */
function run(script, work, seconds) {
  const state = new SharedArrayBuffer(8);
  const input = new SharedArrayBuffer(1 << 21);
  const began = performance.now();
  let last = { runs: 0, slowest: 0, slowestRun: 0, most: 0, corpus: 0, reached: 0 };
  return new Promise((resolve) => {
    const worker = new Worker(script, {
      workerData: { ...work, seed: Number(values.seed), state, input },
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    const numbers = new Int32Array(state);
    let seen = -1;
    let since = 0;
    let told = performance.now();
    const timer = setInterval(() => {
      const at = Atomics.load(numbers, 0);
      const now = performance.now();
      // CPU time: a busy machine makes everybody slow.
      const used = process.cpuUsage().user / 1000;
      if (at !== seen) [seen, since] = [at, used];
      else if (used - since > HANG_MS && at > 0) {
        found(at, `no answer for ${HANG_MS / 1000} s`);
        finish();
      }
      if (now - told > 60_000) {
        told = now;
        say(`  … run ${at}, ${words({ ...last, runs: at - work.from, seconds: (now - began) / 1000 })}`);
      }
      if (now - began > seconds * 1000) finish();
    }, 200);
    const found = (run, text, data = Uint8Array.from(new Uint8Array(input).subarray(0, numbers[1]))) => {
      findings += 1;
      const what = text
        .split('\n')
        .filter((line) => !line.includes('node:internal'))
        .slice(0, 8)
        .join('\n');
      const places = `${work.target} ${what.replaceAll(/\d+/g, '')}`;
      if (kinds.has(places)) return;
      kinds.add(places);
      mkdirSync(FOUND, { recursive: true });
      const file = join(FOUND, `${work.target}-${values.seed}-${run}`);
      writeFileSync(file, data);
      say(`  ${work.target}, run ${run}: ${what}\n  its input: ${file}`);
    };
    const finish = () => {
      clearInterval(timer);
      const runs = Atomics.load(numbers, 0) - work.from + 1;
      worker.terminate().then(() => resolve({ ...last, runs, seconds: (performance.now() - began) / 1000 }));
    };
    worker.on('message', (message) => {
      if (message.kind === 'found') found(message.run, message.what, message.data);
      else last = message;
      if (message.kind === 'over') finish();
    });
    worker.on('error', (error) => {
      found(Atomics.load(numbers, 0), String(error.stack ?? error));
      finish();
    });
  });
}

function words({ runs, seconds, slowest, slowestRun, most, corpus, reached }) {
  const learnt = corpus > 0 ? `, ${corpus} inputs kept, ${reached} places reached` : '';
  return `${runs} runs in ${seconds.toFixed(0)} s, the slowest ${slowest.toFixed(0)} ms of CPU time (run ${slowestRun}), ${Math.round(most / 1e6)} MB at most${learnt}`;
}

function count() {
  return findings === 0 ? '0 findings' : `${findings} findings of ${kinds.size} kinds`;
}

function say(text) {
  process.stdout.write(`${text}\n`);
}
