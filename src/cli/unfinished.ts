// Files that are written under another name until they are whole: made anew for their owner alone or with the mode that they will
// have, and gone when the program ends before they are.

import { randomBytes } from 'node:crypto';
import { constants, openSync, rmSync, unlinkSync } from 'node:fs';

/** A file that has no name of its own yet. */
export interface Unfinished {
  readonly path: string;
  /** Descriptor, open for writing. */
  readonly file: number;
}

/**
 * Makes a file beside the one that it will be. A name that somebody else made beforehand, a link for example, is not used.
 * @param path that it will have.
 * @param mode of its permissions, less what the umask takes.
 */
export function beginFile(path: string, mode: number): Unfinished {
  const temporary = `${path}.${randomBytes(4).toString('hex')}.part`;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const file = openSync(temporary, flags, mode);
  exitOnSignals();
  unfinished.add(temporary);
  return { path: temporary, file };
}

/** The file is whole and was renamed: it stays when the program ends. */
export function finishFile({ path }: Unfinished): void {
  unfinished.delete(path);
}

/** Removes a file that will not become whole. */
export function abandonFile({ path }: Unfinished): void {
  rmSync(path, { force: true });
  unfinished.delete(path);
}

const unfinished = new Set<string>();
process.on('exit', () => {
  for (const path of unfinished) {
    try {
      unlinkSync(path);
    } catch {
      // It never came to be, or its folder is gone.
    }
  }
});

let isListening = false;

/** A signal without a listener would end the program without its `exit`. */
function exitOnSignals(): void {
  if (isListening) return;
  isListening = true;
  for (const [signal, number] of SIGNALS) {
    process.once(signal, () => {
      if (process.listenerCount(signal) === 0) process.exit(128 + number);
    });
  }
}

const SIGNALS = [
  ['SIGTERM', 15],
  ['SIGHUP', 1],
] as const;
