// A difference in numbers, one line a participant: `diff --stat` for flows. Captured text passes through
// terminal-escape.ts only.

import type { Difference } from '../../diff/compare.js';
import type { DiffSide, Item } from '../../diff/item.js';
import { escapeTerminal } from '../escape/terminal-escape.js';

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
  const said = total.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`]));
  return said.length === 0 ? '' : `${[...lines, ` ${said.join(', ')}`].join('\n')}\n`;
}

function mark(sign: string, count: number | undefined): string {
  return count === undefined ? '' : `${sign}${count}`;
}

function countBy(items: readonly Item[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { from } of items) counts.set(from, (counts.get(from) ?? 0) + 1);
  return counts;
}
