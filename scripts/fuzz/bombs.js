// npm run bombs: what the captures of test/bombs.ts cost, beside as many bytes of ordinary traffic. Each is written to a
// file, read by `kubeseq messages`, and compared in CPU time and memory.
//
//   npm run bombs [-- --only TEXT] [--scale N]

import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { multiply } from '../bench/multiply.js';
import { run } from '../bench/run.js';
import { bundle, ROOT } from './bundle.js';

const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, scale: { type: 'string', default: '1' } },
});
const KUBESEQ = [process.execPath, join(ROOT, 'bin/kubeseq.js')];
const folder = mkdtempSync(join(tmpdir(), 'kubeseq-bombs-'));
let worst = 0;
try {
  await bundle('test/bombs.ts', join(folder, 'bombs.cjs'), { counted: false });
  const { BOMBS } = createRequire(import.meta.url)(join(folder, 'bombs.cjs'));
  const ordinary = gunzipSync(readFileSync(join(ROOT, 'fixtures/run-nginx-http1/capture.pcap.gz')));
  say('| bomb | MB | CPU s | ordinary CPU s | times as much work | peak MB | ordinary peak MB | said |');
  say('| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |');
  for (const bomb of BOMBS) {
    if (!bomb.name.includes(values.only)) continue;
    const file = join(folder, 'bomb');
    const handle = openSync(file, 'w');
    for (const piece of bomb.file(Number(values.scale))) writeSync(handle, piece);
    closeSync(handle);
    const bytes = statSync(file).size;
    const plain = join(folder, 'ordinary.pcap');
    multiply(ordinary, Math.max(bytes, ordinary.length), plain);
    const messages = [...KUBESEQ, 'messages', '-o', 'ndjson', '-q'];
    const usual = await run([...messages, plain]);
    const cost = await run([...messages, file]);
    const summary = spawnSync(KUBESEQ[0], [KUBESEQ[1], 'summary', '-o', 'json', file], {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    });
    const notices = Object.keys(JSON.parse(summary.stdout).notices);
    const missing = bomb.notice !== null && !notices.includes(bomb.notice) ? `**${bomb.notice} is missing**` : '';
    const ratio = cost.cpu / usual.cpu;
    worst = Math.max(worst, ratio);
    const figures = [
      (bytes / 1e6).toFixed(1),
      cost.cpu.toFixed(2),
      usual.cpu.toFixed(2),
      ratio.toFixed(1),
      cost.peak.toFixed(0),
      usual.peak.toFixed(0),
    ];
    say(`| ${bomb.name} | ${figures.join(' | ')} | ${missing}${bomb.notice === null ? '' : `\`${bomb.notice}\``} |`);
  }
} finally {
  rmSync(folder, { recursive: true });
}

function say(text) {
  process.stdout.write(`${text}\n`);
}
