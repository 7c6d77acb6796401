// Key logs that a user names, and the one that SSLKEYLOGFILE names. Reads files; what is in them is the library's.

import { readFileSync, statSync } from 'node:fs';
import { sayWhy } from './input.js';
import { Trouble } from './trouble.js';

/** @returns the text of each. The environment's file may not be there yet: programs make it with their first handshake. */
export function readKeyLogs(paths: readonly string[]): string[] {
  const texts = paths.map((path) => {
    try {
      return readFileSync(path, 'latin1');
    } catch (error) {
      throw new Trouble(`--keylog ${path}: ${sayWhy(error)}`);
    }
  });
  const inherited = process.env['SSLKEYLOGFILE'];
  if (inherited === undefined || inherited === '' || paths.includes(inherited)) return texts;
  try {
    texts.push(readFileSync(inherited, 'latin1'));
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ENOENT')
      throw new Trouble(`SSLKEYLOGFILE ${inherited}: ${sayWhy(error)}`);
  }
  return texts;
}

/** Which of them may grow while the capture is read: files, and those that are not there yet. The others are pipes. */
export function growingKeyLogs(paths: readonly string[]): { readonly growing: string[]; readonly whole: string[] } {
  const inherited = process.env['SSLKEYLOGFILE'];
  const all = inherited === undefined || inherited === '' ? paths : [...new Set([...paths, inherited])];
  const growing = all.filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? true);
  return { growing, whole: paths.filter((path) => !growing.includes(path)) };
}
