// Renders a report of `kubeseq top` as a table in the manner of kubectl, with the findings below it.

import { largestOf } from '../../core/collections/many.js';
import { elapsedText, latencyCell } from '../../core/duration.js';
import { counted, sizeText } from '../../core/quantity.js';
import type { UsageFinding } from '../../top/findings/finding.js';
import type { TopCounts, TopReport } from '../../top/top-report.js';
import { shorten } from '../escape/mermaid-escape.js';
import { type ReportSection, reportMarkdown, reportText } from '../report/report.js';

/** @param width cells that a line may have; undefined: as many as it needs. */
export function renderTopText(report: TopReport, width?: number): string {
  return reportText(sections(report, width), 0);
}

/** The same as Markdown, with every column. */
export function renderTopMarkdown(report: TopReport): string {
  return reportMarkdown(sections(report));
}

function sections(report: TopReport, width?: number): ReportSection[] {
  const { by, total, rows, moreRows, ungrouped, seconds, findings } = report;
  const rate = total.perSecond === null ? '' : `, ${total.perSecond} a second`;
  const head = `${counted(total.requests, 'request')} to API servers in ${elapsedText(seconds * 1e9)}${rate}: ${total.errors} failed, ${total.throttled} of them with HTTP 429; ${total.unanswered} without a response`;
  const more = moreRows > 0 ? [`and ${moreRows} more: --limit`] : [];
  if (ungrouped > 0) more.push(`and ${counted(ungrouped, 'request')} of further groups; group by fewer keys: --by`);
  const { table, notes } = rows.length === 0 ? { table: undefined, notes: [] } : tableOf(by, rows, width);
  return [
    { lines: [head] },
    { table, notes: [...notes, ...more] },
    { title: 'findings', lines: findings.map(findingLine) },
  ];
}

function tableOf(by: readonly string[], rows: TopReport['rows'], width = Number.POSITIVE_INFINITY) {
  const shown = COLUMNS.filter(({ isShown }) => isShown === undefined || rows.some(isShown));
  const left: string[] = [];
  for (const head of LEFT_OUT_FIRST) {
    if (widthOf(shown.map((one) => widthIn(one, rows))) + by.length * (NARROWEST_GROUP + GAP) <= width) break;
    const at = shown.findIndex((one) => one.head === head);
    if (at >= 0) left.push(...shown.splice(at, 1).map((one) => one.head));
  }
  const room = width - widthOf(shown.map((one) => widthIn(one, rows))) - by.length * GAP;
  const groups = narrowed(
    by.map((key, i) => [key.toUpperCase(), ...rows.map(({ values }) => cellText(values[i]))]),
    room,
  );
  const table = [
    [...groups.map(([head]) => head), ...shown.map(({ head }) => head)],
    ...rows.map((row, at) => [...groups.map((cells) => cells[at + 1]), ...shown.map(({ cell }) => cell(row))]),
  ];
  const notes = left.length === 0 ? [] : [`a wider terminal, or -w FILE, shows ${left.sort(byPlace).join(', ')}`];
  return { table: { rows: table, left: by.map((_, i) => i) }, notes };
}

/** The columns of groups with their texts shortened, the widest first, until all fit into `room` cells. */
function narrowed(columns: readonly (readonly string[])[], room: number): readonly (readonly string[])[] {
  const widths = columns.map((cells) => largestOf(cells.map((cell) => [...cell].length)));
  for (let excess = widths.reduce((sum, one) => sum + one, 0) - room; excess > 0; excess--) {
    const widest = widths.indexOf(largestOf(widths));
    if (widths[widest] <= NARROWEST_GROUP) break;
    widths[widest] -= 1;
  }
  return columns.map((cells, i) => cells.map((cell) => shorten(cell, widths[i])));
}

function widthIn({ head, cell }: TopColumn, rows: TopReport['rows']): number {
  return Math.max(head.length, largestOf(rows.map((row) => cell(row).length)));
}

function widthOf(columns: readonly number[]): number {
  return columns.reduce((sum, one) => sum + one + GAP, -GAP);
}

function byPlace(one: string, other: string): number {
  const place = (name: string): number => COLUMNS.findIndex(({ head }) => head === name);
  return place(one) - place(other);
}

function cellText(value: string): string {
  return value === '' ? '-' : shorten(value, LONGEST_CELL);
}

function findingLine({ kind, clients, what, messages }: UsageFinding): string {
  const more = clients.length > MOST_CLIENTS ? [`${clients.length - MOST_CLIENTS} others`] : [];
  const names = [...clients.slice(0, MOST_CLIENTS).map(({ name }) => name), ...more].join(' and ');
  return `  ${kind}: ${names}: ${what} (messages ${messages.join(', ')})`;
}

interface TopColumn {
  readonly head: string;
  readonly cell: (counts: TopCounts) => string;
  /** The column is left out where this is true of no row. */
  readonly isShown?: (counts: TopCounts) => boolean;
}

const COLUMNS: readonly TopColumn[] = [
  { head: 'REQUESTS', cell: ({ requests }) => String(requests) },
  { head: 'PER-S', cell: ({ perSecond }) => (perSecond === null ? '-' : String(perSecond)) },
  { head: 'FAILED', cell: ({ errors }) => String(errors) },
  { head: '429', cell: ({ throttled }) => String(throttled), isShown: ({ throttled }) => throttled > 0 },
  {
    head: 'IN',
    cell: ({ bytesIn }) => (bytesIn === null ? '-' : sizeText(bytesIn)),
    isShown: ({ bytesIn }) => bytesIn !== null,
  },
  {
    head: 'OUT',
    cell: ({ bytesOut }) => (bytesOut === null ? '-' : sizeText(bytesOut)),
    isShown: ({ bytesOut }) => bytesOut !== null,
  },
  { head: 'P50', cell: ({ latencyMs }) => latencyCell(latencyMs?.p50) },
  { head: 'P99', cell: ({ latencyMs }) => latencyCell(latencyMs?.p99) },
  { head: 'LOST', cell: ({ lostMs }) => latencyCell(lostMs || undefined), isShown: ({ lostMs }) => lostMs > 0 },
  {
    head: 'ITEMS',
    cell: ({ lists }) => (lists.count === 0 ? '-' : String(lists.mostItems)),
    isShown: ({ lists }) => lists.count > 0,
  },
  {
    head: 'RESTARTED',
    cell: ({ watches }) => (watches.opened === 0 ? '-' : String(watches.restarted)),
    isShown: ({ watches }) => watches.opened > 0,
  },
  {
    head: 'EVENTS',
    cell: ({ watches }) => (watches.opened === 0 ? '-' : String(watches.events)),
    isShown: ({ watches }) => watches.opened > 0,
  },
];

/** Columns that a narrow terminal does without, the least needed first. */
const LEFT_OUT_FIRST = ['EVENTS', 'RESTARTED', 'IN', 'OUT', 'PER-S', 'ITEMS', 'P50', 'LOST', '429', 'FAILED'];
/** Clients that the line of a finding names. */
const MOST_CLIENTS = 3;
/** Cells between two columns. */
const GAP = 2;
/** Cells of a group's column that stay readable. */
const NARROWEST_GROUP = 14;
/** Characters: a User-Agent of client-go has some ninety. */
const LONGEST_CELL = 60;
