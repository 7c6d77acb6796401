// Decides from the first bytes whether a connection is TLS. Knows how records begin, and what plaintext looks like where
// the beginning of a connection was not captured.

import { ByteQueue } from '../core/bytes/byte-queue.js';
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
  /** Bytes are among what is held. */
  holdsBytes = false;
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
    const verdict = this.late ? this.#lookLate(event.from, event.bytes) : this.#lookAtStart(event.from, event.bytes);
    // Bytes are lent: what has to wait is copied, what is decided goes on at once.
    this.holdsBytes = true;
    this.held.push(verdict === 'unsure' ? { ...event, bytes: new Uint8Array(event.bytes) } : event);
    return verdict;
  }

  #lookAtStart(side: Side, bytes: Uint8Array): Verdict {
    const first = this.#first[side];
    for (let i = 0; i < bytes.length && first.length < 3; i += 1) first.push(bytes[i]);
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
  readonly #seen: Record<Side, Middle> = { client: new Middle(), server: new Middle() };

  look(side: Side, piece: Uint8Array): Verdict {
    return this.#seen[side].look(piece);
  }
}

class Middle {
  readonly #queue = new ByteQueue();
  /** Where a header may begin: nothing before it is one. */
  #at = 0;
  #plainAsked = false;

  look(piece: Uint8Array): Verdict {
    this.#queue.push(piece);
    const seen = this.#queue.peek();
    if (this.#holdsRecord(seen)) return 'tls';
    if (!this.#plainAsked && seen.length >= HTTP2_HEADER) {
      this.#plainAsked = true;
      if (looksPlain(seen)) return 'plain';
    }
    return seen.length > DETECT_LIMIT ? 'plain' : 'unsure';
  }

  /** A header right at the beginning, or one whose record ends with the piece or is followed by another header. */
  #holdsRecord(seen: Uint8Array): boolean {
    for (; this.#at + 5 <= seen.length; this.#at += 1) {
      const at = this.#at;
      if (!isLikelyHeader(seen, at)) continue;
      if (at === 0 && seen[0] !== ALERT) return true;
      const end = at + 5 + ((seen[at + 3] << 8) | seen[at + 4]);
      if (end === seen.length) return true;
      if (end + 5 > seen.length) return false;
      if (isLikelyHeader(seen, end)) return true;
    }
    return false;
  }
}

function looksPlain(piece: Uint8Array): boolean {
  const length = Math.min(piece.length, SAMPLE);
  let printable = 0;
  for (let i = 0; i < length; i += 1) {
    const byte = piece[i];
    if ((byte >= 0x20 && byte < 0x7f) || byte === 0x0d || byte === 0x0a || byte === 0x09) printable += 1;
  }
  return printable >= length * 0.9 || startsHttp2Frame(piece) || startsChunk(piece);
}

/** Frame header of RFC 9113, 4.1: length up to 2^14 here, a known type, the reserved bit 0. */
function startsHttp2Frame(b: Uint8Array): boolean {
  return b.length >= HTTP2_HEADER && b[0] === 0 && b[1] <= 0x40 && b[3] <= 9 && (b[5] & 0x80) === 0;
}

/** A chunk of HTTP/1.1, whatever its data: `1f4 CR LF` (RFC 9112, 7.1). Ciphertext looks so once in a million. */
function startsChunk(b: Uint8Array): boolean {
  let at = 0;
  while (at < b.length && at < MAX_SIZE_DIGITS && isHexDigit(b[at])) at += 1;
  return at > 0 && b[at] === 0x0d && b[at + 1] === 0x0a;
}

function isHexDigit(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x66) || (byte >= 0x41 && byte <= 0x46);
}

const MAX_SIZE_DIGITS = 6;
const SAMPLE = 64;
const HTTP2_HEADER = 9;

/** Within one longest record and its header a header must show. */
const DETECT_LIMIT = RECORD_LIMIT + 5;
