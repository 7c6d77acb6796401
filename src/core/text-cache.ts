// Bytes → text for the words that come again and again: field names, user agents, kinds, uids. A text that is known is
// found by its bytes, not made again: no call out of JavaScript (80 ns), nothing to collect, one object however many
// messages hold it. Knows bytes; bounded, whatever a capture holds.
//
//   a place   TEXTS[place], its bytes in KEPT[place · LONGEST …], their number in LENGTHS[place]; 0: empty

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
  const kept = place * LONGEST;
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
  KEPT.copyWithin(other * LONGEST, place * LONGEST, place * LONGEST + LENGTHS[place]);
  TEXTS[place] = made;
  LENGTHS[place] = length;
  for (let i = 0, at = place * LONGEST; i < length; i++) KEPT[at + i] = bytes[start + i];
  return made;
}

/** From the length, the last four bytes and up to sixteen spread over the rest. */
function placeOf(bytes: Uint8Array, start: number, end: number): number {
  const length = end - start;
  let hash = length;
  const step = (length >> 4) + 1;
  for (let at = start; at < end; at += step) hash = Math.imul(hash ^ bytes[at], 0x01000193);
  for (let at = end - Math.min(length, 4); at < end; at++) hash = Math.imul(hash ^ bytes[at], 0x01000193);
  return (hash ^ (hash >>> 15)) & (PLACES - 1);
}

/** Texts kept, a power of two: words of a cluster, its nodes and the objects that are busy. */
const PLACES = 8192;
/** Bytes of a text worth keeping: user agents and watch targets. */
const LONGEST = 192;
const TEXTS: string[] = new Array<string>(PLACES).fill('');
const LENGTHS = new Uint8Array(PLACES);
/** 1.5 MiB: bytes are compared with bytes, which takes a third of the time of looking into a text. */
const KEPT = new Uint8Array(PLACES * LONGEST);
