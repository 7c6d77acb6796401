// npm run bench:stages: what the parts of the pipeline take: each run goes one part further than the one
// before. With `--write` into docs/performance.md.
//
//   npm run bench:stages [-- --size MB] [--rounds N] [--only plain,tls,etcd] [--write]

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CASES, captureOfCase, fixture, ROOT } from './cases.js';
import { multiply } from './multiply.js';
import { machine, median, option, publish, table } from './page.js';

const SIZE = Number(option('size', '210')) * 1e6;
const ROUNDS = Number(option('rounds', '3'));
const ONLY = option('only', CASES.map(({ name }) => name).join(',')).split(',');
/** As bin/kubeseq.js has them. */
const FLAGS = ['--heap-growing-percent=80', '--semi-space-growth-factor=6'];
const PARTS = {
  captureReader: 'frames',
  TcpStage: 'bytes of connections',
  ExchangeStage: 'exchanges',
  MessageStage: 'messages',
  writeMessage: 'lines',
};

const folder = mkdtempSync(join(tmpdir(), 'kubeseq-stages-'));
try {
  const about = machine('bench:stages');
  const rows = CASES.filter(({ name }) => ONLY.includes(name)).flatMap(rowsOf);
  const head = ['capture', 'up to', 's:', 'more than the row above:'];
  publish(`${about} Medians of ${ROUNDS}.\n\n${table(head, rows)}`, 'docs/performance.md', 'stages');
} finally {
  rmSync(folder, { recursive: true });
}

/** @param {import('./cases.js').Case} one @returns {string[][]} */
function rowsOf(one) {
  const file = join(folder, `${one.name}.pcap`);
  const keys = join(folder, `${one.name}.keys`);
  multiply(captureOfCase(one), SIZE, file);
  writeFileSync(keys, one.keys ? fixture(`${one.fixture}/keys.log`) : '');
  const times = Object.keys(PARTS).map(() => /** @type {number[]} */ ([]));
  for (let round = 0; round < ROUNDS; round++) {
    Object.keys(PARTS).forEach((part, i) => {
      const command = [...FLAGS, join(ROOT, 'scripts/bench/part.js'), part, file, keys];
      times[i].push(Number(execFileSync(process.execPath, command, { encoding: 'utf8' })));
    });
  }
  rmSync(file);
  const medians = times.map(median);
  return Object.entries(PARTS).map(([part, title], i) => [
    i === 0 ? `${one.title}, ${SIZE / 1e6} MB` : '',
    `${title} (\`${part}\`)`,
    medians[i].toFixed(2),
    (medians[i] - (medians[i - 1] ?? 0)).toFixed(2),
  ]);
}
