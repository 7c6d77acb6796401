// Where data goes: standard output, or a file that is written whole or not at all. A closed pipe (`| head`) ends the
// command quietly.

import { once } from 'node:events';
import { createWriteStream, existsSync, realpathSync, statSync, type WriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { CliError, EXIT_FINE } from '../cli-error.js';
import { sayWhy } from '../input/input.js';
import { foreignLink } from '../trusted.js';
import { abandonFile, beginFile, finishFile, type Unfinished } from '../unfinished.js';

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
  let temporary: Unfinished | null = null;
  let stream: WriteStream | null = null;
  let failed: Error | null = null;
  const opened = (): WriteStream => {
    if (stream !== null) return stream;
    if (direct) stream = createWriteStream(path, { mode });
    else {
      try {
        temporary = beginFile(path, mode);
      } catch (error) {
        throw new CliError(`${named}: ${sayWhy(error)}`);
      }
      stream = createWriteStream(temporary.path, { fd: temporary.file });
    }
    stream.on('error', (error) => {
      failed = error;
    });
    return stream;
  };
  const abandon = async (): Promise<void> => {
    if (stream === null) return;
    stream.destroy();
    if (temporary !== null) abandonFile(temporary);
  };
  const check = async (): Promise<void> => {
    if (failed === null) return;
    await abandon();
    throw new CliError(`${named}: ${sayWhy(failed)}`);
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
      if (temporary === null) return;
      await rename(temporary.path, path).catch(async (error: unknown) => {
        await abandon();
        throw new CliError(`${named}: ${sayWhy(error)}`);
      });
      finishFile(temporary);
    },
    abandon,
  };
}

/** Devices and pipes are written to as they are; of a link of our own, what it points to is replaced. An existing file keeps its mode. */
function placeOf(named: string): { readonly path: string; readonly mode: number; readonly direct: boolean } {
  const foreign = foreignLink(named);
  if (foreign !== null) throw new CliError(`${named}: ${foreign}`);
  if (!existsSync(named)) return { path: named, mode: NEW_MODE, direct: false };
  try {
    const found = statSync(named);
    // A pipe of this program (/dev/fd/3) has no real path.
    const path = found.isFile() ? realpathSync(named) : named;
    if (found.isDirectory()) throw new CliError(`${named}: is a directory; name a file in it`);
    return { path, mode: found.mode & 0o777, direct: !found.isFile() };
  } catch (error) {
    throw error instanceof CliError ? error : new CliError(`${named}: ${sayWhy(error)}`);
  }
}

const NEW_MODE = 0o644;
const STANDARD_OUTPUT: ReadonlySet<string> = new Set(['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1']);
