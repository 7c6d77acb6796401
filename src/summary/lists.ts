// Cuts lists and texts of a summary to what fits, and says so.

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
  const beginning = characters.slice(0, longest - 1).join('');
  return characters.length <= longest ? text : `${beginning.trimEnd()}…`;
}
