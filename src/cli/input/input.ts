// Reads files and standard input, whole texts or captures in chunks.

import { closeSync, constants, fstatSync, openSync, readFileSync, readSync, type Stats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { CliError, describeError } from '../cli-error.js';

/** Reads a text at once. @param path `-`: standard input. Throws CliError. */
export function readText(path: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8');
  } catch (error) {
    throw new CliError(`${path}: ${describeError(error)}`);
  }
}

export interface ReadOptions {
  /** Ends the reading, even while it waits. */
  readonly stop?: AbortSignal;
  /** Follow the file as it grows, until `stop`. */
  readonly follow?: boolean;
}

/** Reads chunks of a file or of standard input (`-`). A file's buffer is reused for its next chunk. */
export async function* readCapture(path: string, { stop, follow }: ReadOptions = {}): AsyncGenerator<Uint8Array> {
  if (path === '-') {
    yield* readStandardInput(stop);
    return;
  }
  const failed = (error: unknown): never => {
    throw error instanceof CliError ? error : new CliError(`${path}: ${describeError(error)}`);
  };
  const file = held.get(path);
  const stats = file === undefined ? await stat(path).catch(failed) : fstatSync(file);
  if (stats.isDirectory()) throw new CliError(`${path} is a directory; name the capture files in it`);
  if (stats.isFile() && follow !== true) {
    yield* readRegular(path, stats, stop);
    return;
  }
  const opened = await open(path).catch(failed);
  /** A pending read. */
  let waiting: Promise<unknown> | null = null;
  try {
    const buffer = new Uint8Array(CHUNK);
    for (;;) {
      // A named pipe may be empty for long.
      const reading = opened.read(buffer, 0, CHUNK, null);
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
    // Closing would wait for the pending read, so it is not awaited.
    if (waiting === null) await opened.close();
    else
      void waiting
        .catch(() => {})
        .then(() => opened.close())
        .catch(() => {});
  }
}

/**
 * Reads a regular file synchronously, which never blocks for long and costs half as much. If many are read in parallel, all but
 * the first are closed between chunks, so that file descriptors suffice for any number of captures.
 */
async function* readRegular(path: string, found: Stats, stop: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  const kept = held.get(path);
  const isKept = kept !== undefined || keptOpen < MAX_KEPT_OPEN;
  const size = Math.min(isKept ? CHUNK : SMALL_CHUNK, Math.max(found.size, SMALLEST_CHUNK));
  const buffer = new Uint8Array(size);
  let file: number | null = kept ?? null;
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
      // Other events, such as an interrupt, are handled in between.
      if (chunks % CHUNKS_IN_A_ROW === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  } catch (error) {
    throw error instanceof CliError ? error : new CliError(`${path}: ${describeError(error)}`);
  } finally {
    if (file !== null && kept === undefined) closeSync(file);
    if (isKept) keptOpen -= 1;
  }
}

/**
 * Opens a file now, until it is released: its name may be another file's, or nobody's, before it is read.
 * @returns false: it is gone, or nobody may read it.
 */
export function hold(path: string): boolean {
  try {
    if (!held.has(path)) held.set(path, openSync(path, constants.O_RDONLY | constants.O_NONBLOCK));
    return true;
  } catch {
    return false;
  }
}

/** Closes a file, if it is held. */
export function release(path: string): void {
  const file = held.get(path);
  held.delete(path);
  if (file !== undefined) closeSync(file);
}

/** Throws CliError if the name now belongs to another file. */
function openRegular(path: string, { dev, ino }: Stats): number {
  // Opening a pipe would wait for its writer.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const now = fstatSync(file);
  if (now.dev === dev && now.ino === ino) return file;
  closeSync(file);
  throw new CliError(`${path}: was replaced by another file while it was read; read a copy`);
}

async function* readStandardInput(stop: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  // The writer of the pipe usually got the interrupt too, and still has output.
  const end = (): void => void setTimeout(() => process.stdin.destroy(), GRACE_MS).unref();
  stop?.addEventListener('abort', end);
  try {
    for await (const chunk of process.stdin) yield chunk as Uint8Array;
  } catch (error) {
    if (stop?.aborted !== true) throw new CliError(`standard input: ${describeError(error)}`);
  } finally {
    stop?.removeEventListener('abort', end);
  }
}

/** @returns null on stop. Unlike Promise.race, it leaves no listener on the signal for each read. */
function unlessStopped<T>(reading: Promise<T>, stop: AbortSignal | undefined): Promise<T | null> {
  if (stop === undefined) return reading;
  return new Promise((resolve, reject) => {
    const end = (): void => resolve(null);
    if (stop.aborted) end();
    stop.addEventListener('abort', end, { once: true });
    reading.then(resolve, reject).finally(() => stop.removeEventListener('abort', end));
  });
}

/** Time after an interrupt in which standard input may end by itself, ms. */
const GRACE_MS = 300;
/** Interval between reads of a growing file, ms. */
const LOOK_MS = 20;
/** Descriptors of held files. */
const held = new Map<string, number>();
/** Regular files that are open from their first chunk to their last. */
let keptOpen = 0;
/**
 * Limit: captures that are open from their first byte to their last, more are opened for each chunk: of the 128 file descriptors of the
 * strictest limits (`ulimit -n`) node itself needs some twenty.
 */
const MAX_KEPT_OPEN = 32;
/** Bytes read at once of the files beyond them: each has them in memory. */
const SMALL_CHUNK = 32 * 1024;
/** Bytes; in /proc, files have the size 0. */
const SMALLEST_CHUNK = 4096;
/** Bytes of a chunk: larger ones keep more objects alive until the chunk is processed, which costs garbage collection. */
const CHUNK = 256 * 1024;
/** 4 MiB: a tenth of a second. */
const CHUNKS_IN_A_ROW = 16;
