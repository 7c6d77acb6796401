// Verifies the Internet checksum (RFC 1071) of TCP and UDP in IP packets.

import { u16be } from '../core/bytes/bytes.js';
import { TCP, UDP } from './ip-protocols.js';

/**
 * Whether the checksum of a whole payload is correct; true if the protocol has none or it is not known.
 * @param addresses contains both addresses of the IP packet in `length` bytes from `at` on; with protocol and payload length they
 *   are the pseudo-header (RFC 9293, section 3.1; RFC 8200, section 8.1).
 */
export function hasCorrectChecksum(
  payload: Uint8Array,
  protocol: number,
  addresses: Uint8Array,
  at: number,
  length: number,
): boolean {
  if (protocol !== TCP && protocol !== UDP) return true;
  // In UDP, 0 means that there is no checksum (RFC 768; RFC 6935 for tunnels over IPv6).
  if (protocol === UDP && (payload.length < 8 || u16be(payload, 6) === 0)) return true;
  return (
    folded(sumOf(payload, 0, payload.length) + pseudoHeader(payload.length, protocol, addresses, at, length)) === ALL
  );
}

/**
 * Whether the checksum of a whole TCP segment is correct, or the sum of the pseudo-header, which the kernel leaves to the network
 * card (Linux: CHECKSUM_PARTIAL, in segments that the host sends and in received ones that it merged).
 */
export function isPlausibleSegment(segment: Uint8Array, addresses: Uint8Array, at: number, length: number): boolean {
  const pseudo = pseudoHeader(segment.length, TCP, addresses, at, length);
  const isPartial = u16be(segment, TCP_CHECKSUM) === folded(pseudo);
  return isPartial || folded(sumOf(segment, 0, segment.length) + pseudo) === ALL;
}

function pseudoHeader(size: number, protocol: number, addresses: Uint8Array, at: number, length: number): number {
  return sumOf(addresses, at, at + length) + protocol + size;
}

function folded(sum: number): number {
  while (sum > ALL) sum = (sum & ALL) + (sum >>> 16);
  return sum;
}

// The sum of at most 64 KiB stays below 2^31.
function sumOf(bytes: Uint8Array, start: number, end: number): number {
  let sum = 0;
  let at = start;
  for (; at + 1 < end; at += 2) sum += u16be(bytes, at);
  return at < end ? sum + (bytes[at] << 8) : sum;
}

const ALL = 0xffff;
/** Offset in a TCP header. */
const TCP_CHECKSUM = 16;
