// Decides which segments a receiver would accept (RFC 9293, section 3.10.7): a capture also has segments that their receivers drop.

import { copyOf } from '../core/bytes/bytes.js';
import { ACK, FIN, RST, type Segment, SYN } from '../packet/segment.js';
import type { OutOfWindowSegment } from './conversation.js';
import { EARLIER_START, type HalfConnection, LARGEST_WINDOW } from './half-connection.js';
import type { Direction } from './table.js';

/** Whether the checksum of the current segment is correct, or left to the network card; null if that is unknown. */
export type IsPlausible = () => boolean | null;

/**
 * Removes an acknowledgment of bytes that were not captured so far, if the checksum of its segment is wrong on a connection with
 * correct checksums, which the first segment of each direction shows. On other connections a wrong checksum proves nothing,
 * because offloading and address translation leave wrong ones behind.
 */
export function withoutImplausibleAck(
  segment: Segment,
  { conversation, half, peer }: Direction,
  isPlausible: IsPlausible,
): Segment {
  const { plausible } = conversation;
  if (plausible[half.side] === null) plausible[half.side] = isPlausible();
  const { flags, ack } = segment;
  if (plausible[half.side] !== true || (flags & (ACK | SYN)) !== ACK) return segment;
  if (peer.position === 'unknown' || peer.ahead(ack) <= 0 || isPlausible() !== false) return segment;
  return { ...segment, flags: flags & ~ACK };
}

/**
 * Whether the peer of `half` accepts this RST: its sequence number is near the next one of its direction, and not before the first
 * byte (RFC 9293, section 3.10.7.4; the window is not known). A RST in response to a SYN must acknowledge it (section 3.10.7.3).
 */
export function isAcceptableReset({ seq, ack, flags }: Segment, half: HalfConnection, peer: HalfConnection): boolean {
  if (half.position === 'unknown') {
    if (peer.initial < 0) return true;
    const acknowledged = (ack - peer.initial - 1) | 0;
    return (flags & ACK) !== 0 && acknowledged >= 0 && acknowledged <= peer.received.end;
  }
  const ahead = half.ahead(seq);
  const offset = half.received.next + ahead;
  const first = half.initial >= 0 ? -1 : -EARLIER_START;
  const reach = isUnanswered(half, peer) ? 0 : RESET_REACH;
  return ahead >= -RESET_REACH && offset >= first && offset <= half.received.end + reach;
}

/**
 * Whether this is an empty ACK in response to a SYN: it is about another, half-open connection, whose bytes it acknowledges
 * (RFC 9293, section 3.5.1).
 */
export function isChallengeAck(
  { flags, payload, missing }: Segment,
  half: HalfConnection,
  peer: HalfConnection,
): boolean {
  return isUnanswered(peer, half) && (flags & (SYN | FIN)) === 0 && payload.length + missing === 0;
}

// Whether `half` sent a SYN and its peer nothing that could be a response.
function isUnanswered(half: HalfConnection, peer: HalfConnection): boolean {
  return half.initial >= 0 && (peer.position === 'unknown' || peer.position === 'guessed');
}

/** Whether payload cannot belong to `half`: it is outside every window, or long before the first byte. */
export function isFar({ flags, seq, payload }: Segment, half: HalfConnection): boolean {
  if (half.position !== 'fixed' || half.otherInitial >= 0) return false;
  if ((flags & SYN) !== 0 || payload.length === 0) return false;
  const ahead = half.ahead(seq);
  return Math.abs(ahead) > LARGEST_WINDOW || half.received.next + ahead < -EARLIER_START;
}

/**
 * Counts the payload of a segment that is not emitted: `length` bytes cannot belong to the connection, and `unread` also includes bytes
 * that were given up as lost. Repeated bytes do not count.
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

/** Whether this segment and an out-of-window one belong to one connection: each acknowledges exactly the bytes of the other. */
export function acknowledgesOutOfWindow(
  { flags, seq, ack }: Segment,
  half: HalfConnection,
  first: OutOfWindowSegment | null,
): boolean {
  if (first === null || first.half === half || (flags & ACK) === 0 || (flags & (SYN | RST)) !== 0) return false;
  const { segment, length } = first;
  return (segment.flags & ACK) !== 0 && seq === segment.ack && ack === (segment.seq + length) >>> 0;
}

/** @param counted bytes of it that were counted as unclaimed. */
export function outOfWindowSegment(segment: Segment, half: HalfConnection, counted: number): OutOfWindowSegment {
  const { payload } = segment;
  const { length } = payload;
  const kept = length <= OUT_OF_WINDOW_BYTES;
  return { half, length, counted, segment: { ...segment, payload: copyOf(kept ? payload : payload.subarray(0, 0)) } };
}

/**
 * Limit in bytes: distance of an acceptable RST from the next sequence number: windows of connections within a cluster. Accepting a
 * wrong RST loses the rest of a connection, rejecting a right one only the reason of its end.
 */
const RESET_REACH = 1024 * 1024;

/**
 * Limit in bytes: payload kept of the latest out-of-window segment, so that a request without a body can be read when its response
 * reveals another connection. 12,288 connections, open and closed ones, have one each: 24 MiB.
 */
const OUT_OF_WINDOW_BYTES = 2048;
