// Writes a report (sections of lines and tables) as text for a terminal and as Markdown. Both escape what they are given.

import { largestOf } from '../../core/collections/many.js';
import { escapeMarkdown } from '../escape/markdown-escape.js';
import { escapeTerminal } from '../escape/terminal-escape.js';

export interface ReportTable {
  /** The head first; cells are not escaped yet. */
  readonly rows: readonly (readonly string[])[];
  /** Columns whose cells begin at the left; the others are numbers. */
  readonly left: readonly number[];
  /** Column of bars, which Markdown does without. */
  readonly bars?: number;
}

/** One with neither lines nor rows is not written, unless it has a headline. */
export interface ReportSection {
  readonly title?: string;
  /** The result in one line, not escaped yet. */
  readonly headline?: string;
  /** Not escaped yet; text keeps their indentation. */
  readonly lines?: readonly string[];
  readonly table?: ReportTable;
  /** Below the table: what is left out. */
  readonly notes?: readonly string[];
}

/** @param indent of tables, in characters. */
export function reportText(report: readonly ReportSection[], indent = 2): string {
  const parts = report
    .filter(hasContent)
    .map(({ title, headline, lines = [], table, notes = [] }) =>
      [
        ...(title === undefined ? [] : [title]),
        ...(headline === undefined ? [] : [escapeTerminal(headline)]),
        ...lines.map(escapeTerminal),
        ...(table === undefined ? [] : tableLines(table, ' '.repeat(indent))),
        ...notes.map(escapeTerminal),
      ].join('\n'),
    );
  return parts.map((part, i) => `${i === 0 ? '' : '\n'}${part}\n`).join('');
}

export function reportMarkdown(report: readonly ReportSection[]): string {
  const item = (line: string): string => `* ${escapeMarkdown(line.trim().replace(/ {2,}/g, ' '))}`;
  const blocks = report
    .filter(hasContent)
    .flatMap(({ title, headline, lines = [], table, notes = [] }) => [
      ...(title === undefined ? [] : [`### ${escapeMarkdown(title)}`]),
      ...(headline === undefined ? [] : [`**${escapeMarkdown(headline)}**`]),
      lines.map(item).join('\n'),
      ...(table === undefined ? [] : [markdownTable(table)]),
      notes.map(item).join('\n'),
    ]);
  return blocks
    .filter((block) => block !== '')
    .map((block, i) => `${i === 0 ? '' : '\n'}${block}\n`)
    .join('');
}

function hasContent({ headline, lines = [], table, notes = [] }: ReportSection): boolean {
  return lines.length + notes.length > 0 || table !== undefined || headline !== undefined;
}

function tableLines({ rows, left }: ReportTable, indent: string): string[] {
  const cells = rows.map((row) => row.map(escapeTerminal));
  const widths = cells[0].map((_, column) => largestOf(cells.map((row) => [...row[column]].length)));
  return cells.map((row) => {
    const aligned = row.map((cell, column) => {
      const room = ' '.repeat(widths[column] - [...cell].length);
      return left.includes(column) ? `${cell}${room}` : `${room}${cell}`;
    });
    return `${indent}${aligned.join('  ')}`.trimEnd();
  });
}

function markdownTable({ rows: [head, ...rows], left, bars }: ReportTable): string {
  const line = (cells: readonly string[]): string => `| ${cells.filter((_, i) => i !== bars).join(' | ')} |`;
  const align = head.map((_, column) => (left.includes(column) ? '---' : '---:'));
  return [head, ...rows]
    .map((row) => line(row.map(escapeMarkdown)))
    .toSpliced(1, 0, line(align))
    .join('\n');
}
