// The header blocks of one direction of a SPDY connection: one zlib stream over all of them. Knows RFC 1950 and that every
// block ends with a sync flush, so that node:zlib can take them one by one; not what stands in them.
//
//   stream   [ zlib header:2 ][ dictionary id:4 ][ block 1 … 00 00 ff ff ][ block 2 … 00 00 ff ff ] …
//   Each block ends at a byte, so it inflates alone, given the 32 KiB that came out before it as its dictionary.

import { constants, inflateRawSync } from 'node:zlib';
import { concat, u16be, u32be } from '../../core/bytes/bytes.js';
import { SPDY_DICTIONARY } from './dictionary.js';

/** Bytes that one block may become; spdystream's are some hundred, Go's net/http takes heads of 1 MiB. */
export const MAX_HEADER_BLOCK_BYTES = 64 * 1024;
/** Blocks of a direction: each costs some 30 µs, whatever is in it. A forwarded connection needs two. */
export const MAX_HEADER_BLOCKS = 16_384;

export class HeaderInflater {
  /** null: a block is missing or broken, so that none after it can be read. */
  #window: Uint8Array | null = SPDY_DICTIONARY;
  #count = 0;

  /** A block is missing. */
  lose(): void {
    this.#window = null;
  }

  get lost(): boolean {
    return this.#window === null;
  }

  /** @returns what the next block holds; null: it cannot be read. */
  next(block: Uint8Array): Uint8Array | null {
    const dictionary = this.#window;
    if (dictionary === null) return null;
    this.#window = null;
    const start = this.#count === 0 ? zlibHeaderSize(block) : 0;
    this.#count += 1;
    if (start < 0 || this.#count > MAX_HEADER_BLOCKS || !endsWithFlush(block)) return null;
    let out: Uint8Array;
    try {
      out = inflateRawSync(block.subarray(start), {
        dictionary,
        finishFlush: constants.Z_SYNC_FLUSH,
        maxOutputLength: MAX_HEADER_BLOCK_BYTES,
      });
    } catch {
      // The caller says that header blocks cannot be read any more.
      return null;
    }
    const whole = concat([dictionary, out]);
    this.#window = whole.length > WINDOW_BYTES ? whole.slice(whole.length - WINDOW_BYTES) : whole;
    return out;
  }
}

/** -1: no zlib stream with SPDY's dictionary. */
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
