// Content codings (RFC 9110 section 8.4): gzip, deflate, br. Knows bytes and coding names. What is cut or broken gives as
// much as there is; what comes out is limited while it comes out, the same for every coding.

import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { EMPTY_BYTES } from '../core/bytes.js';

/** Bytes that a compressed body may become: a list of some thousand Pods; Suricata stops at 1 MiB, Envoy at a ratio. */
export const MAX_DECODED_BYTES = 10 * 1024 * 1024;
/** Codings that one body may carry on top of each other; nobody sends more than one. */
export const MAX_CODINGS = 2;

export interface Decoded {
  readonly bytes: Uint8Array;
  /** false: the coding was cut, broken or unknown, or the limit was reached. */
  readonly complete: boolean;
}

/**
 * Undoes a body's content codings.
 *
 * @param encoding value of Content-Encoding; codings in the order in which they were applied.
 * @returns for an unknown coding no bytes, because bytes of another kind would be taken for content.
 */
export function decodeContent(bytes: Uint8Array, encoding: string): Decoded {
  if (isIdentity(encoding)) return { bytes, complete: true };
  const codings = encoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => !isIdentity(coding));
  if (codings.length > MAX_CODINGS) return { bytes: EMPTY_BYTES, complete: false };
  let decoded: Decoded = { bytes, complete: true };
  for (const coding of codings.reverse()) {
    const next = decodeOne(decoded.bytes, coding);
    decoded = { bytes: next.bytes, complete: decoded.complete && next.complete };
  }
  return decoded;
}

export function isIdentity(encoding: string): boolean {
  return encoding === '' || encoding === 'identity';
}

function decodeOne(bytes: Uint8Array, coding: string): Decoded {
  if (bytes.length === 0) return { bytes: EMPTY_BYTES, complete: false };
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return inflate(bytes, gunzipSync);
    case 'deflate':
      // "deflate" means zlib's header; some send none (RFC 9110 section 8.4.1.2, note).
      return (bytes[0] & 0x0f) === DEFLATE_METHOD && ((bytes[0] << 8) | bytes[1]) % 31 === 0
        ? inflate(bytes, inflateSync)
        : inflate(bytes, inflateRawSync);
    case 'br':
      return inflate(bytes, brotliDecompressSync);
    default:
      return { bytes: EMPTY_BYTES, complete: false };
  }
}

type Inflate = (bytes: Uint8Array, options: { finishFlush?: number; maxOutputLength: number }) => Uint8Array;

function inflate(bytes: Uint8Array, decoder: Inflate): Decoded {
  const whole = attempt(bytes, decoder, false);
  if (whole !== null) return { bytes: whole, complete: true };
  const part = attempt(bytes, decoder, true);
  if (part !== null) return { bytes: part, complete: false };
  // Too large or broken in the middle: the longest beginning that decodes, found by halving. Each try is limited by
  // maxOutputLength, so all of them are at most TRIES times the work of the limit.
  let good = 0;
  let bad = bytes.length;
  let best: Uint8Array = EMPTY_BYTES;
  for (let i = 0; i < TRIES && bad - good > 1; i++) {
    const middle = (good + bad) >> 1;
    const tried = attempt(bytes.subarray(0, middle), decoder, true);
    if (tried === null) bad = middle;
    else {
      good = middle;
      best = tried;
    }
  }
  return { bytes: best, complete: false };
}

/** null: broken, too large, or (without `cut`) not finished. */
function attempt(bytes: Uint8Array, decoder: Inflate, cut: boolean): Uint8Array | null {
  try {
    if (!cut) return decoder(bytes, { maxOutputLength: MAX_DECODED_BYTES });
    const finishFlush = decoder === brotliDecompressSync ? constants.BROTLI_OPERATION_FLUSH : constants.Z_SYNC_FLUSH;
    return decoder(bytes, { finishFlush, maxOutputLength: MAX_DECODED_BYTES });
  } catch {
    // The caller says that it is not complete.
    return null;
  }
}

const DEFLATE_METHOD = 8;
const TRIES = 8;
