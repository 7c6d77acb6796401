// Judges a change that is to change no behaviour: keeps what kubeseq prints of every fixture, and compares it with what was kept
// before, modulo the words in scripts/outputs/renamed.json.
//
//   npm run build && npm run outputs -- keep DIR [FIXTURE...]
//   npm run outputs -- compare BEFORE AFTER
//
// `keep` writes a file for each command (messages, summary, diagrams, the stories' objects, checks), with its exit status.
// `compare` prints the lines that differ and exits with 1 if there are any.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, resolve } from 'node:path';
import { differences, renaming } from './outputs/compare.js';
import { fixtureNames, ROOT, runsOf } from './outputs/runs.js';

const [verb, ...args] = process.argv.slice(2);
if (verb === 'keep' && args.length > 0) await keep(args[0], args.slice(1));
else if (verb === 'compare' && args.length === 2) compare(args[0], args[1]);
else {
  console.error('usage: npm run outputs -- keep DIR [FIXTURE...] | compare BEFORE AFTER');
  process.exitCode = 2;
}

async function keep(folder, fixtures) {
  const runs = (fixtures.length > 0 ? fixtures : fixtureNames()).flatMap(runsOf);
  const waiting = [...runs];
  const worker = async () => {
    for (let run = waiting.shift(); run !== undefined; run = waiting.shift()) {
      const path = resolve(folder, run.name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, await outputOf(run.args));
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  console.log(`${runs.length} outputs`);
}

/** Standard output, then standard error and the exit status. */
function outputOf(args) {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, ['bin/kubeseq.js', ...args], {
      cwd: ROOT,
      env: { ...process.env, SSLKEYLOGFILE: '' },
    });
    const out = [];
    const err = [];
    child.stdout.on('data', (bytes) => out.push(bytes));
    child.stderr.on('data', (bytes) => err.push(bytes));
    child.on('error', fail);
    child.on('close', (status) => done(Buffer.concat([...out, ...err, Buffer.from(`exit status ${status}\n`)])));
  });
}

function compare(before, after) {
  const rename = renaming(JSON.parse(readFileSync(new URL('outputs/renamed.json', import.meta.url), 'utf8')));
  const found = differences(resolve(before), resolve(after), rename);
  for (const { name, lines } of found) console.log(`${name}\n${lines.map((line) => `  ${line}`).join('\n')}`);
  console.log(`${found.length} outputs differ`);
  if (found.length > 0) process.exitCode = 1;
}
