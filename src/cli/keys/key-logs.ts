// Reads the key logs that the user or SSLKEYLOGFILE names, gzipped or not.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { kindOf } from '../../index.js';
import { CliError, describeError } from '../cli-error.js';
import { WHAT } from '../files/file-kind.js';
import { firstBytes } from '../files/random-access.js';

/** Why a file is no key log; null: it may be one. @param bytes at least its beginning. */
function whyNone(bytes: Uint8Array): string | null {
  const kind = kindOf(bytes);
  if (kind === null || kind === 'key log') return null;
  const meant = kind === 'capture' || kind === 'saved messages' ? '; name it as a capture, without --keylog' : '';
  return `${WHAT[kind]}, and no key log${meant}; a key log has lines such as CLIENT_RANDOM …: kubeseq keys writes one`;
}

/**
 * @param namedOnly ignore SSLKEYLOGFILE.
 * @returns the text of each. The file of SSLKEYLOGFILE may not exist yet: programs create it at their first handshake.
 */
export function readKeyLogs(paths: readonly string[], namedOnly = false): string[] {
  const texts = paths.map((path) => {
    try {
      return keyLogIn(readFileSync(path));
    } catch (error) {
      throw new CliError(`--keylog ${path}: ${describeError(error)}`);
    }
  });
  const inherited = namedOnly ? undefined : process.env['SSLKEYLOGFILE'];
  if (inherited === undefined || inherited === '' || paths.includes(inherited)) return texts;
  try {
    texts.push(keyLogIn(readFileSync(inherited)));
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ENOENT')
      throw new CliError(`SSLKEYLOGFILE ${inherited}: ${describeError(error)}`);
  }
  return texts;
}

/** Key logs that may grow while the capture is read: plain files, existing or not; no pipes, no gzipped files. */
export function growingKeyLogs(paths: readonly string[]): { readonly growing: string[]; readonly whole: string[] } {
  const inherited = process.env['SSLKEYLOGFILE'];
  const all = inherited === undefined || inherited === '' ? paths : [...new Set([...paths, inherited])];
  const growing = all.filter(mayGrow);
  return { growing, whole: paths.filter((path) => !growing.includes(path)) };
}

function mayGrow(path: string): boolean {
  if (!existsSync(path)) return true;
  if (!statSync(path).isFile()) return false;
  const first = firstBytes(path, LOOKED_AT);
  if (first === null) return false;
  const why = whyNone(first);
  if (why !== null) throw new CliError(`--keylog ${path}: ${why}`);
  return !isGzip(first);
}

/** Reads a file, gzipped or not. */
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

/** Limit in bytes: an inflated key log: more than the 100,000 sessions that are read can have. */
const MAX_KEY_LOG = 256 * 1024 * 1024;
const TOO_LONG = `inflates to more than ${MAX_KEY_LOG / 1024 / 1024} MiB, the most that is read of a gzipped key log; give only the lines of the capture's time`;
/** Bytes that are read to recognise a growing key log. */
const LOOKED_AT = 16 * 1024;
