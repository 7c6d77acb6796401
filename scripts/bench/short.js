// npm run bench:short: the bench as a habit, in half a minute. Machines differ, so no time is compared: kubeseq's CPU time is
// divided by that of a yardstick, a program of the same kind of work in the same run (frames read, JSON parsed and written,
// bytes copied), in turns. Where such a ratio is above the one that was recorded, it warns; it never fails.
//
//   npm run bench:short [-- --size MB] [--rounds N] [--only plain,tls,etcd] [--record] [--recorded FILE]

import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CASES, captureOfCase, fixture, ROOT } from './cases.js';
import { multiply } from './multiply.js';
import { flag, machine, median, option, table } from './page.js';

const KUBESEQ = option('kubeseq', join(ROOT, 'bin/kubeseq.js'));
const YARDSTICK = join(ROOT, 'scripts/bench/yardstick.js');
const RECORDED = option('recorded', join(ROOT, 'scripts/bench/recorded.json'));
const SIZE = Number(option('size', '12')) * 1e6;
const ONLY = option('only', CASES.map(({ name }) => name).join(',')).split(',');
const ROUNDS = Number(option('rounds', '3'));
/** How much above the recorded ratio is no accident: twice what ratios differ by between runs on a busy machine. */
const SLACK = 1.25;

/** Says at its end what a program took. */
const REPORT = `data:text/javascript,${encodeURIComponent(
  `import { writeSync } from 'node:fs';
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  writeSync(2, 'cpu ' + (user + system) + '\\n');
});`,
)}`;

const folder = mkdtempSync(join(tmpdir(), 'kubeseq-short-'));
try {
  const recorded = JSON.parse(readFileSync(RECORDED, 'utf8'));
  const ratios = /** @type {Record<string, number>} */ ({});
  const rows = [];
  for (const one of CASES) {
    if (!ONLY.includes(one.name)) continue;
    const ratio = ratioOf(one);
    ratios[one.name] = Number(ratio.toFixed(2));
    const before = recorded[one.name];
    const change =
      before === undefined ? 'new' : `${ratio >= before ? '+' : ''}${((ratio / before - 1) * 100).toFixed(0)} %`;
    rows.push([one.title, before?.toFixed(2) ?? '', ratio.toFixed(2), change]);
    if (before !== undefined && ratio > before * SLACK) warn(one.title, before, ratio);
  }
  const text = `${machine('bench:short')}\n\n${table(['capture', 'recorded:', 'now:', 'change:'], rows)}\n`;
  process.stdout.write(`CPU time of kubeseq messages in yardsticks (scripts/bench/yardstick.js). ${text}`);
  const summary = process.env.GITHUB_STEP_SUMMARY;
  if (summary) appendFileSync(summary, `### kubeseq in yardsticks\n\n${text}`);
  if (flag('record')) writeFileSync(RECORDED, `${JSON.stringify(ratios, null, 2)}\n`);
} finally {
  rmSync(folder, { recursive: true });
}

/** Median over the rounds of kubeseq's CPU time divided by the yardstick's. @param {import('./cases.js').Case} one */
function ratioOf(one) {
  const file = join(folder, `${one.name}.pcap`);
  multiply(captureOfCase(one), SIZE, file);
  const keys = join(folder, `${one.name}.keys`);
  if (one.keys) writeFileSync(keys, fixture(`${one.fixture}/keys.log`));
  const kubeseq = [KUBESEQ, 'messages', file, '-o', 'ndjson', '-q', ...(one.keys ? ['--keylog', keys] : [])];
  const rounds = Array.from(
    { length: ROUNDS },
    () => cpuOf(kubeseq) / cpuOf([YARDSTICK, file, ...(one.keys ? ['aes'] : [])]),
  );
  rmSync(file);
  return median(rounds);
}

/** User and system time of a program of node's, in µs, its start included. */
function cpuOf(/** @type {readonly string[]} */ args) {
  const { status, stderr } = spawnSync(process.execPath, ['--import', REPORT, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said = /cpu (\d+)\n$/.exec(stderr);
  if (status !== 0 || said === null) throw new Error(`${args.join(' ')} ended with status ${status}: ${stderr}`);
  return Number(said[1]);
}

function warn(/** @type {string} */ title, /** @type {number} */ before, /** @type {number} */ now) {
  const said = `${title}: ${now.toFixed(2)} yardsticks instead of ${before.toFixed(2)} (scripts/bench/recorded.json)`;
  process.stdout.write(
    process.env.GITHUB_ACTIONS === 'true'
      ? `::warning title=Slower than recorded::${said}\n`
      : `warning: slower than recorded: ${said}\n`,
  );
}
