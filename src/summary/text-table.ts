// Aligns rows of cells for a terminal.

import { largestOf } from '../core/collections/many.js';
/** @param rows the head first. @param left columns whose cells begin at the left; the others are numbers. */
export function textTable(rows: readonly (readonly string[])[], left: readonly number[] = [0]): string[] {
  const widths = rows[0].map((_, column) => largestOf(rows.map((row) => [...row[column]].length)));
  return rows.map((row) =>
    `  ${row
      .map((cell, column) => {
        const room = ' '.repeat(widths[column] - [...cell].length);
        return left.includes(column) ? `${cell}${room}` : `${room}${cell}`;
      })
      .join('  ')}`.trimEnd(),
  );
}
