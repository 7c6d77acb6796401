// The file that TLS secrets are written to: readable by its owner only, each line as soon as it is known, added to what
// is there, as SSLKEYLOGFILE is.

import { closeSync, constants, fchmodSync, openSync, writeSync } from 'node:fs';
import { sayWhy } from './input.js';
import { Trouble } from './trouble.js';

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
    // Nobody else's link is followed: this runs as root.
    const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
    const file = openSync(path, flags, OWNER_ONLY);
    fchmodSync(file, OWNER_ONLY);
    return {
      write: (lines) => void writeSync(file, lines.map((line) => `${line}\n`).join('')),
      close: () => closeSync(file),
    };
  } catch (error) {
    const why = (error as { code?: string }).code === 'ELOOP' ? 'is a link; name the file itself' : sayWhy(error);
    throw new Trouble(`${path}: ${why}`);
  }
}

const OWNER_ONLY = 0o600;
