// Decides which files and folders secrets may be written to (those of the user, of root, and of the user who ran
// sudo), and reports named files that all users can read.

import { existsSync, lstatSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Notice, notice } from '../../index.js';

/** @returns why secrets must not be written into an existing file; null: they may. */
export function foreignFile({ uid }: Pick<Stats, 'uid'>): string | null {
  if (isTrusted(uid)) return null;
  return `belongs to another user (uid ${uid}), who could read the secrets; name a file of your own`;
}

/** @param stats of a folder. @returns why root must not write into it; null: it may, or the user is not root. */
export function foreignFolder({ uid, gid, mode }: Pick<Stats, 'uid' | 'gid' | 'mode'>): string | null {
  if (!isRoot()) return null;
  if (!isTrusted(uid))
    return `is a folder of another user (uid ${uid}), who could replace what root writes there; name one of your own`;
  if (!isWrittenByOthers({ gid, mode })) return null;
  return `is a folder that others may write into (mode ${(mode & 0o777).toString(8)}), who could replace what root writes there; chmod go-w it, or name one of your own`;
}

/** @param stats of a folder or file. @returns whether users other than root and the own one could change what is in it. */
function isOfOthers({ uid, gid, mode }: Pick<Stats, 'uid' | 'gid' | 'mode'>): boolean {
  return !isTrusted(uid) || isWrittenByOthers({ gid, mode });
}

/** Folders that a file is in, the deepest first. */
export function parentsOf(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...parentsOf(parent)];
}

/** @returns the first of these files and folders that users other than root and the own one could change. */
export function changeableByOthers(paths: readonly string[]): string | undefined {
  return paths.find((one) => existsSync(one) && (isOfOthers(statSync(one)) || !isTrusted(lstatSync(one).uid)));
}

function isWrittenByOthers({ gid, mode }: Pick<Stats, 'gid' | 'mode'>): boolean {
  // Windows has other permissions. Where a folder is sticky, as /tmp is, nobody replaces what another user has in it (inode(7)).
  if (process.platform === 'win32' || (mode & STICKY) !== 0) return false;
  return (mode & WRITTEN_BY_ALL) !== 0 || ((mode & WRITTEN_BY_GROUP) !== 0 && !isTrustedGroup(gid));
}

/** @param entry of a link. @returns why root must not follow it; null: it may, or the user is not root. */
export function foreignLink(entry: Pick<Stats, 'uid'>): string | null {
  if (!isRoot() || isTrusted(entry.uid)) return null;
  return `is a link of another user (uid ${entry.uid}); name the file itself`;
}

/** Is it root, the user of this process, or for root who ran sudo? */
export function isTrusted(uid: number): boolean {
  const own = process.geteuid?.();
  // Windows has no uids.
  return own === undefined || uid === own || uid === 0 || (own === 0 && uid === caller('SUDO_UID'));
}

/** The group of the user alone is the usual one of a file; that of a Mac's administrators may become root. */
function isTrustedGroup(gid: number): boolean {
  if (process.platform === 'darwin' && gid === ADMIN) return true;
  return gid === 0 || gid === process.getegid?.() || (isRoot() && gid === caller('SUDO_GID'));
}

/** Number of the user who ran sudo, or of the group: sudo always sets these variables; null: no sudo. */
function caller(name: 'SUDO_UID' | 'SUDO_GID'): number | null {
  const given = process.env[name] ?? '';
  return /^\d+$/.test(given) ? Number(given) : null;
}

export function isRoot(): boolean {
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
const WRITTEN_BY_ALL = 0o002;
const WRITTEN_BY_GROUP = 0o020;
const STICKY = 0o1000;
const ADMIN = 80;
