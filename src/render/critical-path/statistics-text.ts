// Renders statistics over critical paths as text for a terminal, with the slowest path in full.

import { elapsedText } from '../../core/duration.js';
import type { DurationSummary, PathStatistics } from '../../critical-path/path-statistics.js';
import { escapeTerminal } from '../escape/terminal-escape.js';
import { renderPathText } from './path-text.js';
import { percentOf, shareText } from './path-words.js';
import { MOST_OTHERS, objectWords, rankNote, STEP_WORDS, statisticsHead } from './statistics-words.js';

/** @param first ns since the epoch: the first frame of the captures, zero of the printed times. */
export function renderStatisticsText(statistics: PathStatistics, first: bigint): string {
  const text = `${[escapeTerminal(statisticsHead(statistics)), ...table(statistics), ...others(statistics)].join('\n')}\n`;
  return statistics.whole === null
    ? text
    : `${text}\nthe slowest: ${renderPathText([statistics.whole.slowest], first)}`;
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
    ...named.map(([name, one]) => `${name.padEnd(width)} ${row(one, whole)}`.trimEnd()),
    ...(note === undefined ? [] : ['', note]),
  ];
}

function row(one: DurationSummary, whole: DurationSummary): string {
  const cells = [String(one.objects), ...[one.p50, one.p99, one.max].map(elapsedText)];
  const share = percentOf(one.total, whole.total);
  const bar = '█'.repeat(Math.round((share / 100) * BAR)).padEnd(BAR);
  const name = escapeTerminal(one.slowest.name);
  return `${cells.map((cell) => cell.padStart(CELL)).join(' ')} ${shareText(one.total, whole.total).padStart(4)} % ${bar}  ${name}`;
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
