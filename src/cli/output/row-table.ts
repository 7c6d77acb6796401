// Prints rows of a query as a table.

import { escapeTerminal, jsonText } from '../../index.js';

/** Columns side by side; numbers are aligned to the right. */
export function rowTable(rows: readonly Readonly<Record<string, unknown>>[]): string {
  if (rows.length === 0) return 'no rows\n';
  const names = Object.keys(rows[0]);
  const cells = rows.map((row) => names.map((name) => cellText(row[name])));
  const widths = names.map((name, i) => Math.max(name.length, ...cells.map((row) => row[i].length)));
  const isNumber = names.map((name) => rows.every((row) => NUMBER.test(cellText(row[name]))));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) => (isNumber[i] ? cell.padStart(widths[i]) : cell.padEnd(widths[i])))
      .join('  ')
      .trimEnd();
  return `${[names.map((name) => escapeTerminal(name)), ...cells].map(line).join('\n')}\n`;
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return escapeTerminal(typeof value === 'string' ? value : jsonText(value));
}

const NUMBER = /^-?\d*(?:\.\d+)?(?:e[+-]?\d+)?$/;
