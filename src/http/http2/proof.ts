// Decides whether a connection whose beginning is not in the capture carries HTTP/2: by runs of frames, each of which begins where
// the one before ends.

import { u24be } from '../../core/bytes/bytes.js';
import { REFUTED, weighFrame } from './frame-evidence.js';
import {
  CONTINUATION,
  DATA,
  END_HEADERS,
  END_STREAM,
  FRAME_HEADER,
  HEADERS,
  isPlausibleHeader,
} from './frame-types.js';

/**
 * Does a run of frames begin somewhere in here that proves HTTP/2?
 *
 * @param bytes of one direction, as many as are there, from any place on.
 */
export function holdsHttp2(bytes: Uint8Array): boolean {
  budget = MAX_FRAMES;
  const last = bytes.length - FRAME_HEADER;
  for (let at = 0; at <= last && budget > 0; at++) {
    if (bytes[at + 3] <= CONTINUATION && isPlausibleHeader(bytes, at) && provesHttp2(bytes, at)) return true;
  }
  return false;
}

/** Does the first byte of a direction begin a run that proves HTTP/2? */
export function beginsHttp2(bytes: Uint8Array): boolean {
  budget = MAX_FRAMES;
  return bytes.length >= FRAME_HEADER && provesHttp2(bytes, 0);
}

function provesHttp2(b: Uint8Array, start: number): boolean {
  // A segment or TLS record usually begins with a frame and ends with one.
  let points = start === 0 ? 1 : 0;
  let empty = 0;
  let blockOpen = false;
  let at = start;
  while (at + FRAME_HEADER <= b.length && budget > 0) {
    budget -= 1;
    const type = b[at + 3];
    const weight = weighFrame(b, at, b.length);
    const fits = weight !== REFUTED && (type === CONTINUATION) === blockOpen;
    if (type === DATA && u24be(b, at) === 0 && (b[at + 4] & END_STREAM) === 0) empty += 1;
    // Behind a loss nothing fits any more; what was proven before it stays so.
    if (!fits || empty > MAX_EMPTY) return points >= BEYOND_DOUBT;
    points += weight;
    if (type === HEADERS || type === CONTINUATION) blockOpen = (b[at + 4] & END_HEADERS) === 0;
    at += FRAME_HEADER + u24be(b, at);
  }
  if (at === b.length) points += 1;
  return points >= ENOUGH;
}

/** Frames that the current look may still weigh: bytes are made in which runs begin everywhere. */
let budget = 0;

/** What two frames have, or one that hardly anything else can be. */
const ENOUGH = 4;
const BEYOND_DOUBT = 8;

/** DATA without a byte that does not end its stream has no use: one is an oddity, more are zeros that happen to be there. */
const MAX_EMPTY = 1;

/** Frames that one look weighs: runs in 64 KiB of any honest connection, and of false ones those that begin before it. */
const MAX_FRAMES = 4096;
