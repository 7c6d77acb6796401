// Key logs that a user names, and the one that SSLKEYLOGFILE names, gzipped or not. Reads files; what is in them is the
// library's.

import { readFileSync, statSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { sayWhy } from './input.js';
import { Trouble } from './trouble.js';

/**
 * @param namedOnly the environment's is not read.
 * @returns the text of each. The environment's file may not be there yet: programs make it with their first handshake.
 */
export function readKeyLogs(paths: readonly string[], namedOnly = false): string[] {
  const texts = paths.map((path) => {
    try {
      return keyLogIn(readFileSync(path));
    } catch (error) {
      throw new Trouble(`--keylog ${path}: ${sayWhy(error)}`);
    }
  });
  const inherited = namedOnly ? undefined : process.env['SSLKEYLOGFILE'];
  if (inherited === undefined || inherited === '' || paths.includes(inherited)) return texts;
  try {
    texts.push(keyLogIn(readFileSync(inherited)));
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

/** Gzipped or not, told by its first bytes, as captures are. */
function keyLogIn(bytes: Buffer): string {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return (isGzip ? gunzipSync(bytes, { maxOutputLength: MAX_KEY_LOG }) : bytes).toString('latin1');
}

/** Bytes of a key log that was gzipped: more than the 100,000 sessions that are read can take. */
const MAX_KEY_LOG = 256 * 1024 * 1024;
