// Renders statistics over critical paths as tables of a Markdown page, with the slowest path in full.

import { elapsedText } from '../../core/duration.js';
import type { DurationSummary, PathStatistics } from '../../critical-path/path-statistics.js';
import { escapeMarkdown } from '../escape/markdown-escape.js';
import { renderPathMarkdown } from './path-markdown.js';
import { shareText } from './path-words.js';
import { MOST_OTHERS, objectWords, rankNote, STEP_WORDS, statisticsHead } from './statistics-words.js';

/** @param first ns since the epoch: the first frame of the captures, zero of the printed times. */
export function renderStatisticsMarkdown(statistics: PathStatistics, first: bigint): string {
  const { resource, whole, steps, others } = statistics;
  const lines = [`**${escapeMarkdown(statisticsHead(statistics))}**`, ''];
  if (whole !== null) {
    lines.push(
      `| step | ${resource} | p50 | p99 | slowest | share | slowest of |`,
      '| --- | ---: | ---: | ---: | ---: | ---: | --- |',
      row('the whole', whole, whole),
      ...steps.map((one) => row(STEP_WORDS[one.step], one, whole)),
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

function row(step: string, one: DurationSummary, whole: DurationSummary): string {
  const times = [one.p50, one.p99, one.max].map(elapsedText).join(' | ');
  const share = escapeMarkdown(shareText(one.total, whole.total));
  return `| ${step} | ${one.objects} | ${times} | ${share} % | ${escapeMarkdown(one.slowest.name)} |`;
}
