// Reports rows of a query as a table; numbers are aligned to the right.

import { jsonText, type ReportSection } from '../../index.js';

export function rowReport(rows: readonly Readonly<Record<string, unknown>>[]): readonly ReportSection[] {
  if (rows.length === 0) return [{ lines: ['no rows'] }];
  const names = Object.keys(rows[0]);
  const cells = rows.map((row) => names.map((name) => cellText(row[name])));
  const left = names.flatMap((_, column) => (cells.every((row) => NUMBER.test(row[column])) ? [] : [column]));
  return [{ table: { rows: [names, ...cells], left } }];
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : jsonText(value);
}

const NUMBER = /^-?\d*(?:\.\d+)?(?:e[+-]?\d+)?$/;
