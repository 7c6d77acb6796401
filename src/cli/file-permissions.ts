// Who else may read what a user named: captures hold credentials, key logs open them. Asks the file system, changes nothing.

import { statSync } from 'node:fs';
import { type Notice, notice } from '../index.js';

/** One notice for every file that everybody on this machine may read. */
export function readableByAll(captures: readonly string[], keyLogs: readonly string[]): Notice[] {
  const said = (path: string, what: string): Notice[] =>
    isReadableByAll(path) ? [notice('keys.world-readable', `${path}, ${what}`)] : [];
  return [
    ...keyLogs.flatMap((path) => said(path, 'a key log: with it the traffic can be read')),
    ...captures.flatMap((path) => (path === '-' ? [] : said(path, 'a capture: what was not encrypted can be read'))),
  ];
}

function isReadableByAll(path: string): boolean {
  if (process.platform === 'win32') return false;
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && (found.mode & READ_BY_OTHERS) !== 0;
}

const READ_BY_OTHERS = 0o004;
