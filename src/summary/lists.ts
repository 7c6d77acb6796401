// Cuts lists and texts of a summary to what fits, and says so.

import { largestOf } from '../core/collections/many.js';

/** The first lines, and how many more there are. */
export function firstOf(lines: readonly string[], limit: number): string[] {
  return [...lines.slice(0, limit), ...moreLine(lines.length - limit)];
}

/** @param one of what, where several lists could be meant. */
export function moreLine(more: number, one?: string): string[] {
  if (more <= 0) return [];
  return [`  ${more} more${one === undefined ? '' : ` ${one}${more === 1 ? '' : 's'}`} (--limit)`];
}

/** A text tells most at its beginning. */
export function cutAtEnd(text: string, longest: number): string {
  const characters = [...text];
  return characters.length <= longest
    ? text
    : `${characters
        .slice(0, longest - 1)
        .join('')
        .trimEnd()}…`;
}

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
