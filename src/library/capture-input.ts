// Opens what a program gives as a capture: a path, bytes, a Blob, or chunks as they come.

import type { CaptureBytes } from '../index.js';
import { fileChunks } from '../platform/files.js';
import { blobChunks } from './blob-chunks.js';

/** A capture: its path, its bytes, a Blob (as a browser's File), or its bytes in chunks. Gzipped or not. */
export type CaptureInput = string | URL | Uint8Array | ArrayBuffer | Blob | AsyncIterable<Uint8Array>;

/** @throws TypeError for anything else, with what was given; a file that is missing throws on the first read. */
export function openInput(input: CaptureInput): CaptureBytes {
  if (typeof input === 'string' || input instanceof URL) return fileChunks(input, CHUNK);
  if (input instanceof Uint8Array) return once(input);
  if (input instanceof ArrayBuffer) return once(new Uint8Array(input));
  if (typeof Blob !== 'undefined' && input instanceof Blob) return blobChunks(input);
  if (isIterable(input)) return input;
  throw new TypeError(
    `expected a capture: a path, a URL of a file, a Uint8Array, an ArrayBuffer, a Blob or an async iterable of Uint8Arrays, not ${named(input)}`,
  );
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function isIterable(input: unknown): input is AsyncIterable<Uint8Array> {
  return typeof input === 'object' && input !== null && Symbol.asyncIterator in input;
}

function named(input: unknown): string {
  if (input === null || input === undefined) return String(input);
  const type = typeof input;
  return type === 'object' ? ((input as object).constructor?.name ?? 'an object') : `a ${type}`;
}

/** Bytes that are read at once. */
const CHUNK = 1 << 20;

/**
 * Checks that every option has a known name.
 *
 * @param what is called with them. @param names of all options that there are.
 * @throws TypeError for another one, with those that there are.
 */
export function checkOptionNames(what: string, options: object, names: Readonly<Record<string, true>>): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(names, name));
  if (unknown !== undefined)
    throw new TypeError(`${what}: there is no option ${unknown}; there are ${Object.keys(names).join(', ')}`);
}
