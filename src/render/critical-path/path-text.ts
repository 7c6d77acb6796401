// Renders critical paths as text for a terminal: a row a leg, with a bar for its share.

import { elapsedText } from '../../core/duration.js';
import type { CriticalPath, PathLeg } from '../../critical-path/model.js';
import type { DurationSummary, PathStatistics } from '../../critical-path/path-statistics.js';
import { escapeTerminal } from '../escape/terminal-escape.js';
import { formatOffset } from '../time.js';
import {
  besideWords,
  MOST_OTHERS,
  objectWords,
  pathHead,
  pathSpan,
  percentOf,
  rankNote,
  STEP_WORDS,
  shareText,
  statisticsHead,
} from './path-words.js';

/** @param first ns since the epoch: the first frame of the captures, zero of the printed times. */
export function renderPathText(paths: readonly CriticalPath[], first: bigint): string {
  return paths.map((path) => `${lines(path, first).join('\n')}\n`).join('\n');
}

function lines(path: CriticalPath, first: bigint): string[] {
  const { legs, warnings, beside } = path;
  const span = pathSpan(path);
  const names = legs.map(({ who }) => escapeTerminal(who));
  const width = Math.max(3, ...names.map((name) => name.length));
  const rows = legs.map((leg, i) => row(leg, names[i].padEnd(width), path.duration, first));
  return [
    escapeTerminal(pathHead(path, first)),
    ...(span === undefined
      ? []
      : [escapeTerminal(`  ${span}; seconds since the first frame; share of ${elapsedText(path.duration)}`)]),
    '',
    `${'seconds'.padStart(11)} ${'took'.padStart(9)}  share ${' '.repeat(BAR)}  ${'who'.padEnd(width)}  what`,
    ...rows,
    '',
    ...warnings.map((line) => escapeTerminal(`Warning Event ${line}`)),
    ...(beside === null ? [] : [besideWords(beside)]),
  ];
}

function row({ from, to, what, duration }: PathLeg, who: string, whole: bigint, first: bigint): string {
  const where = `messages ${from.seq} to ${to.seq}`;
  const took = elapsedText(duration).padStart(9);
  return `${formatOffset(from.time - first).padStart(11)} ${took} ${shareBar(duration, whole)}  ${who}  ${escapeTerminal(what)}, ${where}`;
}

/** @param first ns since the epoch: the first frame of the captures, zero of the printed times. */
export function renderStatisticsText(statistics: PathStatistics, first: bigint): string {
  const text = `${[escapeTerminal(statisticsHead(statistics)), ...table(statistics), ...others(statistics)].join('\n')}\n`;
  return statistics.whole === null
    ? text
    : `${text}\nthe slowest: ${renderPathText([statistics.whole.slowest], first)}`;
}

function shareBar(part: bigint, whole: bigint): string {
  const bar = '█'.repeat(Math.round((percentOf(part, whole) / 100) * BAR));
  return `${shareText(part, whole).padStart(4)} % ${bar.padEnd(BAR)}`;
}

function table(statistics: PathStatistics): string[] {
  const { resource, whole, steps } = statistics;
  if (whole === null) return [];
  const named = [['the whole', whole] as const, ...steps.map((one) => [STEP_WORDS[one.step], one] as const)];
  const width = Math.max(...named.map(([name]) => name.length));
  const head = [resource, 'p50', 'p99', 'slowest'].map((cell) => cell.padStart(CELL)).join(' ');
  const note = rankNote(statistics);
  return [
    '',
    `${''.padEnd(width)} ${head}  share ${' '.repeat(BAR)}  slowest of`,
    ...named.map(([name, one]) => `${name.padEnd(width)} ${durationRow(one, whole)}`.trimEnd()),
    ...(note === undefined ? [] : ['', note]),
  ];
}

function durationRow(one: DurationSummary, whole: DurationSummary): string {
  const cells = [String(one.objects), ...[one.p50, one.p99, one.max].map(elapsedText)];
  const name = escapeTerminal(one.slowest.name);
  return `${cells.map((cell) => cell.padStart(CELL)).join(' ')} ${shareBar(one.total, whole.total)}  ${name}`;
}

function others({ resource, others: all }: PathStatistics): string[] {
  if (all.length === 0) return [];
  const shown = all
    .slice(0, MOST_OTHERS)
    .map((one) => `  ${escapeTerminal(`${objectWords(resource, one)}: ${one.why.replace(/[\r\n]+/g, ' ')}`)}`);
  const more = all.length - shown.length;
  return ['', 'without the goal', ...shown, ...(more > 0 ? [`  and ${more} more: -o json`] : [])];
}

/** Characters: `100.5 ms`, and the plural of a kind. */
const CELL = 9;
/** Characters of a bar that is the whole. */
const BAR = 20;
