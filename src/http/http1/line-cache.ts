// Header lines that come again and again, found by their bytes: a line that is known needs no look at where its name
// ends and its value begins, and mostly it stands behind the one that it stood behind before. Knows lines that
// http1-head-scan.ts read once, not what is plain in them.
//
//   a place   NAMES[place], VALUES[place], the line with its CR LF in KEPT

import { ByteCache, hashOf } from '../../core/bytes/byte-cache.js';

/** Lines kept, a power of two: those of the user agents, hosts and types of a cluster, and the lengths of small bodies. */
const PLACES = 2048;
/** Bytes of a line worth keeping: a user agent with its service account. 384 KiB in all. */
const LONGEST = 192;
/** The name and the value of the line at a place. */
export const NAMES: string[] = new Array<string>(PLACES).fill('');
export const VALUES: string[] = new Array<string>(PLACES).fill('');
/** Stand for what is before the first line. */
export const REQUEST_LINE = PLACES;
export const STATUS_LINE = PLACES + 1;

/** @returns the place of the line at `at` if it is one of the two that followed the line at `before` last, else -1. */
export function expectedLine(before: number, bytes: Uint8Array, at: number, end: number): number {
  const likely = FOLLOWERS[before * 2];
  if (isAt(likely, bytes, at, end)) return likely;
  const other = FOLLOWERS[before * 2 + 1];
  return isAt(other, bytes, at, end) ? other : -1;
}

/** Bytes of the line at a place, its CR LF included. */
export function lineLength(place: number): number {
  return KEPT.lengthAt(place);
}

/** @returns the place of the line in `[at, end)`, which follows the one at `before`; -1 where it is not known. */
export function knownLine(before: number, bytes: Uint8Array, at: number, end: number): number {
  if (end - at > LONGEST) return -1;
  const place = KEPT.slotOf(lineHash(bytes, at, end));
  if (!KEPT.holds(place, bytes, at, end - at)) return -1;
  FOLLOWERS[before * 2 + 1] = FOLLOWERS[before * 2];
  FOLLOWERS[before * 2] = place;
  return place;
}

/**
 * A line that was read: it is known from its second time on, as many (an audit id) come only once.
 * @returns its place; -1 where it is not kept.
 */
export function learnLine(bytes: Uint8Array, at: number, end: number, name: string, value: string): number {
  if (end - at > LONGEST) return -1;
  const hash = lineHash(bytes, at, end);
  if (!KEPT.isRepeated(hash)) return -1;
  const place = KEPT.slotOf(hash);
  NAMES[place] = name;
  VALUES[place] = value;
  KEPT.put(place, bytes, at, end - at);
  return place;
}

function isAt(place: number, bytes: Uint8Array, at: number, end: number): boolean {
  const length = KEPT.lengthAt(place);
  return length > 0 && at + length <= end && KEPT.isPrefix(place, bytes, at);
}

/** CR LF is the same of all. */
function lineHash(bytes: Uint8Array, at: number, end: number): number {
  return hashOf(bytes, at, end - 2);
}

const KEPT = new ByteCache(PLACES, LONGEST);
/** Two for each line, the newer one first: clients of one kind take turns. */
const FOLLOWERS = new Uint16Array((PLACES + 2) * 2);
