// Renders critical paths as tables of a Markdown page.

import { elapsedText } from '../../core/duration.js';
import type { CriticalPath, PathLeg } from '../../critical-path/model.js';
import type { DurationSummary, PathStatistics } from '../../critical-path/path-statistics.js';
import { escapeMarkdown } from '../escape/markdown-escape.js';
import { formatOffset } from '../time.js';
import {
  besideWords,
  MOST_OTHERS,
  objectWords,
  pathHead,
  pathSpan,
  rankNote,
  STEP_WORDS,
  shareText,
  statisticsHead,
} from './path-words.js';

/** @param first ns since the epoch: the first frame of the captures, zero of the printed times. */
export function renderPathMarkdown(paths: readonly CriticalPath[], first: bigint): string {
  return paths.map((path) => `${lines(path, first).join('\n')}\n`).join('\n');
}

function lines(path: CriticalPath, first: bigint): string[] {
  const { legs, warnings, beside, duration } = path;
  const span = pathSpan(path);
  return [
    `**${escapeMarkdown(pathHead(path, first))}**`,
    '',
    ...(span === undefined ? [] : [`${escapeMarkdown(span)}; seconds since the first frame.`, '']),
    '| seconds | took | share | who | what | messages |',
    '| ---: | ---: | ---: | --- | --- | --- |',
    ...legs.map((leg) => row(leg, duration, first)),
    '',
    ...warnings.map((line) => `* ${escapeMarkdown(`Warning Event ${line}`)}`),
    ...(warnings.length === 0 ? [] : ['']),
    ...(beside === null ? [] : [`${besideWords(beside)}.`]),
  ];
}

function row({ from, to, who, what, duration }: PathLeg, whole: bigint, first: bigint): string {
  const share = shareText(duration, whole);
  const [name, words] = [who, what].map(escapeMarkdown);
  return `| ${formatOffset(from.time - first)} | ${elapsedText(duration)} | ${escapeMarkdown(share)} % | ${name} | ${words} | ${from.seq} to ${to.seq} |`;
}

/** @param first ns since the epoch: the first frame of the captures, zero of the printed times. */
export function renderStatisticsMarkdown(statistics: PathStatistics, first: bigint): string {
  const { resource, whole, steps, others } = statistics;
  const lines = [`**${escapeMarkdown(statisticsHead(statistics))}**`, ''];
  if (whole !== null) {
    lines.push(
      `| step | ${resource} | p50 | p99 | slowest | share | slowest of |`,
      '| --- | ---: | ---: | ---: | ---: | ---: | --- |',
      durationRow('the whole', whole, whole),
      ...steps.map((one) => durationRow(STEP_WORDS[one.step], one, whole)),
      '',
    );
    const note = rankNote(statistics);
    if (note !== undefined) lines.push(`${note}.`, '');
  }
  for (const one of others.slice(0, MOST_OTHERS))
    lines.push(`* ${escapeMarkdown(`${objectWords(resource, one)}: ${one.why.replace(/[\r\n]+/g, ' ')}`)}`);
  if (others.length > MOST_OTHERS) lines.push(`* and ${others.length - MOST_OTHERS} more without the goal`);
  if (others.length > 0) lines.push('');
  const text = lines.join('\n');
  return whole === null ? text : `${text}\nThe slowest:\n\n${renderPathMarkdown([whole.slowest], first)}`;
}

function durationRow(step: string, one: DurationSummary, whole: DurationSummary): string {
  const times = [one.p50, one.p99, one.max].map(elapsedText).join(' | ');
  const share = escapeMarkdown(shareText(one.total, whole.total));
  return `| ${step} | ${one.objects} | ${times} | ${share} % | ${escapeMarkdown(one.slowest.name)} |`;
}
