// Renders a difference for a terminal: as a list, heaviest first, or as counts for each participant.

import type { Finding, WeighedDifference } from '../../diff/findings.js';
import type { DiffSide, Item } from '../../diff/item.js';
import { escapeTerminal } from '../escape/terminal-escape.js';

/** Colours lines; the identity without colour. */
export interface DiffPaint {
  added(text: string): string;
  removed(text: string): string;
  place(text: string): string;
}

export const PLAIN_DIFF: DiffPaint = { added: (text) => text, removed: (text) => text, place: (text) => text };

/** Differences, heaviest first, under headings; then how many are left out. Empty: nothing differs at all. */
export function renderDiffText(
  { findings, leftOut }: WeighedDifference,
  names: readonly [string, string],
  paint = PLAIN_DIFF,
): string {
  const [before, after] = names.map(escapeTerminal);
  const lines = findings.length === 0 ? [] : [paint.removed(`--- ${before}`), paint.added(`+++ ${after}`)];
  let heading = '';
  for (const finding of findings) {
    const own = finding.ordinary === undefined ? HEADINGS[finding.weight] : `Ordinary: ${finding.ordinary}`;
    if (own !== heading) lines.push(paint.place(`@@ ${own} @@`));
    heading = own;
    if (finding.before !== undefined) lines.push(paint.removed(`-${lineText(finding, finding.before)}`));
    if (finding.after !== undefined) lines.push(paint.added(`+${lineText(finding, finding.after)}`));
  }
  const left = leftOutText(leftOut);
  return [...lines, ...(left === '' ? [] : [left]), ''].join('\n');
}

/** `kubectl ->> kube-apiserver: [REQ] GET /api/v1/pods (2 → 4 times, message 31)` */
function lineText({ what, alike, counts, followers }: Finding, item: Item): string {
  const { from, to, kind, label, requestLabel, source, where } = item;
  const isRepeated = what === 'more' && counts[0] > 0 && counts[1] > 0 && counts[0] !== counts[1];
  const status = kind === 'request' ? source?.response?.status : undefined;
  const facts = [
    kind === 'response' && requestLabel !== '' ? `to ${requestLabel.replace('[REQ] ', '')}` : '',
    status !== undefined && status >= 400 ? `answered ${status}` : '',
    isRepeated ? `${counts[0]} → ${counts[1]} times` : alike > 1 ? `${alike} times` : '',
    'line' in where ? `line ${where.line}` : `message ${where.seq}`,
    followers === 0 ? '' : followers === 1 ? '1 more follows from it' : `${followers} more follow from it`,
  ].filter((fact) => fact !== '');
  return escapeTerminal(`${from} ${kind === 'response' ? '-->>' : '->>'} ${to}: ${label} (${facts.join(', ')})`);
}

/** `142 more with --all: 80 status updates, 62 races` */
function leftOutText(leftOut: WeighedDifference['leftOut']): string {
  if (leftOut.length === 0) return '';
  const total = leftOut.reduce((sum, { count }) => sum + count, 0);
  return `${total} more with --all: ${leftOut.map(({ what, count }) => `${count} ${what}`).join(', ')}`;
}

const HEADINGS: Readonly<Record<Finding['weight'], string>> = {
  people: 'what people and their programs did',
  only: 'in one of them only, or more often',
  failed: 'answered otherwise',
  verb: 'by another method or to another target',
  fields: 'with other fields',
  order: 'in another order',
  ordinary: 'ordinary',
};

/** Arrows that each participant sends, before and after. */
export function renderDiffStat(difference: WeighedDifference, before: DiffSide, after: DiffSide, all = false): string {
  const names = [...new Set([...before.participants, ...after.participants])];
  const added = countBy(difference.lines.flatMap(({ kind, item }) => (kind === 'added' ? [item] : [])));
  const removed = countBy(difference.lines.flatMap(({ kind, item }) => (kind === 'removed' ? [item] : [])));
  const isDrawn = ({ source }: Item): boolean => all || source?.background === undefined;
  const [was, is] = [countBy(before.items.filter(isDrawn)), countBy(after.items.filter(isDrawn))];
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
  const { added: more, removed: less, changed, repeated, leftOut } = difference;
  const total = [
    [less.length, 'removed'],
    [more.length, 'added'],
    [changed.length, 'changed'],
    [repeated.length, 'more or less often'],
  ] as const;
  const counts = total.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`]));
  const left = leftOutText(leftOut);
  const rest = left === '' ? '' : `${left}\n`;
  return counts.length === 0 ? rest : `${[...lines, ` ${counts.join(', ')}`].join('\n')}\n${rest}`;
}

function mark(sign: string, count: number | undefined): string {
  return count === undefined ? '' : `${sign}${count}`;
}

function countBy(items: readonly Item[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { from } of items) counts.set(from, (counts.get(from) ?? 0) + 1);
  return counts;
}
