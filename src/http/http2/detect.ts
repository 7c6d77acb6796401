// Detects HTTP/2 by the preface, or in mid-stream by a run of frames, each of which begins where the one before ends.

import { u24be } from '../../core/bytes/bytes.js';
import { type Detection, type FirstBytes, signatureAt } from '../../core/first-bytes.js';
import { REFUTED, weighFrame } from './frame-evidence.js';
import {
  CONTINUATION,
  DATA,
  END_HEADERS,
  END_STREAM,
  FRAME_HEADER,
  HEADERS,
  isPlausibleHeader,
  PREFACE,
  SETTINGS,
} from './frame-types.js';

export function detectHttp2(first: FirstBytes, handshakeSeen: boolean): Detection {
  const { client, server } = first;
  const byPreface = signatureAt(client, 0, PREFACE);
  if (byPreface === 'yes' || (!handshakeSeen && signatureAt(server, 0, PREFACE) === 'yes')) return 'yes';
  if (!handshakeSeen) return anywhere(client, server);
  if (byPreface === 'no') {
    // The first bytes of the client may be missing.
    return beginsHttp2(client) ? 'yes' : 'no';
  }
  return client.length === 0 && server.length > 0 ? serverFirst(server) : 'more';
}

/** A server may send its SETTINGS before the client sends bytes (RFC 9113, 3.4). */
function serverFirst(server: Uint8Array): Detection {
  if (server.length < FRAME_HEADER) return server[0] === 0 ? 'more' : 'no';
  return server[3] === SETTINGS && isPlausibleHeader(server, 0) ? 'yes' : 'no';
}

function anywhere(client: Uint8Array, server: Uint8Array): Detection {
  if (holdsHttp2(client) || holdsHttp2(server)) return 'yes';
  return client.length < MAX_LOOK && server.length < MAX_LOOK ? 'more' : 'no';
}

/**
 * Limit in bytes: reach within which a frame begins even if the capture begins within one: the largest usual frame (16 KiB) and two
 * headers.
 */
const MAX_LOOK = 32 * 1024;

/** Whether a run of frames that proves HTTP/2 begins anywhere in these bytes of one direction. */
export function holdsHttp2(bytes: Uint8Array): boolean {
  const runs = new FrameRuns(bytes);
  const last = bytes.length - FRAME_HEADER;
  for (let at = 0; at <= last && runs.left > 0; at++) {
    if (bytes[at + 3] <= CONTINUATION && isPlausibleHeader(bytes, at) && runs.proveHttp2(at)) return true;
  }
  return false;
}

/** Whether such a run begins with the first byte. */
export function beginsHttp2(bytes: Uint8Array): boolean {
  return bytes.length >= FRAME_HEADER && new FrameRuns(bytes).proveHttp2(0);
}

/**
 * Limit: frames that are examined at each attempt to find whether a connection older than the capture is HTTP/2: enough for 64 KiB of
 * any real connection, with the false runs before the real one.
 */
const MAX_FRAMES = 4096;

/** One attempt to find a run. Forged bytes can begin runs everywhere, so all of them have one limit. */
class FrameRuns {
  /** Frames that may still be weighed. */
  left = MAX_FRAMES;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  proveHttp2(start: number): boolean {
    const b = this.#bytes;
    // A segment or TLS record usually begins with a frame and ends with one.
    let points = start === 0 ? 1 : 0;
    let empty = 0;
    let blockOpen = false;
    let at = start;
    while (at + FRAME_HEADER <= b.length && this.left > 0) {
      this.left -= 1;
      const type = b[at + 3];
      const weight = weighFrame(b, at, b.length);
      const fits = weight !== REFUTED && (type === CONTINUATION) === blockOpen;
      if (type === DATA && u24be(b, at) === 0 && (b[at + 4] & END_STREAM) === 0) empty += 1;
      // Nothing fits after a loss, but an earlier proof remains valid.
      if (!fits || empty > MAX_EMPTY) return points >= BEYOND_DOUBT;
      points += weight;
      if (type === HEADERS || type === CONTINUATION) blockOpen = (b[at + 4] & END_HEADERS) === 0;
      at += FRAME_HEADER + u24be(b, at);
    }
    if (at === b.length) points += 1;
    return points >= ENOUGH;
  }
}

/** Points of two frames, or of one that is hardly anything else. */
const ENOUGH = 4;
const BEYOND_DOUBT = 8;

/** Limit: empty DATA frames without the end of a stream in a run that is believed: one is an oddity, more are zeros by chance. */
const MAX_EMPTY = 1;
