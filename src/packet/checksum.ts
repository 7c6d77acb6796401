// The Internet checksum (RFC 1071) of what an IP packet carries. Knows where TCP and UDP have it, and what stands there
// before it is made.

import { u16be } from '../core/bytes/bytes.js';
import { TCP, UDP } from './ip-protocols.js';

/**
 * Whether the checksum of a whole payload fits; true where it has none that is known.
 *
 * @param addresses the IP packet's two, in `length` bytes from `at` on: with protocol and payload length they are the pseudo
 *   header (RFC 9293, section 3.1; RFC 8200, section 8.1).
 */
export function isSoundPayload(
  payload: Uint8Array,
  protocol: number,
  addresses: Uint8Array,
  at: number,
  length: number,
): boolean {
  if (protocol !== TCP && protocol !== UDP) return true;
  // Of UDP, 0 says that there is none (RFC 768; RFC 6935 for tunnels over IPv6).
  if (protocol === UDP && (payload.length < 8 || u16be(payload, 6) === 0)) return true;
  return (
    folded(sumOf(payload, 0, payload.length) + pseudoHeader(payload.length, protocol, addresses, at, length)) === ALL
  );
}

/**
 * Whether the checksum of a whole TCP segment fits, or is what the kernel leaves there for the network card to go on from:
 * the sum of the pseudo-header (Linux: CHECKSUM_PARTIAL, of what its host sends and of received ones that it merged).
 */
export function isPlausibleSegment(segment: Uint8Array, addresses: Uint8Array, at: number, length: number): boolean {
  const pseudo = pseudoHeader(segment.length, TCP, addresses, at, length);
  const left = u16be(segment, TCP_CHECKSUM);
  return left === folded(pseudo) || folded(sumOf(segment, 0, segment.length) + pseudo) === ALL;
}

function pseudoHeader(size: number, protocol: number, addresses: Uint8Array, at: number, length: number): number {
  return sumOf(addresses, at, at + length) + protocol + size;
}

function folded(sum: number): number {
  while (sum > ALL) sum = (sum & ALL) + (sum >>> 16);
  return sum;
}

// At most 64 KiB: the sum stays below 2^31.
function sumOf(bytes: Uint8Array, start: number, end: number): number {
  let sum = 0;
  let at = start;
  for (; at + 1 < end; at += 2) sum += u16be(bytes, at);
  return at < end ? sum + (bytes[at] << 8) : sum;
}

const ALL = 0xffff;
/** Where a TCP header has it. */
const TCP_CHECKSUM = 16;
