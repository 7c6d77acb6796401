// npm run bench:long: how the time of kubeseq grows with the capture. Three fixtures are multiplied, then eight times as much; one
// table of medians is printed: with `--write` into docs/performance.md. `saved` is an export beside its capture (saved.js), `diagram`
// one story in captures of up to 4 GB (diagram.js).
//
//   npm run bench:long [-- --size MB] [--growth N] [--rounds N] [--only plain,tls,etcd,saved,diagram] [--kubeseq PATH] [--write]

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CASES, captureOfCase, fixture, ROOT } from './cases.js';
import { diagramBench } from './diagram.js';
import { multiply } from './multiply.js';
import { machine, median, option, power, publish, table, thousands } from './page.js';
import { run } from './run.js';
import { savedBench } from './saved.js';

const KUBESEQ = option('kubeseq', join(ROOT, 'bin/kubeseq.js'));
const SIZE = Number(option('size', '210')) * 1e6;
/** Of the capture that a diagram is drawn of; then four times as much. */
const STORY_SIZE = Number(option('story-size', '1000')) * 1e6;
const GROWTH = Number(option('growth', '8'));
const ROUNDS = Number(option('rounds', '3'));
const ONLY = option('only', [...CASES.map(({ name }) => name), 'saved', 'diagram'].join(',')).split(',');
/** Power with which time may grow. */
const LIMIT = 1.05;

const folder = mkdtempSync(join(tmpdir(), 'kubeseq-bench-'));
try {
  const cases = CASES.filter(({ name }) => ONLY.includes(name));
  if (cases.length > 0) {
    const about = machine('bench:long');
    const rows = [];
    for (const one of cases) rows.push(...(await grown(one)));
    const head = ['capture', 'MB:', 's:', 'CPU s:', 'MB/s:', 'µs a message:', 'peak MB:', 'growth'];
    const text = `${about}\nMedians of ${ROUNDS} ${ROUNDS === 1 ? 'run' : 'runs, in turns'}.\n\n${table(head, rows)}`;
    publish(text, 'docs/performance.md', 'growth');
  }
} finally {
  rmSync(folder, { recursive: true });
}
if (ONLY.includes('saved'))
  publish(await savedBench({ kubeseq: KUBESEQ, size: SIZE, rounds: ROUNDS }), 'docs/performance.md', 'saved');
if (ONLY.includes('diagram'))
  publish(await diagramBench({ kubeseq: KUBESEQ, size: STORY_SIZE, rounds: ROUNDS }), 'docs/performance.md', 'diagram');

/** @param {import('./cases.js').Case} one @returns {Promise<string[][]>} a row for the capture, and one for the longer one. */
async function grown(one) {
  const capture = captureOfCase(one);
  const keys = join(folder, `${one.name}.keys`);
  if (one.keys) writeFileSync(keys, fixture(`${one.fixture}/keys.log`));
  const command = (/** @type {string} */ path) => [
    ...[process.execPath, KUBESEQ, 'messages', '-o', 'ndjson', '-q'],
    ...[...(one.keys ? ['--keylog', keys] : []), path],
  ];
  const single = join(folder, `${one.name}-single.pcap`);
  writeFileSync(single, capture);
  const files = [SIZE, SIZE * GROWTH].map((size) => {
    const path = join(folder, `${one.name}-${size}.pcap`);
    return { path, ...multiply(capture, size, path), runs: /** @type {import('./run.js').Run[]} */ ([]) };
  });
  const begins = [];
  for (let round = 0; round < ROUNDS; round++) {
    begins.push((await run(command(single))).seconds);
    for (const { path, runs } of files) runs.push(await run(command(path)));
  }
  const measured = files.map(({ path, bytes, runs }) => ({
    bytes,
    messages: lines(command(path)),
    seconds: median(runs.map(({ seconds }) => seconds)),
    cpu: median(runs.map(({ cpu }) => cpu ?? Number.NaN)),
    peak: median(runs.map(({ peak }) => peak ?? Number.NaN)),
  }));
  for (const { path } of files) rmSync(path);
  const [first, more] = measured;
  // What the process takes to begin is no cost of the capture.
  const begin = median(begins);
  const cost = (more.seconds - begin) / (first.seconds - begin);
  const [perMessage, perByte] = [more.messages / first.messages, more.bytes / first.bytes].map((by) => power(cost, by));
  const verdict = Math.max(perMessage, perByte) <= LIMIT ? 'met' : '**missed**';
  return measured.map(({ bytes, messages, seconds, cpu, peak }) => [
    bytes === first.bytes ? one.title : '',
    (bytes / 1e6).toFixed(0),
    seconds.toFixed(2),
    cpu.toFixed(2),
    (bytes / 1e6 / seconds).toFixed(0),
    `${((seconds / messages) * 1e6).toFixed(1)} of ${thousands(messages)}`,
    peak.toFixed(0),
    bytes === first.bytes
      ? ''
      : `power ${perMessage.toFixed(2)} a message, ${perByte.toFixed(2)} a byte; at most ${LIMIT}: ${verdict}`,
  ]);
}

/** Lines that a command prints, counted while it runs: they may be more than fit into one text. */
function lines(/** @type {readonly string[]} */ command) {
  const shell = `${command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')} | wc -l`;
  return Number(execFileSync('sh', ['-c', shell], { encoding: 'utf8' }));
}
