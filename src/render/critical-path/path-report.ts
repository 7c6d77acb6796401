// Makes reports of critical paths: a row a leg, with a bar for its share; of several objects, the time that each kind of step took.

import { elapsedText } from '../../core/duration.js';
import type { CriticalPath } from '../../critical-path/model.js';
import type { DurationSummary, PathStatistics } from '../../critical-path/path-statistics.js';
import { objectText } from '../../kubernetes/api/object-ref.js';
import type { ReportSection } from '../report/report.js';
import { formatOffset } from '../time.js';
import {
  besideWords,
  MOST_OTHERS,
  pathHead,
  pathSpan,
  percentOf,
  rankNote,
  STEP_WORDS,
  shareText,
  statisticsHead,
} from './path-words.js';

/** @param first ns since the epoch: the first frame of the captures, zero of the printed times. */
export function pathReport(paths: readonly CriticalPath[], first: bigint): ReportSection[] {
  return paths.flatMap((path) => pathSections(path, first));
}

/** The same of several objects, with the path of the slowest. */
export function statisticsReport(statistics: PathStatistics, first: bigint): ReportSection[] {
  const { whole, resource, others } = statistics;
  const without = others
    .slice(0, MOST_OTHERS)
    .map((one) => `  ${objectText(resource, one.namespace, one.name)}: ${one.why.replace(/[\r\n]+/g, ' ')}`);
  const more = others.length - without.length;
  if (more > 0) without.push(`  and ${more} more: -o json`);
  return [
    { headline: statisticsHead(statistics) },
    ...(whole === null ? [] : durations(statistics, whole)),
    { title: 'without the goal', lines: without },
    ...(whole === null ? [] : pathSections(whole.slowest, first, 'the slowest: ')),
  ];
}

function pathSections(path: CriticalPath, first: bigint, prefix = ''): ReportSection[] {
  const { legs, warnings, beside, duration: whole } = path;
  const span = pathSpan(path);
  const rows = legs.map(({ from, to, who, what, duration }) => [
    ...[formatOffset(from.time - first), elapsedText(duration), ...shareCells(duration, whole)],
    ...[who, `${what}, messages ${from.seq} to ${to.seq}`],
  ]);
  const lines = warnings.map((line) => `Warning Event ${line}`);
  return [
    {
      headline: `${prefix}${pathHead(path, first)}`,
      lines: span === undefined ? [] : [`  ${span}; seconds since the first frame; share of ${elapsedText(whole)}`],
    },
    { table: { rows: [['seconds', 'took', 'share', BAR, 'who', 'what'], ...rows], left: [3, 4, 5], bars: 3 } },
    { lines: beside === null ? lines : [...lines, besideWords(beside)] },
  ];
}

function durations(statistics: PathStatistics, whole: DurationSummary): ReportSection[] {
  const named = [['the whole', whole] as const, ...statistics.steps.map((one) => [STEP_WORDS[one.step], one] as const)];
  const rows = named.map(([name, one]) => [
    ...[name, String(one.objects), ...[one.p50, one.p99, one.max].map(elapsedText)],
    ...[...shareCells(one.total, whole.total), one.slowest.name],
  ]);
  const head = ['', statistics.resource, 'p50', 'p99', 'slowest', 'share', BAR, 'slowest of'];
  const note = rankNote(statistics);
  return [{ table: { rows: [head, ...rows], left: [0, 6, 7], bars: 6 } }, { lines: note === undefined ? [] : [note] }];
}

/** `26 %`, and a bar. */
function shareCells(part: bigint, whole: bigint): [string, string] {
  return [`${shareText(part, whole)} %`, '█'.repeat(Math.round((percentOf(part, whole) / 100) * BAR.length))];
}

/** The head of a column of bars is as wide as a bar that is the whole. */
const BAR = ' '.repeat(20);
