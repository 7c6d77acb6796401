// Patterns of file names, for shells that do not expand them and for patterns that are to be looked at again. `*`, `?` and
// `[a-z]` within a name, as in a shell; no `**`.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

export function isPattern(text: string): boolean {
  return /[*?[]/.test(text);
}

/** Files and directories that match, sorted by name; none where a folder cannot be read. */
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

/** A name that begins with a dot is meant only where the pattern begins with one. */
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
