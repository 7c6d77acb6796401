// Header lines that come again and again, found by their bytes: a line that is known needs no look at where its name
// ends and its value begins, and mostly it stands behind the one that it stood behind before. Knows lines that
// http1-head-scan.ts read once, not what is plain in them; bounded, whatever a capture holds.
//
//   a place   NAMES[place], VALUES[place], the line with its CR LF in KEPT[place · LONGEST …], its length in LENGTHS[place]

/** Lines kept, a power of two: those of the user agents, hosts and types of a cluster, and the lengths of small bodies. */
const PLACES = 2048;
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
  return LENGTHS[place];
}

/** @returns the place of the line in `[at, end)`, which follows the one at `before`; -1 where it is not known. */
export function knownLine(before: number, bytes: Uint8Array, at: number, end: number): number {
  if (end - at > LONGEST) return -1;
  const place = hashOf(bytes, at, end) & (PLACES - 1);
  if (LENGTHS[place] !== end - at || !isAt(place, bytes, at, end)) return -1;
  FOLLOWERS[before * 2 + 1] = FOLLOWERS[before * 2];
  FOLLOWERS[before * 2] = place;
  return place;
}

/**
 * A line that was read: it is known from its second time on, as many (an audit id) come only once.
 * @returns its place; -1 where it is not kept.
 */
export function learnLine(bytes: Uint8Array, at: number, end: number, name: string, value: string): number {
  const length = end - at;
  if (length > LONGEST) return -1;
  const hash = hashOf(bytes, at, end);
  const place = hash & (PLACES - 1);
  if (SEEN[place] !== hash) {
    SEEN[place] = hash;
    return -1;
  }
  NAMES[place] = name;
  VALUES[place] = value;
  LENGTHS[place] = length;
  for (let i = 0, to = place * LONGEST; i < length; i++) KEPT[to + i] = bytes[at + i];
  return place;
}

function isAt(place: number, bytes: Uint8Array, at: number, end: number): boolean {
  const length = LENGTHS[place];
  if (length === 0 || at + length > end) return false;
  const kept = place * LONGEST;
  // From the end: lines of one name differ there.
  for (let i = length - 1; i >= 0; i--) if (KEPT[kept + i] !== bytes[at + i]) return false;
  return true;
}

/** From the length and up to 24 bytes spread over the line and its end. */
function hashOf(bytes: Uint8Array, at: number, end: number): number {
  let hash = end - at;
  const step = (hash >> 4) + 1;
  for (let i = at; i < end; i += step) hash = Math.imul(hash ^ bytes[i], 0x01000193);
  // Before the CR LF.
  for (let i = Math.max(at, end - 6); i < end - 2; i++) hash = Math.imul(hash ^ bytes[i], 0x01000193);
  return hash ^ (hash >>> 15);
}

/** Bytes of a line worth keeping: a user agent with its service account. */
const LONGEST = 192;
const LENGTHS = new Uint8Array(PLACES);
/** Two for each line, the newer one first: clients of one kind take turns. */
const FOLLOWERS = new Uint16Array((PLACES + 2) * 2);
/** The line that came last and was not kept, by its hash. */
const SEEN = new Int32Array(PLACES);
/** 384 KiB. */
const KEPT = new Uint8Array(PLACES * LONGEST);
