// Decides from the first bytes whether a connection is TLS. Knows how records begin, and what plaintext looks like where
// the beginning of a connection was not captured.

import type { Connection, Side, StreamEvent } from '../tcp/stream-event.js';
import {
  ALERT,
  APPLICATION_DATA,
  CHANGE_CIPHER_SPEC,
  HANDSHAKE,
  isHeader,
  isLikelyHeader,
  RECORD_LIMIT,
} from './records.js';

export type Verdict = 'tls' | 'plain' | 'unsure';

/** Holds the first events of a connection until it is decided what it speaks. */
export class Detector {
  held: StreamEvent[] = [];
  /** The beginning of the connection is not in the capture. */
  late: boolean;
  readonly #detector = new LateDetector();
  readonly #first: Record<Side, number[]> = { client: [], server: [] };

  constructor(connection: Connection) {
    this.late = connection.roles !== 'handshake';
  }

  look(event: StreamEvent): Verdict {
    if (event.kind !== 'data') {
      this.held.push(event);
      if (event.kind === 'gap') this.late = true;
      // Nothing more will come of it; what it was does not matter.
      return event.kind === 'closed' && event.from === null ? 'plain' : 'unsure';
    }
    this.held.push({ ...event, bytes: new Uint8Array(event.bytes) });
    if (this.late) return this.#lookLate(event.from, event.bytes);
    const first = this.#first[event.from];
    for (let i = 0; i < event.bytes.length && first.length < 3; i += 1) first.push(event.bytes[i]);
    return detectAtStart(Uint8Array.from(first));
  }

  #lookLate(side: Side, bytes: Uint8Array): Verdict {
    const verdict = this.#detector.look(side, bytes);
    // A handshake in an odd place: the SYN was missed, or bytes before it.
    return verdict === 'unsure' && bytes.length >= 5 && bytes[0] === HANDSHAKE && isHeader(bytes, 0) ? 'tls' : verdict;
  }
}

/**
 * The beginning of a connection was captured: a TLS one starts with a handshake record, an alert at the least.
 * @param first bytes of a direction from its start.
 */
export function detectAtStart(first: Uint8Array): Verdict {
  if (first.length === 0) return 'unsure';
  if (first[0] < CHANGE_CIPHER_SPEC || first[0] > APPLICATION_DATA) return 'plain';
  if (first.length >= 2 && first[1] !== 3) return 'plain';
  if (first.length < 3) return 'unsure';
  return first[2] <= 4 ? 'tls' : 'plain';
}

/**
 * Bytes from the middle of a connection, piece by piece: a record may begin with them, or was going on already. TCP
 * segments end where records end often enough that one of them shows soon.
 */
export class LateDetector {
  readonly #seen: Record<Side, number> = { client: 0, server: 0 };

  look(side: Side, piece: Uint8Array): Verdict {
    if (piece.length === 0) return 'unsure';
    const first = this.#seen[side] === 0;
    this.#seen[side] += piece.length;
    if (holdsRecord(piece, first)) return 'tls';
    if (first && looksPlain(piece)) return 'plain';
    return this.#seen[side] > DETECT_LIMIT ? 'plain' : 'unsure';
  }
}

/** A header whose record ends with the piece, is followed by another header, or stands right at the beginning. */
function holdsRecord(piece: Uint8Array, first: boolean): boolean {
  for (let at = 0; at + 5 <= piece.length; at += 1) {
    if (!isLikelyHeader(piece, at)) continue;
    const type = piece[at];
    if (at === 0 && first && type !== ALERT) return true;
    const end = at + 5 + ((piece[at + 3] << 8) | piece[at + 4]);
    if (end === piece.length || (end + 5 <= piece.length && isLikelyHeader(piece, end))) return true;
  }
  return false;
}

function looksPlain(piece: Uint8Array): boolean {
  const length = Math.min(piece.length, SAMPLE);
  let printable = 0;
  for (let i = 0; i < length; i += 1) {
    const byte = piece[i];
    if ((byte >= 0x20 && byte < 0x7f) || byte === 0x0d || byte === 0x0a || byte === 0x09) printable += 1;
  }
  return printable >= length * 0.9 || startsHttp2Frame(piece);
}

/** Frame header of RFC 9113, 4.1: length up to 2^14 here, a known type, the reserved bit 0. */
function startsHttp2Frame(b: Uint8Array): boolean {
  return b.length >= 9 && b[0] === 0 && b[1] <= 0x40 && b[3] <= 9 && (b[5] & 0x80) === 0;
}

const SAMPLE = 64;

/** Within one longest record and its header a header must show. */
const DETECT_LIMIT = RECORD_LIMIT + 5;
