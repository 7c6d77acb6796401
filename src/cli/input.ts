// Opens what a user named as captures. The only reader of files; every trouble becomes one sentence that says what to do.

import { readSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { Trouble } from './trouble.js';

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
  const file = await open(path).catch((error: unknown) => {
    throw new Trouble(`${path}: ${sayWhy(error)}`);
  });
  /** A read that nothing has come of yet. */
  let waiting: Promise<unknown> | null = null;
  try {
    const stats = await file.stat();
    if (stats.isDirectory()) throw new Trouble(`${path} is a directory; name the capture files in it`);
    const buffer = new Uint8Array(CHUNK);
    if (stats.isFile() && follow !== true) {
      yield* readAtOnce(file.fd, buffer, stop);
      return;
    }
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
    throw error instanceof Trouble ? error : new Trouble(`${path}: ${sayWhy(error)}`);
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

/** A regular file never lets one wait: it is read where it is asked for, which costs half as much. */
async function* readAtOnce(
  file: number,
  buffer: Uint8Array,
  stop: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  for (let chunks = 1; stop?.aborted !== true; chunks++) {
    const bytesRead = readSync(file, buffer, 0, CHUNK, null);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    // Whatever else happens, an interrupt or a word of another thread, is heard in between.
    if (chunks % CHUNKS_IN_A_ROW === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

async function* readStandardInput(stop: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  // Whoever writes it was interrupted too, as a rule, and still has something to say.
  const end = (): void => void setTimeout(() => process.stdin.destroy(), GRACE_MS).unref();
  stop?.addEventListener('abort', end);
  try {
    for await (const chunk of process.stdin) yield chunk as Uint8Array;
  } catch (error) {
    if (stop?.aborted !== true) throw new Trouble(`standard input: ${sayWhy(error)}`);
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
  ENOSPC: 'no space left on the disk',
  ENOTDIR: 'a part of the path is not a directory',
  EROFS: 'the file system is read-only',
};

/** What stands for bytes of an argument that are no UTF-8: node cannot name such a file. */
const NOT_UTF8 = '\ufffd';
const OTHER_NAME =
  'a file whose name is not UTF-8 cannot be opened by it, if it is there; rename it, or give a capture as standard input: - < FILE';

/** After an interrupt: in which standard input may still end by itself, ms. */
const GRACE_MS = 300;
/** Between two looks at a file that grows, ms. */
const LOOK_MS = 20;
/** Bytes read at once: what comes of a chunk waits until all of it is read, and what waits longer costs more to collect. */
const CHUNK = 256 * 1024;
/** 4 MiB: a tenth of a second. */
const CHUNKS_IN_A_ROW = 16;
