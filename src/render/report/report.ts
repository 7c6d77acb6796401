// Writes a report (sections of lines and tables) as text for a terminal and as Markdown. Both escape what they are given.

import { largestOf } from '../../core/collections/many.js';
import { escapeMarkdown } from '../escape/markdown-escape.js';
import { escapeTerminal } from '../escape/terminal-escape.js';

export interface ReportTable {
  /** The head first; cells are not escaped yet. */
  readonly rows: readonly (readonly string[])[];
  /** Columns whose cells begin at the left; the others are numbers. */
  readonly left: readonly number[];
}

/** One with neither lines nor rows is not written. */
export interface ReportSection {
  readonly title?: string;
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
    .map(({ title, lines = [], table, notes = [] }) =>
      [
        ...(title === undefined ? [] : [title]),
        ...lines.map(escapeTerminal),
        ...(table === undefined ? [] : tableLines(table, ' '.repeat(indent))),
        ...notes.map(escapeTerminal),
      ].join('\n'),
    );
  return `${parts.join('\n\n')}\n`;
}

export function reportMarkdown(report: readonly ReportSection[]): string {
  const item = (line: string): string => `* ${escapeMarkdown(line.trim().replace(/ {2,}/g, ' '))}`;
  const blocks = report
    .filter(hasContent)
    .flatMap(({ title, lines = [], table, notes = [] }) => [
      ...(title === undefined ? [] : [`### ${escapeMarkdown(title)}`]),
      lines.map(item).join('\n'),
      ...(table === undefined ? [] : [markdownTable(table)]),
      notes.map(item).join('\n'),
    ]);
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function hasContent({ lines = [], table, notes = [] }: ReportSection): boolean {
  return lines.length + notes.length > 0 || table !== undefined;
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

function markdownTable({ rows: [head, ...rows], left }: ReportTable): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const align = head.map((_, column) => (left.includes(column) ? '---' : '---:'));
  return [head, ...rows]
    .map((row) => line(row.map(escapeMarkdown)))
    .toSpliced(1, 0, line(align))
    .join('\n');
}
