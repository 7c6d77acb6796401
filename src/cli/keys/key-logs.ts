// Key logs that a user names, and the one that SSLKEYLOGFILE names, gzipped or not. Reads files; what is in them is the
// library's.

import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { CliError } from '../cli-error.js';
import { sayWhy } from '../input/input.js';
import { kindOf, WHAT } from '../mistaken.js';

/** Why a file is certainly no key log; null: it may be one. @param bytes its beginning at least. */
function whyNone(bytes: Uint8Array): string | null {
  const kind = kindOf(bytes);
  if (kind === null || kind === 'key log') return null;
  const meant = kind === 'capture' || kind === 'saved messages' ? '; name it as a capture, without --keylog' : '';
  return `${WHAT[kind]}, and no key log${meant}; a key log has lines such as CLIENT_RANDOM …: kubeseq keys writes one`;
}

/**
 * @param namedOnly the environment's is not read.
 * @returns the text of each. The environment's file may not be there yet: programs make it with their first handshake.
 */
export function readKeyLogs(paths: readonly string[], namedOnly = false): string[] {
  const texts = paths.map((path) => {
    try {
      return keyLogIn(readFileSync(path));
    } catch (error) {
      throw new CliError(`--keylog ${path}: ${sayWhy(error)}`);
    }
  });
  const inherited = namedOnly ? undefined : process.env['SSLKEYLOGFILE'];
  if (inherited === undefined || inherited === '' || paths.includes(inherited)) return texts;
  try {
    texts.push(keyLogIn(readFileSync(inherited)));
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ENOENT')
      throw new CliError(`SSLKEYLOGFILE ${inherited}: ${sayWhy(error)}`);
  }
  return texts;
}

/** Which of them may grow while the capture is read: files, and those that are not there yet; no pipes, nothing gzipped. */
export function growingKeyLogs(paths: readonly string[]): { readonly growing: string[]; readonly whole: string[] } {
  const inherited = process.env['SSLKEYLOGFILE'];
  const all = inherited === undefined || inherited === '' ? paths : [...new Set([...paths, inherited])];
  const growing = all.filter(mayGrow);
  return { growing, whole: paths.filter((path) => !growing.includes(path)) };
}

function mayGrow(path: string): boolean {
  if (!existsSync(path)) return true;
  if (!statSync(path).isFile()) return false;
  const first = Buffer.alloc(LOOKED_AT);
  let length: number;
  try {
    const file = openSync(path, 'r');
    length = readSync(file, first, 0, LOOKED_AT, 0);
    closeSync(file);
  } catch {
    // Whoever reads it says why it cannot be read.
    return false;
  }
  const why = whyNone(first.subarray(0, length));
  if (why !== null) throw new CliError(`--keylog ${path}: ${why}`);
  return !isGzip(first);
}

/** Gzipped or not, told by its first bytes, as captures are. */
function keyLogIn(bytes: Buffer): string {
  const why = whyNone(bytes);
  if (why !== null) throw new CliError(why);
  if (!isGzip(bytes)) return bytes.toString('latin1');
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_KEY_LOG }).toString('latin1');
  } catch (error) {
    throw (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE' ? new CliError(TOO_LONG) : error;
  }
}

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** Bytes of a key log that was gzipped: more than the 100,000 sessions that are read can take. */
const MAX_KEY_LOG = 256 * 1024 * 1024;
const TOO_LONG = `inflates to more than ${MAX_KEY_LOG / 1024 / 1024} MiB, the most that is read of a gzipped key log; give only the lines of the capture's time`;
/** Bytes of a key log that may grow, to see what it is. */
const LOOKED_AT = 16 * 1024;
