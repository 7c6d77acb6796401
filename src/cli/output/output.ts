// Writes to standard output, or to a file that appears complete or not at all.

import { once } from 'node:events';
import { createWriteStream, existsSync, realpathSync, statSync, type WriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { CliError, describeError } from '../cli-error.js';
import { foreignLink } from '../file-access.js';
import { standardStreams } from '../standard-streams.js';
import { abandonFile, beginFile, finishFile, type Unfinished } from './unfinished-file.js';

export interface Output {
  write(text: string | Uint8Array): Promise<void>;
  /** Everything was written: renames the file to its final name. */
  done(): Promise<void>;
  /** After an error: removes the incomplete file. */
  abandon(): Promise<void>;
}

export function openOutput(path: string | undefined): Output {
  return path === undefined || STANDARD_OUTPUT.has(path) ? standardOutput() : fileOutput(path);
}

/** Writes all of an output at once. @param path undefined: standard output. */
export async function writeOutput(path: string | undefined, text: string): Promise<void> {
  const output = openOutput(path);
  await output.write(text);
  await output.done();
}

function standardOutput(): Output {
  return {
    async write(text) {
      await standardStreams().output(text);
    },
    async done() {},
    async abandon() {},
  };
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
        throw new CliError(`${named}: ${describeError(error)}`);
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
    throw new CliError(`${named}: ${describeError(failed)}`);
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
        throw new CliError(`${named}: ${describeError(error)}`);
      });
      finishFile(temporary);
    },
    abandon,
  };
}

/** Devices and pipes are written directly, and the target of the user's own link is replaced. An existing file keeps its mode. */
function placeOf(named: string): { readonly path: string; readonly mode: number; readonly direct: boolean } {
  const foreign = foreignLink(named);
  if (foreign !== null) throw new CliError(`${named}: ${foreign}`);
  if (!existsSync(named)) return { path: named, mode: NEW_MODE, direct: false };
  try {
    const found = statSync(named);
    // An inherited pipe (/dev/fd/3) has no real path.
    const path = found.isFile() ? realpathSync(named) : named;
    if (found.isDirectory()) throw new CliError(`${named}: is a directory; name a file in it`);
    return { path, mode: found.mode & 0o777, direct: !found.isFile() };
  } catch (error) {
    throw error instanceof CliError ? error : new CliError(`${named}: ${describeError(error)}`);
  }
}

const NEW_MODE = 0o644;
const STANDARD_OUTPUT: ReadonlySet<string> = new Set(['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1']);
