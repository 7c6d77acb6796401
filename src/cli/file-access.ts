// Decides which files and folders secrets may be written to (those of the user, of root, and of the user who ran
// sudo), and reports named files that all users can read.

import { lstatSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Notice, notice } from '../index.js';

/** @returns why secrets must not be written into an existing file; null: they may. */
export function foreignFile({ uid }: Pick<Stats, 'uid'>): string | null {
  if (isTrusted(uid)) return null;
  return `belongs to another user (uid ${uid}), who could read the secrets; name a file of your own`;
}

/**
 * @param path of a folder; if it does not exist, its nearest existing parent counts.
 * @returns why root must not write into it; null: it may, or the user is not root.
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

/** @returns why root must not follow a link; null: it may, the path is no link, or the user is not root. */
export function foreignLink(path: string): string | null {
  if (!isRoot()) return null;
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (entry?.isSymbolicLink() !== true || isTrusted(entry.uid)) return null;
  return `is a link of another user (uid ${entry.uid}); name the file itself`;
}

/** Is it root, the user of this process, or for root who ran sudo? */
export function isTrusted(uid: number): boolean {
  const own = process.geteuid?.();
  // Windows has no uids.
  return own === undefined || uid === own || uid === 0 || (own === 0 && uid === caller());
}

/** uid of the user who ran sudo, which always sets this variable; null: no sudo. */
function caller(): number | null {
  const given = process.env['SUDO_UID'] ?? '';
  return /^\d+$/.test(given) ? Number(given) : null;
}

function isRoot(): boolean {
  return process.geteuid?.() === 0;
}

/** A notice for each file that all users of this machine can read. */
export function readableByAll(captures: readonly string[], keyLogs: readonly string[]): Notice[] {
  const found = (path: string, what: string): Notice[] =>
    isReadableByAll(path) ? [notice('keys.world-readable', `${path}, ${what}`)] : [];
  return [
    ...keyLogs.flatMap((path) => found(path, 'a key log: with it the traffic can be read')),
    ...captures.flatMap((path) => (path === '-' ? [] : found(path, 'a capture: what was not encrypted can be read'))),
  ];
}

function isReadableByAll(path: string): boolean {
  if (process.platform === 'win32') return false;
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && (found.mode & READ_BY_OTHERS) !== 0;
}

const READ_BY_OTHERS = 0o004;
