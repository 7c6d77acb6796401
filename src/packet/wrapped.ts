// Finds TCP behind a header that is not read (802.11 behind GRE, PPP in L2TP, GTP) by an IP header that is right, so that a notice
// tells of the packets that are skipped.

import { u16be } from '../core/bytes/bytes.js';
import { TCP } from './ip-protocols.js';

/** UDP's destination ports (IANA) of what wraps packets and is not read: L2TP, GTP-U, LISP, VXLAN-GPE, CAPWAP, GUE, MPLS, Teredo. */
export function isWrapperPort(port: number): boolean {
  return WRAPPERS.has(port);
}

/**
 * Does a whole IPv4 or IPv6 header whose packet carries TCP begin within the first bytes?
 *
 * @param end where the captured bytes end.
 */
export function wrapsTcp(b: Uint8Array, at: number, end: number): boolean {
  const last = Math.min(at + MAX_WRAPPER_BYTES, end - IPV4_HEADER);
  for (let start = at; start <= last; start++) {
    const version = b[start] >> 4;
    if (version === 4 ? isTcpInIpv4(b, start, end) : version === 6 && isTcpInIpv6(b, start, end)) return true;
  }
  return false;
}

/** RFC 791: without options, as all TCP is sent; its checksum makes sure. */
function isTcpInIpv4(b: Uint8Array, at: number, end: number): boolean {
  if (b[at] !== 0x45 || b[at + 9] !== TCP || u16be(b, at + 2) < IPV4_HEADER + TCP_HEADER) return false;
  if (at + IPV4_HEADER > end) return false;
  let sum = 0;
  for (let i = 0; i < IPV4_HEADER; i += 2) sum += u16be(b, at + i);
  return (sum & 0xffff) + (sum >>> 16) === 0xffff;
}

/** RFC 8200: no checksum; global or private addresses (RFC 4291, 4193), ports, and a TCP header of a possible length do. */
function isTcpInIpv6(b: Uint8Array, at: number, end: number): boolean {
  const tcp = at + IPV6_HEADER;
  if (tcp + TCP_HEADER > end || b[at + 6] !== TCP || u16be(b, at + 4) < TCP_HEADER) return false;
  if (!isAddress(b[at + 8]) || !isAddress(b[at + 24]) || b[at + 8] !== b[at + 24]) return false;
  const isHeader = b[tcp + 12] >> 4 >= 5 && (b[tcp + 12] & 0x0e) === 0;
  return isHeader && u16be(b, tcp) !== 0 && u16be(b, tcp + 2) !== 0;
}

function isAddress(first: number): boolean {
  return first >> 5 === 1 || (first & 0xfe) === 0xfc || first === 0xfe;
}

const WRAPPERS: ReadonlySet<number> = new Set([1701, 2152, 3544, 4341, 4790, 5247, 6080, 6635]);
const IPV4_HEADER = 20;
const IPV6_HEADER = 40;
const TCP_HEADER = 20;
/** Bytes that may stand before such a header: 802.11 with its security and an A-MSDU's subframe need 60. */
const MAX_WRAPPER_BYTES = 96;
