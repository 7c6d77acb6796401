// Opens what a user named as captures. The only reader of files; every trouble becomes one sentence that says what to do.

import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { CliError } from '../cli-error.js';

export interface ReadOptions {
  /** Ends the reading, also while nothing comes. */
  readonly stop?: AbortSignal;
  /** A file is read on as it grows, until `stop`. */
  readonly follow?: boolean;
}

/** Chunks of a file or of standard input (`-`). The buffer of a file is used again for its next chunk. */
export async function* readCapture(path: string, { stop, follow }: ReadOptions = {}): AsyncGenerator<Uint8Array> {
  if (path === '-') {
    yield* readStandardInput(stop);
    return;
  }
  const failed = (error: unknown): never => {
    throw error instanceof CliError ? error : new CliError(`${path}: ${sayWhy(error)}`);
  };
  const stats = await stat(path).catch(failed);
  if (stats.isDirectory()) throw new CliError(`${path} is a directory; name the capture files in it`);
  if (stats.isFile() && follow !== true) {
    yield* readRegular(path, stats, stop);
    return;
  }
  const file = await open(path).catch(failed);
  /** A read that nothing has come of yet. */
  let waiting: Promise<unknown> | null = null;
  try {
    const buffer = new Uint8Array(CHUNK);
    for (;;) {
      // A named pipe may have nothing to read for long.
      const reading = file.read(buffer, 0, CHUNK, null);
      waiting = reading;
      const read = await unlessStopped(reading, stop);
      if (read !== null) waiting = null;
      const bytesRead = read?.bytesRead ?? 0;
      if (bytesRead === 0) {
        if (follow !== true || stop?.aborted === true) return;
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
        continue;
      }
      yield buffer.subarray(0, bytesRead);
    }
  } catch (error) {
    failed(error);
  } finally {
    // Closing waits for a read that still waits, so nobody waits for that.
    if (waiting === null) await file.close();
    else
      void waiting
        .catch(() => {})
        .then(() => file.close())
        .catch(() => {});
  }
}

/**
 * A regular file never lets one wait: it is read where it is asked for, which costs half as much. Where many are read side by
 * side, all but the first are closed between two chunks, so that no number of captures runs out of file descriptors.
 */
async function* readRegular(path: string, found: Stats, stop: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  const isKept = keptOpen < MAX_KEPT_OPEN;
  const size = Math.min(isKept ? CHUNK : SMALL_CHUNK, Math.max(found.size, SMALLEST_CHUNK));
  const buffer = new Uint8Array(size);
  let file: number | null = null;
  if (isKept) keptOpen += 1;
  try {
    let at = 0;
    for (let chunks = 1; stop?.aborted !== true; chunks++) {
      file ??= openRegular(path, found);
      const bytesRead = readSync(file, buffer, 0, size, at);
      if (!isKept) {
        closeSync(file);
        file = null;
      }
      if (bytesRead === 0) return;
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
      // Whatever else happens, an interrupt or a word of another thread, is heard in between.
      if (chunks % CHUNKS_IN_A_ROW === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  } catch (error) {
    throw error instanceof CliError ? error : new CliError(`${path}: ${sayWhy(error)}`);
  } finally {
    if (file !== null) closeSync(file);
    if (isKept) keptOpen -= 1;
  }
}

/** Throws Trouble where another file has the name by now. */
function openRegular(path: string, { dev, ino }: Stats): number {
  // What became a pipe meanwhile would wait for its writer.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const now = fstatSync(file);
  if (now.dev === dev && now.ino === ino) return file;
  closeSync(file);
  throw new CliError(`${path}: was replaced by another file while it was read; read a copy`);
}

async function* readStandardInput(stop: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  // Whoever writes it was interrupted too, as a rule, and still has something to say.
  const end = (): void => void setTimeout(() => process.stdin.destroy(), GRACE_MS).unref();
  stop?.addEventListener('abort', end);
  try {
    for await (const chunk of process.stdin) yield chunk as Uint8Array;
  } catch (error) {
    if (stop?.aborted !== true) throw new CliError(`standard input: ${sayWhy(error)}`);
  } finally {
    stop?.removeEventListener('abort', end);
  }
}

/** @returns null once it is stopped. Nothing stays behind with the signal: a race would leave something of each read there. */
function unlessStopped<T>(reading: Promise<T>, stop: AbortSignal | undefined): Promise<T | null> {
  if (stop === undefined) return reading;
  return new Promise((resolve, reject) => {
    const end = (): void => resolve(null);
    if (stop.aborted) end();
    stop.addEventListener('abort', end, { once: true });
    reading.then(resolve, reject).finally(() => stop.removeEventListener('abort', end));
  });
}

export function sayWhy(error: unknown): string {
  const { code, path } = error as { code?: unknown; path?: unknown };
  if (code === 'ENOENT' && typeof path === 'string' && path.includes(NOT_UTF8)) return OTHER_NAME;
  const words = typeof code === 'string' ? ERRORS[code] : undefined;
  return words ?? (error instanceof Error ? error.message.split('\n', 1)[0] : String(error));
}

const ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file; check the path',
  EACCES: 'no permission to read or write it; captures are often owned by root, try sudo or chown',
  EISDIR: 'is a directory; name a file in it',
  EPERM: 'the system does not permit it there; name another place',
  ENOSPC: 'no space left on the disk',
  ENOTDIR: 'a part of the path is not a directory',
  EROFS: 'the file system is read-only',
  EMFILE: 'too many files are open; name fewer at once, or raise the limit (ulimit -n)',
};

/** What stands for bytes of an argument that are no UTF-8: node cannot name such a file. */
const NOT_UTF8 = '\ufffd';
const OTHER_NAME =
  'a file whose name is not UTF-8 cannot be opened by it, if it is there; rename it, or give a capture as standard input: - < FILE';

/** After an interrupt: in which standard input may still end by itself, ms. */
const GRACE_MS = 300;
/** Between two looks at a file that grows, ms. */
const LOOK_MS = 20;
/** Regular files that are open from their first chunk to their last. */
let keptOpen = 0;
/** Of the 128 file descriptors of the strictest limits (`ulimit -n`) node itself needs some twenty. */
const MAX_KEPT_OPEN = 32;
/** Bytes read at once of the files beyond them: each has them in memory. */
const SMALL_CHUNK = 32 * 1024;
/** Bytes; /proc says that its files have none. */
const SMALLEST_CHUNK = 4096;
/** Bytes read at once: what comes of a chunk waits until all of it is read, and what waits longer costs more to collect. */
const CHUNK = 256 * 1024;
/** 4 MiB: a tenth of a second. */
const CHUNKS_IN_A_ROW = 16;
