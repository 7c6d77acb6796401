// Reads parts of a regular file.

import { closeSync, openSync, readSync, statSync } from 'node:fs';
import type { RandomAccessFile } from '../../index.js';
import { CliError, describeError } from '../cli-error.js';

/** undefined: it is no regular file. */
export function randomAccess(path: string): RandomAccessFile | undefined {
  const found = path === '-' ? undefined : statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true) return undefined;
  return { name: path, size: found.size, read: (start, end) => bytesOf(path, start, end) };
}

/** @returns fewer bytes where the file ends before. Throws CliError. */
function bytesOf(path: string, start: number, end: number): Uint8Array {
  let file: number | null = null;
  try {
    file = openSync(path, 'r');
    const bytes = new Uint8Array(Math.max(0, end - start));
    let length = 0;
    while (length < bytes.length) {
      const read = readSync(file, bytes, length, bytes.length - length, start + length);
      if (read === 0) break;
      length += read;
    }
    return bytes.subarray(0, length);
  } catch (error) {
    throw new CliError(`${path}: ${describeError(error)}`);
  } finally {
    if (file !== null) closeSync(file);
  }
}
