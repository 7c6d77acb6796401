// Writes files under a temporary name until they are complete, and removes them if the program ends before.

import { randomBytes } from 'node:crypto';
import { constants, openSync, renameSync, rmSync, unlinkSync } from 'node:fs';
import type { OutputPlace } from './output-folder.js';

/** A file under a temporary name. */
export interface Unfinished {
  /** Path for this process, until it is finished or abandoned. */
  readonly path: string;
  /** Descriptor, open for writing. */
  readonly file: number;
  readonly place: Pick<OutputPlace, 'folder' | 'name'>;
}

/**
 * Creates a temporary file beside the final one, in the same opened folder. An existing file or link with the temporary name is
 * not used.
 * @param place of the final file; its folder is closed with the file. @param mode permissions before the umask.
 */
export function beginFile(place: Unfinished['place'], mode: number): Unfinished {
  const path = place.folder.entry(`${place.name}.${randomBytes(4).toString('hex')}.part`);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const file = openSync(path, flags, mode);
  exitOnSignals();
  unfinished.add(path);
  return { path, file, place };
}

/** The file is complete: it gets its name, and stays when the program ends. Throws the system's error. */
export function finishFile({ path, place }: Unfinished): void {
  renameSync(path, place.folder.entry(place.name));
  unfinished.delete(path);
  place.folder.close();
}

/** Removes a file that will not be completed; once. */
export function abandonFile({ path, place }: Unfinished): void {
  if (!unfinished.delete(path)) return;
  rmSync(path, { force: true });
  place.folder.close();
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
