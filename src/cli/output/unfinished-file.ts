// Writes files under a temporary name until they are complete, and removes them if the program ends before.

import { randomBytes } from 'node:crypto';
import { constants, openSync, rmSync, unlinkSync } from 'node:fs';

/** A file under a temporary name. */
export interface Unfinished {
  readonly path: string;
  /** Descriptor, open for writing. */
  readonly file: number;
}

/**
 * Creates a temporary file beside the final one. An existing file or link with the temporary name is not used.
 * @param path final path.
 * @param mode permissions before the umask.
 */
export function beginFile(path: string, mode: number): Unfinished {
  const temporary = `${path}.${randomBytes(4).toString('hex')}.part`;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const file = openSync(temporary, flags, mode);
  exitOnSignals();
  unfinished.add(temporary);
  return { path: temporary, file };
}

/** The file is complete and renamed: it stays when the program ends. */
export function finishFile({ path }: Unfinished): void {
  unfinished.delete(path);
}

/** Removes a file that will not be completed. */
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
      // It was never created, or its folder is gone.
    }
  }
});

let isListening = false;

/** Without a listener, a signal would end the program without the `exit` event. */
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
