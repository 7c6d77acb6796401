// Huffman-coded literals as text. Those that come again and again (every connection says who it is, and small tables
// forget) are found by their coded bytes and not decoded again. Knows the code through huffman.ts, no headers; bounded,
// whatever a capture holds.
//
//   a place   TEXTS[place], its coded bytes in KEPT[place · LONGEST …], their number in LENGTHS[place]; 0: empty

import { cachedLatin1 } from '../../core/text-cache.js';
import { huffmanBound, huffmanDecode } from './huffman.js';

/** Text of the code in `bytes[start, end)`, one character a byte; null where it is broken. */
export function huffmanText(bytes: Uint8Array, start: number, end: number): string | null {
  const length = end - start;
  if (length === 0 || length > LONGEST) return decoded(bytes, start, end);
  const hash = hashOf(bytes, start, end);
  const place = hash & (PLACES - 1);
  if (isAt(place, bytes, start, length)) return TEXTS[place];
  const made = decoded(bytes, start, end);
  // Known from its second time on: what comes only once (an audit id) pushes nothing out.
  if (made !== null && SEEN[place] === hash) {
    TEXTS[place] = made;
    LENGTHS[place] = length;
    for (let i = 0, to = place * LONGEST; i < length; i++) KEPT[to + i] = bytes[start + i];
  }
  SEEN[place] = hash;
  return made;
}

function decoded(bytes: Uint8Array, start: number, end: number): string | null {
  const room = huffmanBound(end - start);
  if (room > scratch.length) scratch = new Uint8Array(Math.max(room, scratch.length * 2));
  const written = huffmanDecode(bytes, start, end, scratch);
  return written < 0 ? null : cachedLatin1(scratch, 0, written);
}

function isAt(place: number, bytes: Uint8Array, start: number, length: number): boolean {
  if (LENGTHS[place] !== length) return false;
  const kept = place * LONGEST;
  // From the end: names of one kind differ there.
  for (let i = length - 1; i >= 0; i--) if (KEPT[kept + i] !== bytes[start + i]) return false;
  return true;
}

/** From the length, the last four bytes and up to sixteen spread over the rest. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  const length = end - start;
  let hash = length;
  const step = (length >> 4) + 1;
  for (let at = start; at < end; at += step) hash = Math.imul(hash ^ bytes[at], 0x01000193);
  for (let at = end - Math.min(length, 4); at < end; at++) hash = Math.imul(hash ^ bytes[at], 0x01000193);
  return hash ^ (hash >>> 15);
}

// Decoded literals before they become text; shared, because it is read before the next one is written. Grows to
// 8/5 of the longest literal at most, which the limit of a header block bounds.
let scratch = new Uint8Array(4096);

/** Literals kept, a power of two: the user agents, hosts, types and busy targets of a cluster. */
const PLACES = 2048;
/** Coded bytes of a literal worth keeping, three quarters of its characters: user agents and watch targets. */
const LONGEST = 128;
const TEXTS: string[] = new Array<string>(PLACES).fill('');
const LENGTHS = new Uint8Array(PLACES);
/** The literal that came last, by its hash. */
const SEEN = new Int32Array(PLACES);
/** 256 KiB. */
const KEPT = new Uint8Array(PLACES * LONGEST);
