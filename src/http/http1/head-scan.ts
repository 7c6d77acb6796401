// Reads a head that came in one piece and is written as everybody writes it: lines ended by CR LF, no folding, printable
// ASCII. Knows exactly what it is sure of; all else is for the library behind http1-head.ts, which reads the same heads
// to the same result (http1-head-scan.test.ts holds one against the other).
//
// Heads repeat: the words come from the text cache, so a head costs its array and its object (0.7 µs instead of 3.2).

import { ByteCache, hashOf } from '../../core/bytes/byte-cache.js';
import { cachedLatin1 } from '../../core/bytes/text-cache.js';
import type { RequestHead, ResponseHead } from '../http-event.js';

/** Where the last head that was scanned ends, its empty line included. */
export let scannedEnd = 0;

/** @returns null where the head is not complete in `[at, end)`, or not plain. */
export function scanRequest(bytes: Uint8Array, at: number, end: number): RequestHead | null {
  //   GET /api/v1/pods?watch=1 HTTP/1.1 CR LF
  let space = at;
  while (space < end && isMethodByte(bytes[space])) space += 1;
  if (space === at || bytes[space] !== SPACE) return null;
  let stop = space + 1;
  while (stop < end && bytes[stop] > SPACE && bytes[stop] < DELETE) stop += 1;
  if (stop === space + 1 || bytes[stop] !== SPACE) return null;
  const minor = versionAt(bytes, stop + 1, end);
  if (minor < 0 || !isLineEnd(bytes, stop + 9, end)) return null;
  const fields = scanFields(bytes, stop + 11, end, REQUEST_LINE);
  if (fields === null) return null;
  const method = cachedLatin1(bytes, at, space);
  const target = cachedLatin1(bytes, space + 1, stop);
  return { kind: 'request-head', version: VERSIONS[minor], method, target, fields, partial: NONE };
}

/** @returns null where the head is not complete in `[at, end)`, or not plain. */
export function scanResponse(bytes: Uint8Array, at: number, end: number): ResponseHead | null {
  //   HTTP/1.1 200 OK CR LF
  const minor = versionAt(bytes, at, end);
  if (minor < 0 || at + 12 > end || bytes[at + 8] !== SPACE) return null;
  let status = 0;
  for (let i = at + 9; i < at + 12; i++) {
    const digit = bytes[i] - 0x30;
    if (digit < 0 || digit > 9) return null;
    status = status * 10 + digit;
  }
  let stop = at + 12;
  if (bytes[stop] !== SPACE && bytes[stop] !== CR) return null;
  while (stop < end && bytes[stop] >= SPACE && bytes[stop] < DELETE) stop += 1;
  if (!isLineEnd(bytes, stop, end)) return null;
  const fields = scanFields(bytes, stop + 2, end, STATUS_LINE);
  if (fields === null) return null;
  return { kind: 'response-head', version: VERSIONS[minor], status, fields, partial: NONE };
}

/** Name and value in turn; null where a line is not plain or the empty line is not there. */
function scanFields(bytes: Uint8Array, start: number, end: number, before: number): string[] | null {
  let count = 0;
  let at = start;
  let line = before;
  while (at < end) {
    if (bytes[at] === CR) {
      if (!isLineEnd(bytes, at, end)) return null;
      scannedEnd = at + 2;
      return FIELDS.slice(0, count);
    }
    if (count >= FIELDS.length) return null;
    let place = expectedLine(line, bytes, at, end);
    if (place < 0) {
      const next = scanLine(bytes, at, end);
      if (next < 0) return null;
      place = knownLine(line, bytes, at, next);
      if (place < 0) {
        // One that does not come again is passed over: what follows it is expected behind the one before it.
        FIELDS[count] = cachedLatin1(bytes, at, nameEnd);
        FIELDS[count + 1] = cachedLatin1(bytes, valueStart, valueEnd);
        place = learnLine(bytes, at, next, FIELDS[count], FIELDS[count + 1]);
        if (place >= 0) line = place;
        count += 2;
        at = next;
        continue;
      }
    }
    FIELDS[count] = NAMES[place];
    FIELDS[count + 1] = VALUES[place];
    line = place;
    count += 2;
    at += lineLength(place);
  }
  return null;
}

/** Sets `nameEnd`, `valueStart` and `valueEnd`. @returns the end of the line; -1 where it is not plain or not there. */
function scanLine(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end && bytes[at] !== COLON) {
    if (bytes[at] <= SPACE || bytes[at] >= DELETE) return -1;
    at += 1;
  }
  if (at === start || at >= end) return -1;
  nameEnd = at;
  at += 1;
  while (at < end && (bytes[at] === SPACE || bytes[at] === TAB)) at += 1;
  valueStart = at;
  while (at < end && ((bytes[at] >= SPACE && bytes[at] < DELETE) || bytes[at] === TAB)) at += 1;
  if (!isLineEnd(bytes, at, end)) return -1;
  valueEnd = at;
  while (valueEnd > valueStart && (bytes[valueEnd - 1] === SPACE || bytes[valueEnd - 1] === TAB)) valueEnd -= 1;
  return at + 2;
}

/** `HTTP/1.0` is 0, `HTTP/1.1` is 1; -1 for all else. */
function versionAt(bytes: Uint8Array, at: number, end: number): number {
  if (at + 8 > end) return -1;
  for (let i = 0; i < 7; i++) if (bytes[at + i] !== HTTP_1[i]) return -1;
  const minor = bytes[at + 7] - 0x30;
  return minor === 0 || minor === 1 ? minor : -1;
}

function isLineEnd(bytes: Uint8Array, at: number, end: number): boolean {
  return at + 1 < end && bytes[at] === CR && bytes[at + 1] === LF;
}

function isMethodByte(byte: number): boolean {
  return (byte >= 0x41 && byte <= 0x5a) || byte === HYPHEN;
}

let nameEnd = 0;
let valueStart = 0;
let valueEnd = 0;
const VERSIONS = ['1.0', '1.1'] as const;
const NONE: readonly never[] = [];
/** Where fields are gathered: one array of the right size is made at the end. Heads with more than 64 are not usual. */
const FIELDS: string[] = new Array<string>(128).fill('');
/** `HTTP/1.` */
const HTTP_1 = Uint8Array.from([0x48, 0x54, 0x54, 0x50, 0x2f, 0x31, 0x2e]);
const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const HYPHEN = 0x2d;
const COLON = 0x3a;
const DELETE = 0x7f;

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
