// Opens what a user named as captures. The only reader of files; every trouble becomes one sentence that says what to do.

import { open } from 'node:fs/promises';
import { Trouble } from './trouble.js';

/** Chunks of a file or of standard input (`-`). The buffer of a file is used again for its next chunk. */
export async function* readCapture(path: string): AsyncGenerator<Uint8Array> {
  if (path === '-') {
    for await (const chunk of process.stdin) yield chunk as Uint8Array;
    return;
  }
  const file = await open(path).catch((error: unknown) => {
    throw new Trouble(`${path}: ${sayWhy(error)}`);
  });
  try {
    if ((await file.stat()).isDirectory()) throw new Trouble(`${path} is a directory; name the capture files in it`);
    const buffer = new Uint8Array(CHUNK);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, CHUNK, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } catch (error) {
    throw error instanceof Trouble ? error : new Trouble(`${path}: ${sayWhy(error)}`);
  } finally {
    await file.close();
  }
}

export function sayWhy(error: unknown): string {
  const code = (error as { code?: unknown }).code;
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

/** Bytes read at once: what comes of a chunk waits until all of it is read, and what waits longer costs more to collect. */
const CHUNK = 256 * 1024;
