// Huffman-coded literals as text. Those that come again and again (every connection says who it is, and small tables
// forget) are found by their coded bytes and not decoded again. Knows the code through huffman.ts, no headers.

import { ByteCache, hashOf } from '../../core/bytes/byte-cache.js';
import { cachedLatin1 } from '../../core/bytes/text-cache.js';
import { huffmanBound, huffmanDecode } from './huffman.js';

/** Text of the code in `bytes[start, end)`, one character a byte; null where it is broken. */
export function huffmanText(bytes: Uint8Array, start: number, end: number): string | null {
  const length = end - start;
  if (length === 0 || length > LONGEST) return decoded(bytes, start, end);
  const hash = hashOf(bytes, start, end);
  const place = CODED.slotOf(hash);
  if (CODED.holds(place, bytes, start, length)) return TEXTS[place];
  const made = decoded(bytes, start, end);
  // Known from its second time on: what comes only once (an audit id) pushes nothing out.
  if (CODED.isRepeated(hash) && made !== null) {
    TEXTS[place] = made;
    CODED.put(place, bytes, start, length);
  }
  return made;
}

function decoded(bytes: Uint8Array, start: number, end: number): string | null {
  const room = huffmanBound(end - start);
  if (room > scratch.length) scratch = new Uint8Array(Math.max(room, scratch.length * 2));
  const written = huffmanDecode(bytes, start, end, scratch);
  return written < 0 ? null : cachedLatin1(scratch, 0, written);
}

// Decoded literals before they become text; shared, because it is read before the next one is written. Grows to
// 8/5 of the longest literal at most, which the limit of a header block bounds.
let scratch = new Uint8Array(4096);

/** Literals kept, a power of two: the user agents, hosts, types and busy targets of a cluster. 256 KiB. */
const PLACES = 2048;
/** Coded bytes of a literal worth keeping, three quarters of its characters: user agents and watch targets. */
const LONGEST = 128;
const TEXTS: string[] = new Array<string>(PLACES).fill('');
const CODED = new ByteCache(PLACES, LONGEST);
