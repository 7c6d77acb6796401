// Inflates and deflates as `platform/compression.ts` does, by pako, which is zlib in JavaScript: what is cut or damaged yields the same.

import { deflateSync } from 'fflate';
import {
  Z_FINISH,
  Z_NO_FLUSH,
  Z_OK,
  Z_STREAM_END,
  Z_SYNC_FLUSH,
  ZStream,
  zlibInflate,
  zlibInflateInit2,
  zlibInflateReset,
  zlibInflateSetDictionary,
} from 'pako';
import type { InflateFailure, InflateLimits, Inflater } from '../compression.js';
import { utf8Bytes } from './bytes.js';

export type { InflateFailure, InflateLimits, Inflater };

/** gzip: one member or several. */
export const gunzip: Inflater = (bytes, limits) => attempt(GZIP_WINDOW, bytes, limits);

/** zlib. */
export const inflate: Inflater = (bytes, limits) => attempt(ZLIB_WINDOW, bytes, limits);

/** Deflate without a header. */
export const inflateRaw: Inflater = (bytes, limits) => attempt(RAW_WINDOW, bytes, limits);

/** Brotli is not read in a browser: Kubernetes does not send it, and its dictionary is larger than all of kubeseq. */
export const unbrotli: Inflater = () => 'broken';

/** Deflate without a header. @param text in UTF-8. */
export function deflateRaw(text: string): Uint8Array {
  return deflateSync(utf8Bytes(text));
}

/** The loop of node:zlib's synchronous functions (lib/zlib.js, processChunkSync; src/node_zlib.cc). */
function attempt(
  windowBits: number,
  bytes: Uint8Array,
  { maxBytes, mayBeCut, dictionary }: InflateLimits,
): Uint8Array | InflateFailure {
  const stream = new ZStream();
  zlibInflateInit2(stream, windowBits);
  if (dictionary !== undefined && zlibInflateSetDictionary(stream, dictionary) !== Z_OK) return 'broken';
  stream.input = bytes;
  stream.next_in = 0;
  stream.avail_in = bytes.length;
  const flush = mayBeCut === true ? Z_SYNC_FLUSH : Z_FINISH;
  const parts: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    stream.output = CHUNK;
    stream.next_out = 0;
    stream.avail_out = CHUNK.length;
    const status = inflateMembers(stream, windowBits, flush);
    if (status < 0 && status !== BUFFER_ERROR) return 'broken';
    if (status === NEEDS_DICTIONARY) return 'broken';
    if (status !== Z_STREAM_END && stream.avail_out !== 0 && flush === Z_FINISH) return 'cut';
    length += stream.next_out;
    if (length > maxBytes) return 'too large';
    if (stream.next_out > 0) parts.push(CHUNK.slice(0, stream.next_out));
    if (stream.avail_out !== 0) break;
  }
  return joined(parts, length);
}

/** Inflates; of gzip also the members after the first one, but not zeros, which may fill up a file. */
function inflateMembers(stream: ZStream, windowBits: number, flush: typeof Z_FINISH | typeof Z_SYNC_FLUSH | 0): number {
  let status: number = zlibInflate(stream, flush);
  while (
    windowBits === GZIP_WINDOW &&
    status === Z_STREAM_END &&
    stream.avail_in > 0 &&
    stream.input[stream.next_in] !== 0
  ) {
    zlibInflateReset(stream);
    status = zlibInflate(stream, flush);
  }
  return status;
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  if (parts.length === 1) return parts[0];
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/**
 * Inflates a gzip stream.
 * @param chunks each may be overwritten once the next one is requested.
 * @throws an error of `isInflateError` after all that could be inflated, if the data is cut or damaged.
 */
export async function* gunzipChunks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const stream = new ZStream();
  zlibInflateInit2(stream, GZIP_WINDOW);
  const output = new Uint8Array(STREAM_CHUNK);
  let status: number = Z_OK;
  for await (const chunk of chunks) {
    // A stream that is over ignores zeros, and anything that follows them.
    if (status === Z_STREAM_END && stream.avail_in > 0) continue;
    stream.input = chunk;
    stream.next_in = 0;
    stream.avail_in = chunk.length;
    if (status === Z_STREAM_END) {
      if (chunk.length === 0 || chunk[0] === 0) continue;
      zlibInflateReset(stream);
    }
    do {
      stream.output = output;
      stream.next_out = 0;
      stream.avail_out = output.length;
      status = inflateMembers(stream, GZIP_WINDOW, Z_NO_FLUSH);
      if (status !== Z_OK && status !== Z_STREAM_END && status !== BUFFER_ERROR)
        throw new InflateError('the gzip data is damaged', 'Z_DATA_ERROR');
      // Whoever gets it may keep it until the next one.
      if (stream.next_out > 0) yield output.slice(0, stream.next_out);
    } while (stream.avail_out === 0);
  }
  if (status !== Z_STREAM_END) throw new InflateError('unexpected end of file', 'Z_BUF_ERROR');
}

class InflateError extends Error {
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

/** Whether `gunzipChunks` threw the error for cut or damaged data. */
export function isInflateError(error: unknown): boolean {
  return error instanceof InflateError;
}

/** Whether `gunzipChunks` threw the error for data that ends too early. */
export function isCut(error: unknown): boolean {
  return error instanceof InflateError && error.code === 'Z_BUF_ERROR';
}

/** Bytes; as node:zlib's, by which is found out whether the limit or a damage comes first. */
const CHUNK = new Uint8Array(16 * 1024);
const STREAM_CHUNK = 256 * 1024;
const ZLIB_WINDOW = 15;
const GZIP_WINDOW = 15 + 16;
const RAW_WINDOW = -15;
const BUFFER_ERROR = -5;
const NEEDS_DICTIONARY = 2;
