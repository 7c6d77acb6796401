// Reads parts of files, each as a whole: the system may give fewer bytes than it is asked for.

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
    return readInto(new Uint8Array(Math.max(0, end - start)), file, start);
  } catch (error) {
    throw new CliError(`${path}: ${describeError(error)}`);
  } finally {
    if (file !== null) closeSync(file);
  }
}

/** Fills `bytes` from a position of an opened file. @returns the part that was filled: less where the file ends. Throws the system's error. */
export function readInto<Bytes extends Uint8Array>(bytes: Bytes, file: number, position: number): Bytes {
  let length = 0;
  while (length < bytes.length) {
    const read = readSync(file, bytes, length, bytes.length - length, position + length);
    if (read === 0) break;
    length += read;
  }
  return bytes.subarray(0, length) as Bytes;
}

/** @returns the first bytes of a file; null where it cannot be opened or read: whoever reads all of it reports that. */
export function firstBytes(path: string, length: number): Buffer | null {
  try {
    const file = openSync(path, 'r');
    try {
      return readInto(Buffer.alloc(length), file, 0);
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
}
