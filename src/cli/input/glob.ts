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
      const matches = matcherOf(part);
      const lists = await Promise.all(
        found.map(async (folder) => {
          const names = await readdir(folder === '' ? '.' : folder).catch(() => []);
          return names.filter((name) => matches(name)).map((name) => join(folder, name));
        }),
      );
      found = lists.flat();
    }
  }
  return found.sort();
}

/** A name that begins with a dot only matches a pattern that does. Runs of `*` go back to the last one alone: no pattern takes long. */
function matcherOf(part: string): (name: string) => boolean {
  const pieces = [...(part.match(/\[!?[^\]]+\]|./gsu) ?? [])].map(pieceOf);
  return (name) => {
    if (name.startsWith('.') && !part.startsWith('.')) return false;
    const characters = [...name];
    let [piece, at, star, from] = [0, 0, -1, 0];
    while (at < characters.length) {
      const fits = pieces[piece];
      if (fits === null) [star, from] = [piece++, at];
      else if (fits?.(characters[at]) === true) [piece, at] = [piece + 1, at + 1];
      else if (star >= 0) [piece, at] = [star + 1, ++from];
      else return false;
    }
    return pieces.slice(piece).every((rest) => rest === null);
  };
}

/** Whether a character fits; null: `*`. */
function pieceOf(piece: string): ((character: string) => boolean) | null {
  if (piece === '*') return null;
  if (piece === '?') return () => true;
  if (piece.length === 1 || !piece.startsWith('[')) return (character) => character === piece;
  const matching = characterClassOf(piece.slice(1, -1));
  return (character) => matching.test(character);
}

function characterClassOf(members: string): RegExp {
  const negated = members.startsWith('!');
  return new RegExp(
    `^[${negated ? '^' : ''}${(negated ? members.slice(1) : members).replace(/[\\\]^]/g, '\\$&')}]$`,
    'su',
  );
}
