// Bytes → text for the words that come again and again: field names, user agents, kinds, uids. A text that is known is
// found by its bytes, not made again: no call out of JavaScript (80 ns), nothing to collect, one object however many
// messages hold it. Knows bytes; bounded, whatever a capture holds.

import { latin1, text } from './bytes.js';

/** UTF-8 text of `bytes[start, end)`, as `text` gives it. */
export function cachedText(bytes: Uint8Array, start: number, end: number): string {
  const length = end - start;
  if (length > LONGEST || length <= 0) return text(bytes, start, end);
  const place = placeOf(bytes, start, end);
  return known(bytes, start, length, place) ?? kept(text(bytes, start, end), length, place);
}

/** One character a byte, as `latin1` gives it. */
export function cachedLatin1(bytes: Uint8Array, start: number, end: number): string {
  const length = end - start;
  if (length > LONGEST || length <= 0) return latin1(bytes, start, end);
  const place = placeOf(bytes, start, end);
  return known(bytes, start, length, place) ?? kept(latin1(bytes, start, end), length, place);
}

// Two places for each text, the newer one first: what comes only once (an audit id) pushes out one of them at most.
function known(bytes: Uint8Array, start: number, length: number, place: number): string | undefined {
  const first = TEXTS[place];
  if (isText(first, bytes, start, length)) return first;
  const second = TEXTS[place ^ 1];
  return isText(second, bytes, start, length) ? second : undefined;
}

// Only ASCII is kept: there both ways to read bytes agree.
function kept(made: string, length: number, place: number): string {
  if (made.length !== length) return made;
  for (let i = 0; i < length; i++) if (made.charCodeAt(i) > 0x7f) return made;
  TEXTS[place ^ 1] = TEXTS[place];
  TEXTS[place] = made;
  return made;
}

function isText(known: string, bytes: Uint8Array, start: number, length: number): boolean {
  if (known.length !== length) return false;
  // From the end: names of one kind differ there.
  for (let i = length - 1; i >= 0; i--) if (UNIT_AT.call(known, i) !== bytes[start + i]) return false;
  return true;
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

/** Texts kept, a power of two: words of a cluster, its nodes and the objects that are busy. About 1 MiB. */
const PLACES = 8192;
/** Bytes of a text worth keeping: user agents and watch targets. */
const LONGEST = 192;
const TEXTS: string[] = new Array<string>(PLACES).fill('');
// Not a method of the text, as in render/line-buffer.ts: texts of many kinds come here.
const UNIT_AT = String.prototype.charCodeAt;
