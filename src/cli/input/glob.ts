// Expands patterns of file names with `*`, `?` and `[a-z]`, for shells that do not, and for `watch`, which expands a pattern again to
// find new files.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

export function isPattern(text: string): boolean {
  return /[*?[]/.test(text);
}

/** Matching paths, sorted; unreadable folders are skipped. Parts without a wildcard are not checked for existence. */
export async function matchesOf(pattern: string): Promise<string[]> {
  const parts = pattern.split('/');
  let found = [parts[0] === '' ? '/' : ''];
  for (const part of parts[0] === '' ? parts.slice(1) : parts) {
    if (part === '') continue;
    if (!isPattern(part)) found = found.map((folder) => join(folder, part));
    else {
      const matching = regExpOf(part);
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

/** A name that begins with a dot only matches a pattern that does. */
function regExpOf(part: string): RegExp {
  const text = part.replace(/\[!?[^\]]+\]|[*?]|[^*?[]+|\[/g, (piece) => {
    if (piece === '*') return '[^/]*';
    if (piece === '?') return '[^/]';
    if (piece.length > 1 && piece.startsWith('[') && piece.endsWith(']')) return characterClassOf(piece.slice(1, -1));
    return piece.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${part.startsWith('.') ? '' : '(?!\\.)'}${text}$`, 's');
}

function characterClassOf(members: string): string {
  const negated = members.startsWith('!');
  return `[${negated ? '^' : ''}${(negated ? members.slice(1) : members).replace(/[\\\]^]/g, '\\$&')}]`;
}
