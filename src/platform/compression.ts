// Inflates and deflates (RFC 1950, 1951, 1952, 7932) by Node.js's zlib, with limits on what comes out.

import { Readable } from 'node:stream';
import {
  brotliDecompressSync,
  constants,
  createGunzip,
  deflateRawSync,
  gunzipSync,
  inflateRawSync,
  inflateSync,
} from 'node:zlib';

/** Why data cannot be inflated: its end is missing, its output exceeds the limit, or it is no such data. */
export type InflateFailure = 'cut' | 'too large' | 'broken';

/** Decodes one compression format; `limits` bound what comes out. */
export type Inflater = (bytes: Uint8Array, limits: InflateLimits) => Uint8Array | InflateFailure;

export interface InflateLimits {
  /** Bytes that may come out. */
  readonly maxBytes: number;
  /** The data may be cut: all that comes out of it is returned. Otherwise it must be whole. */
  readonly mayBeCut?: boolean;
  /** Raw deflate alone: what precedes the output, up to 32 KiB. */
  readonly dictionary?: Uint8Array;
}

/** gzip: one member or several. */
export const gunzip: Inflater = (bytes, limits) => attempt(gunzipSync, bytes, limits, constants.Z_SYNC_FLUSH);

/** zlib. */
export const inflate: Inflater = (bytes, limits) => attempt(inflateSync, bytes, limits, constants.Z_SYNC_FLUSH);

/** Deflate without a header. */
export const inflateRaw: Inflater = (bytes, limits) => attempt(inflateRawSync, bytes, limits, constants.Z_SYNC_FLUSH);

/** Brotli. */
export const unbrotli: Inflater = (bytes, limits) =>
  attempt(brotliDecompressSync, bytes, limits, constants.BROTLI_OPERATION_FLUSH);

/** Deflate without a header. @param text in UTF-8. */
export function deflateRaw(text: string): Uint8Array {
  return deflateRawSync(text);
}

type Decoder = (
  bytes: Uint8Array,
  options: { readonly finishFlush?: number; readonly maxOutputLength: number; readonly dictionary?: Uint8Array },
) => Uint8Array;

function attempt(
  decoder: Decoder,
  bytes: Uint8Array,
  { maxBytes, mayBeCut, dictionary }: InflateLimits,
  flush: number,
): Uint8Array | InflateFailure {
  try {
    if (mayBeCut !== true) return decoder(bytes, { maxOutputLength: maxBytes, dictionary });
    return decoder(bytes, { finishFlush: flush, maxOutputLength: maxBytes, dictionary });
  } catch (error) {
    const { code } = error as { code?: unknown };
    return code === 'ERR_BUFFER_TOO_LARGE' ? 'too large' : code === 'Z_BUF_ERROR' ? 'cut' : 'broken';
  }
}

/**
 * Inflates a gzip stream.
 * @param chunks each may be overwritten once the next one is requested.
 * @throws an error of `isInflateError` after all that could be inflated, if the data is cut or damaged.
 */
export function gunzipChunks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const copies = (async function* () {
    for await (const chunk of chunks) yield new Uint8Array(chunk);
  })();
  return inflated(Readable.from(copies, { objectMode: false }));
}

/** Inflates all data that is there, then throws if the data is cut. */
async function* inflated(source: Readable): AsyncGenerator<Uint8Array> {
  const stream = createGunzip({ chunkSize: INFLATE_CHUNK });
  source.on('error', (error) => stream.destroy(error));
  stream.on('close', () => source.destroy());
  // zlib reports cut data only at its end and discards unread output then, so the stream ends once everything was read.
  let isInflated = false;
  const endOnceRead = (): void => {
    if (isInflated && stream.readableLength === 0 && !stream.destroyed && !stream.writableEnded) stream.end();
  };
  source.on('end', () =>
    stream.flush(constants.Z_SYNC_FLUSH, () => {
      isInflated = true;
      endOnceRead();
    }),
  );
  source.pipe(stream, { end: false });
  for await (const chunk of stream) {
    endOnceRead();
    yield chunk;
  }
}

/** Whether `gunzipChunks` threw the error for cut or damaged data. */
export function isInflateError(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' && code.startsWith('Z_');
}

/** Whether `gunzipChunks` threw the error for data that ends too early. */
export function isCut(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'Z_BUF_ERROR';
}

const INFLATE_CHUNK = 256 * 1024;
