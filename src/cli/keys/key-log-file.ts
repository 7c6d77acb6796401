// The file that TLS secrets are written to: readable by its owner only, each line as soon as it is known, added to what
// is there, as SSLKEYLOGFILE is.

import { closeSync, constants, fchmodSync, fstatSync, openSync, writeSync } from 'node:fs';
import { CliError } from '../cli-error.js';
import { sayWhy } from '../input/input.js';
import { foreignFile } from '../trusted.js';

export interface KeyLogFile {
  /** @param lines without line ends. */
  write(lines: readonly string[]): void;
  close(): void;
}

/** @param path absent or `-`: standard output. Throws Trouble. */
export function openKeyLog(path: string | undefined): KeyLogFile {
  if (path === undefined || path === '-') {
    return {
      write: (lines) => void process.stdout.write(lines.map((line) => `${line}\n`).join('')),
      close: () => {},
    };
  }
  try {
    const file = opened(path);
    return {
      write: (lines) => void writeSync(file, lines.map((line) => `${line}\n`).join('')),
      close: () => closeSync(file),
    };
  } catch (error) {
    if (error instanceof CliError) throw error;
    const why = (error as { code?: string }).code === 'ELOOP' ? 'is a link; name the file itself' : sayWhy(error);
    throw new CliError(`${path}: ${why}`);
  }
}

/** Makes the file, or opens our own. Nobody else's link is followed, and nobody else's file written to: this runs as root. */
function opened(path: string): number {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW;
  try {
    return openSync(path, flags | constants.O_CREAT | constants.O_EXCL, OWNER_ONLY);
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error;
  }
  const file = openSync(path, flags);
  const stats = fstatSync(file);
  const foreign = foreignFile(stats);
  if (foreign !== null) {
    closeSync(file);
    throw new CliError(`${path}: ${foreign}`);
  }
  // A device or a pipe is left as it is.
  if (stats.isFile()) fchmodSync(file, OWNER_ONLY);
  return file;
}

const OWNER_ONLY = 0o600;
