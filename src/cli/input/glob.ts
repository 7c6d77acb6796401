// Expands patterns of file names with `*`, `?` and `[a-z]`, for shells that do not, and for patterns that are
// expanded again later.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

export function isPattern(text: string): boolean {
  return /[*?[]/.test(text);
}

/** Matching files and directories, sorted by name; unreadable folders are skipped. */
export async function matchesOf(pattern: string): Promise<string[]> {
  const parts = pattern.split('/');
  let found = [parts[0] === '' ? '/' : ''];
  for (const part of parts[0] === '' ? parts.slice(1) : parts) {
    if (part === '') continue;
    if (!isPattern(part)) found = found.map((folder) => join(folder, part));
    else {
      const matching = patternOf(part);
      const lists = await Promise.all(
        found.map(async (folder) => {
          const names = await readdir(folder === '' ? '.' : folder).catch(() => []);
          return names.filter((name) => matching.test(name)).map((name) => join(folder, name));
        }),
      );
      found = lists.flat();
    }
  }
  return found.sort();
}

/** A leading dot must be in the pattern. */
function patternOf(part: string): RegExp {
  const text = part.replace(/\[!?[^\]]+\]|[*?]|[^*?[]+|\[/g, (piece) => {
    if (piece === '*') return '[^/]*';
    if (piece === '?') return '[^/]';
    if (piece.length > 1 && piece.startsWith('[') && piece.endsWith(']')) return classOf(piece.slice(1, -1));
    return piece.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${part.startsWith('.') ? '' : '(?!\\.)'}${text}$`, 's');
}

function classOf(members: string): string {
  const negated = members.startsWith('!');
  return `[${negated ? '^' : ''}${(negated ? members.slice(1) : members).replace(/[\\\]^]/g, '\\$&')}]`;
}
