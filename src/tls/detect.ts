// Decides from the first captured bytes whether a connection is TLS.

import { ByteQueue } from '../core/bytes/byte-queue.js';
import { ALERT, beginsTlsRecord, type Detection, HANDSHAKE } from '../core/first-bytes.js';
import type { Connection, Side, StreamEvent } from '../tcp/stream-event.js';
import { isHeader, isLikelyHeader, RECORD_LIMIT } from './records.js';

export type Verdict = 'tls' | 'plain' | 'unsure';

/** Buffers the first events of a connection until it is decided. */
export class Detector {
  held: StreamEvent[] = [];
  /** Whether `held` has bytes. */
  holdsBytes = false;
  /** The beginning of the connection was not captured. */
  isMidStream: boolean;
  readonly #detector = new MidStreamDetector();
  readonly #first: Record<Side, number[]> = { client: [], server: [] };

  constructor(connection: Connection) {
    this.isMidStream = connection.roles !== 'handshake';
  }

  look(event: StreamEvent): Verdict {
    if (event.kind !== 'data') {
      this.held.push(event);
      if (event.kind === 'gap') this.isMidStream = true;
      // No more bytes will come, so the protocol does not matter.
      return event.kind === 'closed' && event.from === null ? 'plain' : 'unsure';
    }
    const { from, bytes } = event;
    const verdict = this.isMidStream ? this.#lookMidStream(from, bytes) : this.#lookAtStart(from, bytes);
    // Borrowed bytes are copied if they have to wait.
    this.holdsBytes = true;
    this.held.push(verdict === 'unsure' ? { ...event, bytes: new Uint8Array(event.bytes) } : event);
    return verdict;
  }

  #lookAtStart(side: Side, bytes: Uint8Array): Verdict {
    const first = this.#first[side];
    for (let i = 0; i < bytes.length && first.length < 3; i += 1) first.push(bytes[i]);
    return detectAtStart(Uint8Array.from(first));
  }

  #lookMidStream(side: Side, bytes: Uint8Array): Verdict {
    const verdict = this.#detector.look(side, bytes);
    // A handshake: only the SYN, or bytes before the handshake, were not captured.
    return verdict === 'unsure' && bytes.length >= 5 && bytes[0] === HANDSHAKE && isHeader(bytes, 0) ? 'tls' : verdict;
  }
}

/** Decides by the first bytes of a direction, with which a handshake record, or at least an alert, begins. */
export function detectAtStart(first: Uint8Array): Verdict {
  return VERDICTS[beginsTlsRecord(first)];
}

const VERDICTS: Readonly<Record<Detection, Verdict>> = { yes: 'tls', no: 'plain', more: 'unsure' };

/**
 * Decides by bytes from the middle of a connection, which may begin within a record. TCP segments often end where records end, so a
 * record header is found soon.
 */
export class MidStreamDetector {
  readonly #directions: Record<Side, MidStreamBytes> = { client: new MidStreamBytes(), server: new MidStreamBytes() };

  look(side: Side, piece: Uint8Array): Verdict {
    return this.#directions[side].look(piece);
  }
}

class MidStreamBytes {
  readonly #queue = new ByteQueue();
  /** The first position at which a header may begin. */
  #at = 0;
  #isSampled = false;

  look(piece: Uint8Array): Verdict {
    this.#queue.push(piece);
    const seen = this.#queue.peek();
    if (this.#holdsRecord(seen)) return 'tls';
    if (!this.#isSampled && seen.length >= HTTP2_HEADER) {
      this.#isSampled = true;
      if (looksPlain(seen)) return 'plain';
    }
    return seen.length > DETECT_LIMIT ? 'plain' : 'unsure';
  }

  /** Finds a header at the beginning, or one whose record ends with the bytes or is followed by another header. */
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

/** Frame header of RFC 9113, 4.1: a length up to 2^14, a known type, the reserved bit 0. */
function startsHttp2Frame(b: Uint8Array): boolean {
  return b.length >= HTTP2_HEADER && b[0] === 0 && b[1] <= 0x40 && b[3] <= 9 && (b[5] & 0x80) === 0;
}

/** The head of an HTTP/1.1 chunk: `1f4 CR LF` (RFC 9112, 7.1). Ciphertext looks like it once in a million. */
function startsChunk(b: Uint8Array): boolean {
  let at = 0;
  while (at < b.length && at < MAX_SIZE_DIGITS && isHexDigit(b[at])) at += 1;
  return at > 0 && b[at] === 0x0d && b[at + 1] === 0x0a;
}

function isHexDigit(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x66) || (byte >= 0x41 && byte <= 0x46);
}

/** Limit: digits of a chunk size that distinguish plain HTTP from the middle of TLS. */
const MAX_SIZE_DIGITS = 6;
const SAMPLE = 64;
const HTTP2_HEADER = 9;

/** Limit in bytes: reach within which a record header must be found: the longest record and its header. */
const DETECT_LIMIT = RECORD_LIMIT + 5;
