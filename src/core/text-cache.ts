// Bytes → text for the words that come again and again: field names, user agents, kinds, uids. A text that is known is
// found by its bytes, not made again: no call out of JavaScript (80 ns), nothing to collect, one object however many
// messages hold it. Knows bytes; bounded, whatever a capture holds.
//
//   a place   TEXTS[place], its bytes in KEPT[keptAt(place) …], their number in LENGTHS[place]; 0: empty
//   KEPT      | places of 64 bytes, a line of the processor's cache, for nearly all texts | places of 192 for the others |

import { latin1, text } from './bytes.js';

/** UTF-8 text of `bytes[start, end)`, as `text` gives it. */
export function cachedText(bytes: Uint8Array, start: number, end: number): string {
  const length = end - start;
  if (length > LONGEST || length <= 0) return text(bytes, start, end);
  const place = placeOf(bytes, start, end);
  const known = find(bytes, start, length, place);
  return known >= 0 ? TEXTS[known] : keep(text(bytes, start, end), bytes, start, length, place);
}

/** One character a byte, as `latin1` gives it. */
export function cachedLatin1(bytes: Uint8Array, start: number, end: number): string {
  const length = end - start;
  if (length > LONGEST || length <= 0) return latin1(bytes, start, end);
  const place = placeOf(bytes, start, end);
  const known = find(bytes, start, length, place);
  return known >= 0 ? TEXTS[known] : keep(latin1(bytes, start, end), bytes, start, length, place);
}

// Two places for each text, the newer one first: what comes only once (an audit id) pushes out one of them at most.
function find(bytes: Uint8Array, start: number, length: number, place: number): number {
  if (isAt(place, bytes, start, length)) return place;
  return isAt(place ^ 1, bytes, start, length) ? place ^ 1 : -1;
}

function isAt(place: number, bytes: Uint8Array, start: number, length: number): boolean {
  if (LENGTHS[place] !== length) return false;
  const kept = keptAt(place);
  // From the end: names of one kind differ there.
  for (let i = length - 1; i >= 0; i--) if (KEPT[kept + i] !== bytes[start + i]) return false;
  return true;
}

function keep(made: string, bytes: Uint8Array, start: number, length: number, place: number): string {
  // Only ASCII: there both ways to read bytes agree. What was cut short by the end of the bytes is not kept either.
  if (made.length !== length) return made;
  for (let i = start; i < start + length; i++) if (bytes[i] > 0x7f) return made;
  const other = place ^ 1;
  TEXTS[other] = TEXTS[place];
  LENGTHS[other] = LENGTHS[place];
  const kept = keptAt(place);
  KEPT.copyWithin(keptAt(other), kept, kept + LENGTHS[place]);
  TEXTS[place] = made;
  LENGTHS[place] = length;
  for (let i = 0; i < length; i++) KEPT[kept + i] = bytes[start + i];
  return made;
}

function keptAt(place: number): number {
  return place < SHORT_PLACES ? place * SHORT : LONG_FROM + (place - SHORT_PLACES) * LONGEST;
}

/** From the length, the last four bytes and up to sixteen spread over the rest, four at a time. */
function placeOf(bytes: Uint8Array, start: number, end: number): number {
  const length = end - start;
  let hash = length;
  if (length < 4) for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at], FACTOR);
  else {
    const last = end - 4;
    const step = Math.max(4, length >> 2);
    for (let at = start; at < last; at += step) hash = mixed(hash, bytes, at);
    hash = mixed(hash, bytes, last);
  }
  hash ^= hash >>> 15;
  return length <= SHORT ? hash & (SHORT_PLACES - 1) : SHORT_PLACES + (hash & (LONG_PLACES - 1));
}

function mixed(hash: number, bytes: Uint8Array, at: number): number {
  const four = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
  const product = Math.imul(hash ^ four, FACTOR);
  // What the first of four bytes says must reach the bits that choose a place, and that of the last one, too.
  return product ^ (product >>> 13);
}

const FACTOR = 0x9e3779b1;
/** Texts kept, both powers of two: words of a cluster, its nodes and the objects that are busy; their targets and agents. */
const SHORT_PLACES = 8192;
const LONG_PLACES = 2048;
/** Bytes of a text worth keeping: names and uids; user agents and watch targets. */
const SHORT = 64;
const LONGEST = 192;
const TEXTS: string[] = new Array<string>(SHORT_PLACES + LONG_PLACES).fill('');
const LENGTHS = new Uint8Array(SHORT_PLACES + LONG_PLACES);
const LONG_FROM = SHORT_PLACES * SHORT;
/** 0.9 MiB: bytes are compared with bytes, which takes a third of the time of looking into a text. */
const KEPT = new Uint8Array(LONG_FROM + LONG_PLACES * LONGEST);
