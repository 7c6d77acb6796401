// Writes to standard output, or to a file that appears complete or not at all.

import { once } from 'node:events';
import { constants, createWriteStream, openSync, type Stats, type WriteStream } from 'node:fs';
import { CliError, describeError } from '../cli-error.js';
import { foreignFile, isRoot } from '../files/file-access.js';
import { standardStreams } from '../standard-streams.js';
import { type OutputPlace, outputPlace } from './output-folder.js';
import { abandonFile, beginFile, finishFile, type Unfinished } from './unfinished-file.js';

export interface Output {
  write(text: string | Uint8Array): Promise<void>;
  /** Everything was written: renames the file to its final name. */
  done(): Promise<void>;
  /** After an error: removes the incomplete file. */
  abandon(): Promise<void>;
}

/** Permissions that an output may have at most: what --show-secrets writes is its owner's alone. */
export function widestMode({ showSecrets }: { readonly showSecrets?: true }): number {
  return showSecrets === true ? 0o600 : ANY_MODE;
}

/** @param widest permissions that the file may have at most. */
export function openOutput(path: string | undefined, widest = ANY_MODE): Output {
  return path === undefined || STANDARD_OUTPUT.has(path) ? standardOutput() : fileOutput(path, widest);
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

function fileOutput(named: string, widest: number): Output {
  let temporary: Unfinished | null = null;
  let stream: WriteStream | null = null;
  let failed: Error | null = null;
  const destination = destinationOf(named, widest);
  const opened = (): WriteStream => {
    if (stream !== null) return stream;
    try {
      if ('descriptor' in destination) stream = createWriteStream('', { fd: destination.descriptor });
      else if ('pipe' in destination) stream = createWriteStream(destination.pipe);
      else if ('device' in destination)
        stream = createWriteStream('', {
          fd: openSync(destination.device, constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NOCTTY),
        });
      else {
        temporary = beginFile(destination.place, destination.mode);
        stream = createWriteStream(temporary.path, { fd: temporary.file });
      }
    } catch (error) {
      throw new CliError(`${named}: ${describeError(error)}`);
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
      try {
        finishFile(temporary);
      } catch (error) {
        await abandon();
        throw new CliError(`${named}: ${describeError(error)}`);
      }
    },
    abandon,
  };
}

/** A descriptor that this process was started with, a device or pipe, or a place where a file appears. */
type OutputDestination =
  | { readonly descriptor: number }
  | { readonly device: string }
  /** Opening it waits for its reader. */
  | { readonly pipe: string }
  | { readonly place: OutputPlace; readonly mode: number };

/**
 * Devices, and pipes of a user, are written as they are, and the target of the user's own link is replaced. An existing file keeps
 * its mode, but for what `widest` leaves out.
 */
function destinationOf(named: string, widest: number): OutputDestination {
  const [, inherited] = DESCRIPTOR.exec(named) ?? [];
  if (named === '/dev/stderr' || inherited !== undefined) return { descriptor: Number(inherited ?? 2) };
  try {
    const place = outputPlace(named);
    const { folder, name, found } = place;
    // A link that leads nowhere is replaced itself.
    if (found === undefined || found.isSymbolicLink()) return { place, mode: NEW_MODE & widest };
    const why = whyNot(found, folder.stats());
    if (why !== null) {
      folder.close();
      throw new CliError(why);
    }
    if (found.isFile()) return { place, mode: found.mode & 0o777 & widest };
    return found.isFIFO() ? { pipe: folder.entry(name) } : { device: folder.entry(name) };
  } catch (error) {
    throw new CliError(`${named}: ${describeError(error)}`);
  }
}

/** @returns why nothing is written there; null: it is. */
function whyNot(found: Stats, folder: Stats): string | null {
  if (found.isDirectory()) return 'is a directory; name a file in it';
  if (found.isFile()) return (folder.mode & STICKY) === 0 || !isRoot() ? null : foreignFile(found);
  if (found.isCharacterDevice() || (found.isFIFO() && !isRoot())) return null;
  return found.isFIFO()
    ? 'is a pipe, which root does not write to by its name; name a file, or write to standard output'
    : 'is no file; name one, or write to standard output';
}

const STICKY = 0o1000;
const NEW_MODE = 0o644;
const ANY_MODE = 0o777;
/** What a shell puts for `>(command)` too: the descriptor itself is used, whatever is at its name. */
const DESCRIPTOR = /^\/(?:dev|proc\/self)\/fd\/(\d{1,9})$/;
const STANDARD_OUTPUT: ReadonlySet<string> = new Set(['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1']);
