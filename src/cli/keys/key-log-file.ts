// Appends TLS secrets to a key log that only its owner can read, each line at once, as SSLKEYLOGFILE does.

import { closeSync, constants, fchmodSync, fstatSync, openSync, writeSync } from 'node:fs';
import { CliError, describeError } from '../cli-error.js';
import { foreignFile } from '../file-access.js';

export interface KeyLogFile {
  /** @param lines without line ends. */
  write(lines: readonly string[]): void;
  close(): void;
}

/** @param path absent or `-`: standard output. Throws CliError. */
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
    const why =
      (error as { code?: string }).code === 'ELOOP' ? 'is a link; name the file itself' : describeError(error);
    throw new CliError(`${path}: ${why}`);
  }
}

/** Creates the file, or opens the user's own. As root, it never follows links or writes files of other users. */
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
  // Devices and pipes keep their mode.
  if (stats.isFile()) fchmodSync(file, OWNER_ONLY);
  return file;
}

const OWNER_ONLY = 0o600;
