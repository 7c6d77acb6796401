// Inflates and reads the header blocks of one direction of a SPDY connection, which are one zlib stream (RFC 1950).
//
//   stream   [ zlib header:2 ][ dictionary id:4 ][ block 1 … 00 00 ff ff ][ block 2 … 00 00 ff ff ] …
//   Every block ends with a sync flush at a byte boundary, so it can be inflated alone, with the 32 KiB of output before it as dictionary.

import { concat, latin1, latin1Bytes, u16be, u32be } from '../../core/bytes/bytes.js';
import { inflateRaw } from '../../platform/compression.js';

/**
 * Limit in bytes: what one SPDY header block may become, counted while it comes out: those of spdystream have some hundred, Go's
 * net/http accepts heads of 1 MiB.
 */
export const MAX_HEADER_BLOCK_BYTES = 64 * 1024;
/** Limit: header blocks of one direction that are inflated, each of which costs some 30 µs; a forwarded connection needs two. */
export const MAX_HEADER_BLOCKS = 16_384;

export class HeaderInflater {
  /** null after a missing or broken block, after which none can be read. */
  #window: Uint8Array | null = SPDY_DICTIONARY;
  #count = 0;

  /** Called for a missing block. */
  lose(): void {
    this.#window = null;
  }

  get lost(): boolean {
    return this.#window === null;
  }

  /** @returns the inflated block; null if it cannot be read. */
  next(block: Uint8Array): Uint8Array | null {
    const dictionary = this.#window;
    if (dictionary === null) return null;
    this.#window = null;
    const start = this.#count === 0 ? zlibHeaderSize(block) : 0;
    this.#count += 1;
    if (start < 0 || this.#count > MAX_HEADER_BLOCKS || !endsWithFlush(block)) return null;
    const out = inflateRaw(block.subarray(start), { dictionary, mayBeCut: true, maxBytes: MAX_HEADER_BLOCK_BYTES });
    // The caller reports that header blocks cannot be read any more.
    if (!(out instanceof Uint8Array)) return null;
    const whole = concat([dictionary, out]);
    this.#window = whole.length > WINDOW_BYTES ? whole.slice(whole.length - WINDOW_BYTES) : whole;
    return out;
  }
}

/** @returns -1 if the block does not begin a zlib stream with the dictionary of SPDY. */
function zlibHeaderSize(block: Uint8Array): number {
  if (block.length < 6 || (block[0] & 0x0f) !== DEFLATE || u16be(block, 0) % 31 !== 0) return -1;
  return (block[1] & HAS_DICTIONARY) !== 0 && u32be(block, 2) === DICTIONARY_ID ? 6 : -1;
}

function endsWithFlush(block: Uint8Array): boolean {
  return block.length >= 4 && u32be(block, block.length - 4) === 0x0000ffff;
}

const DEFLATE = 8;
const HAS_DICTIONARY = 0x20;
const DICTIONARY_ID = 0xe3c6a7c2;
const WINDOW_BYTES = 32 * 1024;

/**
 * The first value of a field in an inflated block (section 2.6.10); names are compared without case.
 * ```
 *   [ pairs:4 ] ( [ length:4 ][ name ][ length:4 ][ value ] ) …
 * ```
 */
export function headerValue(block: Uint8Array, lowerName: string): string | undefined {
  if (block.length < 4) return undefined;
  let pairs = u32be(block, 0);
  let at = 4;
  for (; pairs > 0 && at + 4 <= block.length; pairs--) {
    const nameEnd = at + 4 + u32be(block, at);
    if (nameEnd + 4 > block.length) return undefined;
    const valueEnd = nameEnd + 4 + u32be(block, nameEnd);
    if (valueEnd > block.length) return undefined;
    if (nameEnd - at - 4 === lowerName.length && latin1(block, at + 4, nameEnd).toLowerCase() === lowerName) {
      return latin1(block, nameEnd + 4, valueEnd);
    }
    at = valueEnd;
  }
  return undefined;
}

// The dictionary of SPDY/3 (draft-mbelshe-httpbis-spdy-00, section 2.6.10.1), 1,423 bytes, Adler-32 e3c6a7c2: words, each after its
// length in four bytes, then text.
const WORDS =
  'options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow ' +
  'authorization cache-control connection content-base content-encoding content-language content-length ' +
  'content-location content-md5 content-range content-type date etag expect expires from host if-match ' +
  'if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma ' +
  'proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade ' +
  'user-agent vary via warning www-authenticate method get status 200_OK version HTTP/1.1 url public set-cookie ' +
  'keep-alive origin';

const TEXT =
  '100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 ' +
  'Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 ' +
  'Not Found500 Internal Server Error501 Not Implemented503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug ' +
  'Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,' +
  'application/xml,application/xhtml+xml,text/plain,text/javascript,publicprivatemax-age=gzip,deflate,sdch' +
  'charset=utf-8charset=iso-8859-1,utf-,*,enq=0.';

export const SPDY_DICTIONARY: Uint8Array = Uint8Array.from(
  latin1Bytes(
    WORDS.split(' ')
      .map((word) => `\0\0\0${String.fromCharCode(word.length)}${word.replace('_', ' ')}`)
      .join('') + TEXT,
  ),
);
