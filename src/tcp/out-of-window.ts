// Segments that cannot be of the connection that is known under their addresses: it has ended, or stands far from there. Two
// of them that answer each other are of another one, whose beginning is not in the capture. Knows numbers and flags.

import { copyOf } from '../core/bytes/bytes.js';
import { ACK, RST, type Segment, SYN } from '../packet/segment.js';
import { EARLIER_START, type HalfConnection, LARGEST_WINDOW } from './half-connection.js';

/** The last one of a connection. */
export interface OutOfWindowSegment {
  readonly half: HalfConnection;
  /** Its payload a copy, empty where that is too long to keep. */
  readonly segment: Segment;
  /** Bytes of payload that it had, and what was counted as not read. */
  readonly length: number;
  readonly counted: number;
}

/** Whether payload of `half` is none of its: out of every window, or from long before its first byte. */
export function isFar({ flags, seq, payload }: Segment, half: HalfConnection): boolean {
  if (half.position !== 'fixed' || half.otherInitial >= 0) return false;
  if ((flags & SYN) !== 0 || payload.length === 0) return false;
  const ahead = half.ahead(seq);
  return Math.abs(ahead) > LARGEST_WINDOW || half.received.next + ahead < -EARLIER_START;
}

/**
 * Of payload that is not read: how many bytes are none of its connection, and with those that were lost how many count as not
 * read. Repeated bytes are old news.
 */
export function leftOver(segment: Segment, half: HalfConnection): { readonly length: number; readonly unread: number } {
  const { length } = segment.payload;
  if (half.position !== 'fixed' || isFar(segment, half)) return { length, unread: length };
  const { next } = half.received;
  const start = next + half.ahead(segment.seq);
  const end = start + length;
  const beyond = Math.max(0, end - Math.max(start, next));
  return { length: beyond, unread: beyond + half.unread(start, end) };
}

/** Whether the two are of one connection: each acknowledges what the other sent, to the byte. */
export function isAnswer(
  { flags, seq, ack }: Segment,
  half: HalfConnection,
  first: OutOfWindowSegment | null,
): boolean {
  if (first === null || first.half === half || (flags & ACK) === 0 || (flags & (SYN | RST)) !== 0) return false;
  const { segment, length } = first;
  return (segment.flags & ACK) !== 0 && seq === segment.ack && ack === (segment.seq + length) >>> 0;
}

/** @param counted bytes of it that count as not read. */
export function outOfWindowSegment(segment: Segment, half: HalfConnection, counted: number): OutOfWindowSegment {
  const { payload } = segment;
  const { length } = payload;
  const kept = length <= STRANGER_LIMIT;
  return { half, length, counted, segment: { ...segment, payload: copyOf(kept ? payload : payload.subarray(0, 0)) } };
}

/**
 * Bytes of payload that are kept of a stranger, so that the request is read with whose answer it is known: one without a body.
 * 12,288 connections, open and closed ones, have one each: 24 MiB.
 */
const STRANGER_LIMIT = 2048;
