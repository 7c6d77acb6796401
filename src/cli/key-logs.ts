// Key logs that a user names, and the one that SSLKEYLOGFILE names. Reads files; what is in them is the library's.

import { readFileSync } from 'node:fs';
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
