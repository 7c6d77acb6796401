// npm run bombs: what the captures of test/kit/bombs.ts cost, beside as many bytes of ordinary traffic. Each is written to a
// file, read by `kubeseq messages` and `kubeseq summary`, and compared in CPU time and memory.
//
//   npm run bombs [-- --only TEXT] [--scale N] [--write]    --write: the table goes into docs/reliability.md, too
//   npm run bombs -- --growth [--write]                     how the cost of test/kit/growth.ts grows with its size

import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { multiply } from '../bench/multiply.js';
import { put } from '../bench/page.js';
import { run } from '../bench/run.js';
import { bundle, ROOT } from './bundle.js';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    scale: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
    growth: { type: 'boolean', default: false },
  },
});
const KUBESEQ = [process.execPath, join(ROOT, 'bin/kubeseq.js')];
const PAGE = join(ROOT, 'docs/reliability.md');
/** What docs/reliability.md claims. */
const MOST_WORK = 10;
const MOST_MORE_MB = 256;
const MOST_EXPONENT = 1.1;
const folder = mkdtempSync(join(tmpdir(), 'kubeseq-bombs-'));
const lines = [];
const broken = [];
try {
  if (values.growth) await measureGrowth();
  else await measureBombs();
  if (values.write) written(values.growth ? 'growth' : 'bombs');
} finally {
  rmSync(folder, { recursive: true });
}
for (const what of broken) process.stderr.write(`bombs: ${what}\n`);
process.exitCode = broken.length > 0 ? 1 : 0;

async function measureBombs() {
  await bundle('test/kit/bombs.ts', join(folder, 'bombs.cjs'), { counted: false });
  const { BOMBS } = createRequire(import.meta.url)(join(folder, 'bombs.cjs'));
  const ordinary = gunzipSync(readFileSync(join(ROOT, 'fixtures/run-nginx-http1/capture.pcap.gz')));
  say('| bomb | MB | CPU s | ordinary CPU s | times as much work | peak MB | ordinary peak MB | said |');
  say('| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |');
  for (const bomb of BOMBS) if (bomb.name.includes(values.only)) await measure(bomb, ordinary);
}

async function measureGrowth() {
  await bundle('test/kit/growth.ts', join(folder, 'growth.cjs'), { counted: false });
  const { GROWTHS, costs, reading } = createRequire(import.meta.url)(join(folder, 'growth.cjs'));
  say('| what grows | n | CPU ms at n | at 8 n | exponent |');
  say('| --- | ---: | ---: | ---: | ---: |');
  for (const growth of GROWTHS) {
    if (!growth.name.includes(values.only)) continue;
    const { name, n } = growth;
    const { once, eightTimes, power } = costs(reading(growth), n, MOST_EXPONENT, 5);
    if (power > MOST_EXPONENT) broken.push(`${name}: grows with the power ${power.toFixed(2)}`);
    say(`| ${name} | ${n} | ${once.toFixed(0)} | ${eightTimes.toFixed(0)} | ${power.toFixed(2)} |`);
  }
}

async function measure(bomb, ordinary) {
  const file = join(folder, 'bomb');
  const handle = openSync(file, 'w');
  for (const piece of bomb.file(Number(values.scale))) writeSync(handle, piece);
  closeSync(handle);
  const bytes = statSync(file).size;
  const plain = join(folder, 'ordinary.pcap');
  multiply(ordinary, Math.max(bytes, ordinary.length), plain);
  const messages = [...KUBESEQ, 'messages', '-o', 'ndjson', '-q', ...(bomb.args ?? [])];
  const said = join(folder, 'summary.json');
  const usual = await run([...messages, plain]);
  const cost = await run([...messages, file]);
  const summary = await run([...KUBESEQ, 'summary', '-q', '-o', 'json', '-w', said, file]);
  if (usual.cpu === null || cost.cpu === null) throw new Error('CPU times need GNU time: apt-get install time');
  const notices = Object.keys(JSON.parse(readFileSync(said, 'utf8')).notices);
  const ratio = cost.cpu / usual.cpu;
  const peak = Math.max(cost.peak, summary.peak);
  if (bomb.notice !== null && !notices.includes(bomb.notice)) broken.push(`${bomb.name}: no ${bomb.notice}`);
  if (ratio > (bomb.work ?? MOST_WORK)) broken.push(`${bomb.name}: ${ratio.toFixed(1)} times as much work`);
  if (peak - usual.peak > MOST_MORE_MB) broken.push(`${bomb.name}: ${(peak - usual.peak).toFixed(0)} MB more`);
  const figures = [
    (bytes / 1e6).toFixed(1),
    cost.cpu.toFixed(2),
    usual.cpu.toFixed(2),
    ratio.toFixed(1),
    peak.toFixed(0),
    usual.peak.toFixed(0),
  ];
  say(`| ${bomb.name} | ${figures.join(' | ')} | ${bomb.notice === null ? '' : `\`${bomb.notice}\``} |`);
}

/** The table between its markers. A part of it is not what the page claims. */
function written(name) {
  if (values.only !== '' || values.scale !== '1') throw new Error('--write needs every bomb at its full size');
  put(lines.join('\n'), PAGE, name);
}

function say(text) {
  lines.push(text);
  process.stdout.write(`${text}\n`);
}
