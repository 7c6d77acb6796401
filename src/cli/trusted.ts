// Whose files and folders secrets may go into: our own, those of root, and of who became root to run us (sudo). What belongs to
// anybody else is refused: its owner reads what is written there, or puts something else in its place.

import { lstatSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** @returns why no secrets go into an existing file; null: they may. */
export function foreignFile({ uid }: Pick<Stats, 'uid'>): string | null {
  if (isTrusted(uid)) return null;
  return `belongs to another user (uid ${uid}), who could read the secrets; name a file of your own`;
}

/**
 * @param path of a folder; where there is none yet, the nearest one above it counts.
 * @returns why root does not write into it; null: it may, or it is not root.
 */
export function foreignFolder(path: string): string | null {
  if (!isRoot()) return null;
  for (let at = resolve(path); ; at = dirname(at)) {
    const entry = lstatSync(at, { throwIfNoEntry: false });
    if (entry === undefined) continue;
    const target = statSync(at, { throwIfNoEntry: false });
    const foreign = [entry, target].find((one) => one !== undefined && !isTrusted(one.uid));
    if (foreign === undefined) return null;
    const what = foreign === entry && entry.isSymbolicLink() ? 'a link of' : 'a folder of';
    return `${at === resolve(path) ? '' : `${at} `}is ${what} another user (uid ${foreign.uid}), who could replace what root writes there; name one of your own`;
  }
}

/** @returns why root does not write to what a link leads to; null: it may, there is no link, or it is not root. */
export function foreignLink(path: string): string | null {
  if (!isRoot()) return null;
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (entry?.isSymbolicLink() !== true || isTrusted(entry.uid)) return null;
  return `is a link of another user (uid ${entry.uid}); name the file itself`;
}

function isTrusted(uid: number): boolean {
  const own = process.geteuid?.();
  // Windows has no such numbers.
  return own === undefined || uid === own || uid === 0 || (own === 0 && uid === caller());
}

/** Who ran sudo, which sets this variable anew; null: nobody did. */
function caller(): number | null {
  const given = process.env['SUDO_UID'] ?? '';
  return /^\d+$/.test(given) ? Number(given) : null;
}

function isRoot(): boolean {
  return process.geteuid?.() === 0;
}
