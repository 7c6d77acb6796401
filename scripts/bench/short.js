// npm run bench:short: the bench as a habit, in half a minute. Machines differ, so no time is compared: kubeseq's CPU time is
// divided by that of a yardstick, a program of the same kind of work in the same run (frames read, JSON parsed and written,
// bytes copied), in turns. Where such a ratio is above the one that was recorded, it warns; it never fails.
//
// recorded.json has a row for each week in which `--record` was given, the latest last: small steps add up, and are seen.
//
//   npm run bench:short [-- --size MB] [--rounds N] [--only plain,tls,etcd] [--record] [--recorded FILE]

import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CASES, ROOT } from './cases.js';
import { flag, machine, option, table } from './page.js';
import { inYardsticks } from './yardsticks.js';

const KUBESEQ = option('kubeseq', join(ROOT, 'bin/kubeseq.js'));
const RECORDED = option('recorded', join(ROOT, 'scripts/bench/recorded.json'));
const SIZE = Number(option('size', '12')) * 1e6;
const ONLY = option('only', CASES.map(({ name }) => name).join(',')).split(',');
const ROUNDS = Number(option('rounds', '3'));
const MESSAGES = ['messages', '-o', 'ndjson', '-q'];
/** How much above the recorded ratio is no accident: twice what ratios differ by between runs on a busy machine. */
const SLACK = 1.25;

const folder = mkdtempSync(join(tmpdir(), 'kubeseq-short-'));
try {
  const weeks = JSON.parse(readFileSync(RECORDED, 'utf8'));
  const recorded = weeks.at(-1);
  const first = weeks[0];
  const ratios = /** @type {Record<string, number>} */ ({});
  const rows = [];
  for (const one of CASES) {
    if (!ONLY.includes(one.name)) continue;
    const ratio = inYardsticks(one, { folder, size: SIZE, rounds: ROUNDS, kubeseq: KUBESEQ, args: MESSAGES });
    ratios[one.name] = Number(ratio.toFixed(2));
    const before = recorded[one.name];
    const change =
      before === undefined ? 'new' : `${ratio >= before ? '+' : ''}${((ratio / before - 1) * 100).toFixed(0)} %`;
    const since = first[one.name] === undefined ? '' : `${first[one.name].toFixed(2)} (${first.week})`;
    rows.push([one.title, since, before?.toFixed(2) ?? '', ratio.toFixed(2), change]);
    if (before !== undefined && ratio > before * SLACK) warn(one.title, before, ratio);
  }
  const text = `${machine('bench:short')}\n\n${table(['capture', 'first:', 'recorded:', 'now:', 'change:'], rows)}\n`;
  process.stdout.write(`CPU time of kubeseq messages in yardsticks (scripts/bench/yardstick.js). ${text}`);
  const summary = process.env.GITHUB_STEP_SUMMARY;
  if (summary) appendFileSync(summary, `### kubeseq in yardsticks\n\n${text}`);
  if (flag('record')) {
    const week = mondayOf(new Date());
    const others = weeks.filter((row) => row.week !== week);
    writeFileSync(
      RECORDED,
      `[\n${[...others, { week, ...ratios }].map((row) => `  ${JSON.stringify(row)}`).join(',\n')}\n]\n`,
    );
  }
} finally {
  rmSync(folder, { recursive: true });
}

function warn(/** @type {string} */ title, /** @type {number} */ before, /** @type {number} */ now) {
  const said = `${title}: ${now.toFixed(2)} yardsticks instead of ${before.toFixed(2)} (scripts/bench/recorded.json)`;
  process.stdout.write(
    process.env.GITHUB_ACTIONS === 'true'
      ? `::warning title=Slower than recorded::${said}\n`
      : `warning: slower than recorded: ${said}\n`,
  );
}

/** The Monday of a day's week: `2026-11-23`. */
function mondayOf(/** @type {Date} */ day) {
  const monday = new Date(day);
  monday.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
  return monday.toISOString().slice(0, 10);
}
