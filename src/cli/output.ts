// Where data goes: standard output, or a file that is written whole or not at all. A closed pipe (`| head`) ends the
// command quietly.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, existsSync, realpathSync, statSync, unlinkSync, type WriteStream } from 'node:fs';
import { rename, unlink } from 'node:fs/promises';
import { sayWhy } from './input.js';
import { EXIT_FINE, Trouble } from './trouble.js';

export interface Output {
  write(text: string | Uint8Array): Promise<void>;
  /** Everything was written: a file gets its name now. */
  done(): Promise<void>;
  /** Something went wrong: no half file stays. */
  abandon(): Promise<void>;
}

export function openOutput(path: string | undefined): Output {
  return path === undefined || STANDARD_OUTPUT.has(path) ? standardOutput() : fileOutput(path);
}

function standardOutput(): Output {
  return {
    async write(text) {
      if (text.length > 0 && !process.stdout.write(text)) await once(process.stdout, 'drain');
    },
    async done() {},
    async abandon() {},
  };
}

/** A reader that has seen enough closes the pipe: that is not an error (as with tcpdump and tshark). */
export function endQuietlyOnClosedPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT_FINE);
    process.stderr.write(`kubeseq: standard output: ${sayWhy(error)}\n`);
    process.exit(2);
  });
}

function fileOutput(named: string): Output {
  const { path, mode, direct } = placeOf(named);
  const temporary = direct ? path : `${path}.${randomBytes(4).toString('hex')}.part`;
  let stream: WriteStream | null = null;
  let failed: Error | null = null;
  const opened = (): WriteStream => {
    if (stream !== null) return stream;
    stream = createWriteStream(temporary, { mode });
    if (!direct) {
      if (unfinished.size === 0) leaveBySignals();
      unfinished.add(temporary);
    }
    stream.on('error', (error) => {
      failed = error;
    });
    return stream;
  };
  const abandon = async (): Promise<void> => {
    if (stream === null) return;
    stream.destroy();
    if (direct) return;
    await unlink(temporary).catch(() => {});
    unfinished.delete(temporary);
  };
  const check = async (): Promise<void> => {
    if (failed === null) return;
    await abandon();
    throw new Trouble(`${named}: ${sayWhy(failed)}`);
  };
  return {
    async write(text) {
      const file = opened();
      await check();
      if (!file.write(text)) {
        const settled = new AbortController();
        const { signal } = settled;
        await Promise.race([once(file, 'drain', { signal }), once(file, 'close', { signal })]).catch(() => {});
        settled.abort();
      }
      await check();
    },
    async done() {
      const file = opened();
      file.end();
      if (!file.closed) await once(file, 'close').catch(() => {});
      await check();
      if (direct) return;
      await rename(temporary, path).catch(async (error: unknown) => {
        await abandon();
        throw new Trouble(`${named}: ${sayWhy(error)}`);
      });
      unfinished.delete(temporary);
    },
    abandon,
  };
}

/** Devices and pipes are written to as they are; of a link, what it points to is replaced. An existing file keeps its mode. */
function placeOf(named: string): { readonly path: string; readonly mode: number; readonly direct: boolean } {
  if (!existsSync(named)) return { path: named, mode: NEW_MODE, direct: false };
  try {
    const found = statSync(named);
    // A pipe of this program (/dev/fd/3) has no real path.
    const path = found.isFile() ? realpathSync(named) : named;
    if (found.isDirectory()) throw new Trouble(`${named}: is a directory; name a file in it`);
    return { path, mode: found.mode & 0o777, direct: !found.isFile() };
  } catch (error) {
    throw error instanceof Trouble ? error : new Trouble(`${named}: ${sayWhy(error)}`);
  }
}

const NEW_MODE = 0o644;
const STANDARD_OUTPUT: ReadonlySet<string> = new Set(['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1']);

/** Files that have no name of their own yet: none stays behind, whatever ends the program. */
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

/** A signal without a listener would end the program without its `exit`. */
function leaveBySignals(): void {
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
