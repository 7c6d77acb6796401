// What a host would take for true: a listener sees segments that their receivers drop, and must drop them too. Knows flags,
// numbers, whether checksums fit and where the two directions stand.

import { ACK, FIN, type Segment, SYN } from '../packet/segment.js';
import { EARLIER_START, type HalfConnection } from './half-connection.js';
import type { Direction } from './table.js';

/** Whether the checksum of the segment that is read is right, or left to the network card; null: it cannot be told. */
export type IsPlausible = () => boolean | null;

/**
 * The segment without its acknowledgment, where that is of bytes that are not there so far and its checksum says that it was
 * damaged, on a connection whose checksums fit: of the first segment of a direction it is looked at whether they do.
 * Else the segment as it is: offloading and changed addresses make checksums wrong that were right.
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
 * Whether the peer of `half` takes this RST: one from near the place where its direction stands, not from before its first
 * byte (RFC 9293, section 3.10.7.4; the window is not known). An answer to a SYN has no place: it acknowledges that SYN
 * (section 3.10.7.3).
 */
export function isAcceptableReset({ seq, ack, flags }: Segment, half: HalfConnection, peer: HalfConnection): boolean {
  if (half.position === 'unknown') {
    if (peer.initial < 0) return true;
    const answered = (ack - peer.initial - 1) | 0;
    return (flags & ACK) !== 0 && answered >= 0 && answered <= peer.received.end;
  }
  const ahead = half.ahead(seq);
  const offset = half.received.next + ahead;
  const first = half.initial >= 0 ? -1 : -EARLIER_START;
  const reach = isUnanswered(half, peer) ? 0 : RESET_REACH;
  return ahead >= -RESET_REACH && offset >= first && offset <= half.received.end + reach;
}

/**
 * An empty ACK where a SYN was sent and none came back: it is about another, half-open connection, and acknowledges what
 * belongs to that (RFC 9293, section 3.5.1).
 */
export function isChallengeAck(
  { flags, payload, missing }: Segment,
  half: HalfConnection,
  peer: HalfConnection,
): boolean {
  return isUnanswered(peer, half) && (flags & (SYN | FIN)) === 0 && payload.length + missing === 0;
}

// `half` sent a SYN, and of its peer there is nothing that could be an answer.
function isUnanswered(half: HalfConnection, peer: HalfConnection): boolean {
  return half.initial >= 0 && (peer.position === 'unknown' || peer.position === 'guessed');
}

/**
 * How far from where its direction stands a RST is believed: windows of a connection within a cluster. A wrong one believed
 * costs the rest of a connection, a right one that is not believed only the word for how it ended.
 */
const RESET_REACH = 1024 * 1024;
