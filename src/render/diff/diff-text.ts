// Renders a difference for a terminal: as a list, heaviest first, or as counts for each participant.

import { counted } from '../../core/quantity.js';
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
  if (lines.length > 0) lines.push(legend(findings));
  const left = leftOutText(leftOut);
  return [...lines, ...(left === '' ? [] : [left]), ''].join('\n');
}

/** What the numbers and placeholders of the lines mean. */
function legend(findings: readonly Finding[]): string {
  const items = findings.flatMap(({ before, after }) => [before, after].filter((item) => item !== undefined));
  const has = (placeholder: RegExp): boolean =>
    items.some(({ from, to, label }) => placeholder.test(`${from} ${to} ${label}`));
  const names = has(/\{(?:hash|suffix|id|uid|address)\d*\}/)
    ? '; {…}: a generated part of a name, an id or an address, another one in each run'
    : '';
  return `message numbers: on lines with - of the first file, on lines with + of the second${names}`;
}

/** `kubectl ->> kube-apiserver: [REQ] GET /api/v1/pods (2 times before, 4 times after, message 31)` */
function lineText({ what, alike, counts, followers }: Finding, item: Item): string {
  const { from, to, kind, label, requestLabel, source, where } = item;
  const isRepeated = what === 'more' && counts[0] > 0 && counts[1] > 0 && counts[0] !== counts[1];
  const status = kind === 'request' ? source?.response?.status : undefined;
  const isError = status !== undefined && status >= 400;
  const facts = [
    kind === 'response' && requestLabel !== '' ? `to ${requestLabel.replace('[REQ] ', '')}` : '',
    isRepeated
      ? `${counted(counts[0], 'time')} before, ${counted(counts[1], 'time')} after`
      : alike > 1
        ? `${alike} times`
        : '',
    `${'line' in where ? `line ${where.line}` : `message ${where.seq}`}${isError ? ` answered with ${status}` : ''}`,
    followers === 0 ? '' : `caused ${counted(followers, 'more difference')}, not listed`,
  ].filter((fact) => fact !== '');
  return escapeTerminal(`${from} ${kind === 'response' ? '-->>' : '->>'} ${to}: ${label} (${facts.join(', ')})`);
}

/** `142 more differences with --all, of kinds that any two runs have: 80 status updates, 62 races` */
function leftOutText(leftOut: WeighedDifference['leftOut']): string {
  if (leftOut.length === 0) return '';
  const total = leftOut.reduce((sum, { count }) => sum + count, 0);
  return `${counted(total, 'more difference')} with --all, of kinds that any two runs have: ${leftOut.map(({ what, count }) => `${count} ${what}`).join(', ')}`;
}

const HEADINGS: Readonly<Record<Finding['weight'], string>> = {
  people: "users' requests and their answers (kubectl, other clients that are no component of the cluster)",
  only: 'in one file only',
  more: 'in both files, in one of them more often',
  failed: 'the same request, answered with another status',
  verb: 'the same object, requested with another method or at another URL',
  fields: 'the same request with other fields in its body',
  order: 'the same in another order, or by another node or replica',
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
