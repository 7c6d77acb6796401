// Appends TLS secrets to a key log that only its owner can read, each line at once, as SSLKEYLOGFILE does.

import { closeSync, constants, fchmodSync, fstatSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { CliError, describeError } from '../cli-error.js';
import { foreignFile } from '../files/file-access.js';
import { openOutputFolder } from '../output/output-folder.js';

export interface KeyLogFile {
  /** @param lines without line ends. */
  write(lines: readonly string[]): void;
  close(): void;
  /** Closes it, and removes it where it is new and empty. */
  abandon(): void;
}

/** @param path absent or `-`: standard output. Throws CliError. */
export function openKeyLog(path: string | undefined): KeyLogFile {
  if (path === undefined || path === '-') {
    return {
      write: (lines) => void process.stdout.write(lines.map((line) => `${line}\n`).join('')),
      close: () => {},
      abandon: () => {},
    };
  }
  try {
    const { file, isNew } = opened(path);
    return {
      write: (lines) => void writeSync(file, lines.map((line) => `${line}\n`).join('')),
      close: () => closeSync(file),
      abandon() {
        const isEmpty = fstatSync(file).size === 0;
        closeSync(file);
        if (isNew && isEmpty) unlinkSync(path);
      },
    };
  } catch (error) {
    if (error instanceof CliError) throw error;
    const { code } = error as { code?: string };
    const why =
      code === 'ELOOP' ? 'is a link; name the file itself' : code === NO_READER ? NO_FILE : describeError(error);
    throw new CliError(`${path}: ${why}`);
  }
}

/**
 * Creates the file, or opens the user's own, in its opened folder. It never follows links, waits for no reader of a pipe, and as
 * root writes no files of other users.
 */
function opened(path: string): { readonly file: number; readonly isNew: boolean } {
  const folder = openOutputFolder(dirname(resolve(path)));
  try {
    const place = folder.entry(basename(path));
    const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    try {
      return { file: openSync(place, flags | constants.O_CREAT | constants.O_EXCL, OWNER_ONLY), isNew: true };
    } catch (error) {
      if ((error as { code?: string }).code !== 'EEXIST') throw error;
    }
    const file = openSync(place, flags);
    const stats = fstatSync(file);
    const foreign = foreignFile(stats) ?? (stats.isFile() || stats.isCharacterDevice() ? null : NO_FILE);
    if (foreign !== null) {
      closeSync(file);
      throw new CliError(`${path}: ${foreign}`);
    }
    // Devices keep their mode.
    if (stats.isFile()) fchmodSync(file, OWNER_ONLY);
    return { file, isNew: false };
  } finally {
    folder.close();
  }
}

/** What opening a pipe says that nobody reads, as of a socket. */
const NO_READER = 'ENXIO';
const NO_FILE =
  'is a pipe or no file: secrets are lost where nobody reads them; name a file, or write to standard output';
const OWNER_ONLY = 0o600;
