// Renders a difference for a terminal: as `diff -u` prints it, or as counts for each participant.

import { createTwoFilesPatch } from 'diff';
import type { Difference, DiffLine } from '../../diff/compare.js';
import type { DiffSide, Item } from '../../diff/item.js';
import { escapeTerminal } from '../escape/terminal-escape.js';

/** Colours lines; the identity without colour. */
export interface DiffPaint {
  added(text: string): string;
  removed(text: string): string;
  place(text: string): string;
}

export const PLAIN_DIFF: DiffPaint = { added: (text) => text, removed: (text) => text, place: (text) => text };

export function renderDiffText(difference: Difference, names: readonly [string, string], paint = PLAIN_DIFF): string {
  if (difference.lines.every(({ kind }) => kind === 'same')) return '';
  const side = (left: DiffLine['kind']): string =>
    difference.lines
      .filter(({ kind }) => kind !== left)
      .map(({ item }) => `${arrowText(item)}\n`)
      .join('');
  const [before, after] = names.map(escapeTerminal);
  const patch = createTwoFilesPatch(before, after, side('added'), side('removed'), '', '', { context: CONTEXT });
  // The library writes an index line, which diff -u lacks, and a tab for a missing file time.
  const lines = patch.split('\n').filter((line) => !line.startsWith('==='));
  return lines.map((line) => coloured(line.trimEnd(), paint)).join('\n');
}

/** `kubectl ->> kube-apiserver: [REQ] GET /api/v1/pods`, as a diagram has it. */
function arrowText({ from, to, kind, label }: Item): string {
  return escapeTerminal(`${from} ${kind === 'response' ? '-->>' : '->>'} ${to}: ${label}`);
}

function coloured(line: string, paint: DiffPaint): string {
  if (line.startsWith('@@')) return paint.place(line);
  if (line.startsWith('+')) return paint.added(line);
  return line.startsWith('-') ? paint.removed(line) : line;
}

/** Lines of context, as in diff -u. */
const CONTEXT = 3;

/** Arrows that each participant sends, before and after. */
export function renderDiffStat(difference: Difference, before: DiffSide, after: DiffSide): string {
  const names = [...new Set([...before.participants, ...after.participants])];
  const added = countBy(difference.lines.flatMap(({ kind, item }) => (kind === 'added' ? [item] : [])));
  const removed = countBy(difference.lines.flatMap(({ kind, item }) => (kind === 'removed' ? [item] : [])));
  const [was, is] = [countBy(before.items), countBy(after.items)];
  const rows = names
    .filter((name) => (was.get(name) ?? 0) + (is.get(name) ?? 0) > 0)
    .map((name) => [
      escapeTerminal(name),
      String(was.get(name) ?? 0),
      String(is.get(name) ?? 0),
      [mark('-', removed.get(name)), mark('+', added.get(name))].filter((text) => text !== '').join(' '),
    ]);
  const widths = [0, 1, 2].map((column) => Math.max(0, ...rows.map((row) => row[column].length)));
  const lines = rows.map(([name, a, b, marks]) =>
    ` ${name.padEnd(widths[0])} | ${a.padStart(widths[1])} -> ${b.padStart(widths[2])} ${marks}`.trimEnd(),
  );
  const { added: more, removed: less, changed, repeated } = difference;
  const total = [
    [less.length, 'removed'],
    [more.length, 'added'],
    [changed.length, 'changed'],
    [repeated.length, 'more or less often'],
  ] as const;
  const counts = total.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`]));
  return counts.length === 0 ? '' : `${[...lines, ` ${counts.join(', ')}`].join('\n')}\n`;
}

function mark(sign: string, count: number | undefined): string {
  return count === undefined ? '' : `${sign}${count}`;
}

function countBy(items: readonly Item[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { from } of items) counts.set(from, (counts.get(from) ?? 0) + 1);
  return counts;
}
