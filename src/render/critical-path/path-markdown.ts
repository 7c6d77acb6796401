// Renders critical paths as tables of a Markdown page.

import { elapsedText } from '../../core/duration.js';
import type { CriticalPath, PathLeg } from '../../critical-path/model.js';
import { escapeMarkdown } from '../escape/markdown-escape.js';
import { formatOffset } from '../time.js';
import { besideWords, pathHead, pathSpan, shareText } from './path-words.js';

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
