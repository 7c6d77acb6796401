// Opens tunnels of Ethernet or IP in UDP or GRE, and detects TCP after headers that are not read.

import { u16be } from '../core/bytes/bytes.js';
import { TCP } from './ip-protocols.js';
import { CUT, type LinkPayload, OPENED, TRANSPARENT_ETHERNET } from './link.js';

/** The header shows that a tunnel carries neither Ethernet nor IP. */
export const NO_TUNNEL = 0;

/** A tunnel in UDP. */
export type UdpTunnel = 'vxlan' | 'geneve' | 'tzsp';

/** By UDP destination port. */
export type TunnelPorts = ReadonlyMap<number, UdpTunnel>;

/** VXLAN has IANA's port and the older one of the Linux kernel. */
export const TUNNEL_PORTS: TunnelPorts = new Map([
  [4789, 'vxlan'],
  [8472, 'vxlan'],
  [6081, 'geneve'],
  [37008, 'tzsp'],
]);

/** @param text `udp:9999=vxlan`. @returns null: it is no such rule. */
export function tunnelRule(text: string): readonly [port: number, tunnel: UdpTunnel] | null {
  const [, port, tunnel] = /^udp:(\d{1,5})=(vxlan|geneve|tzsp)$/.exec(text) ?? [];
  return tunnel === undefined ? null : [Number(port), tunnel as UdpTunnel];
}

/** Reads the tunnel header after a UDP header. */
export function openUdpTunnel(tunnel: UdpTunnel, b: Uint8Array, at: number, end: number, out: LinkPayload): number {
  if (tunnel === 'tzsp') return openTzsp(b, at, end, out);
  if (at + 8 > end) return CUT;
  if (tunnel === 'geneve') return openGeneve(b, at, end, out);
  // RFC 7348 section 5: the I flag must be set, the other bits are reserved.
  return (b[at] & 0x08) === 0 ? NO_TUNNEL : inside(TRANSPARENT_ETHERNET, at + 8, end, out);
}

/** RFC 8926 section 3.4: version 0, options of 4 bytes each, an EtherType. */
function openGeneve(b: Uint8Array, at: number, end: number, out: LinkPayload): number {
  if (b[at] >> 6 !== 0) return NO_TUNNEL;
  return inside(u16be(b, at + 2), at + 8 + (b[at] & 0x3f) * 4, end, out);
}

/** TaZmen Sniffer Protocol (Wireshark, packet-tzsp.c): version 1, a packet, Ethernet; then tags of type, length and value up to type 1. */
function openTzsp(b: Uint8Array, at: number, end: number, out: LinkPayload): number {
  if (at + 4 > end) return CUT;
  if (b[at] !== 1 || b[at + 1] > 1 || u16be(b, at + 2) !== 1) return NO_TUNNEL;
  let tag = at + 4;
  while (tag < end && b[tag] !== 1) tag += b[tag] === 0 ? 1 : 2 + (b[tag + 1] ?? 0);
  return inside(TRANSPARENT_ETHERNET, tag + 1, end, out);
}

/** Recognises VXLAN and Geneve on ports of their own by what is inside: an IP packet with TCP in an Ethernet frame. */
export function openUnknownPort(b: Uint8Array, at: number, end: number, out: LinkPayload): number {
  if (at + 8 > end) return NO_TUNNEL;
  const isVxlan = b[at] === 0x08 && b[at + 1] === 0 && u16be(b, at + 2) === 0;
  const isGeneve = b[at] >> 6 === 0 && (b[at + 1] & 0x3f) === 0 && u16be(b, at + 2) === TRANSPARENT_ETHERNET;
  if (b[at + 7] !== 0 || (!isVxlan && !isGeneve)) return NO_TUNNEL;
  const frame = at + 8 + (isVxlan ? 0 : (b[at] & 0x3f) * 4);
  const inner = frame + ETHERNET_HEADER + (u16be(b, frame + 12) === VLAN ? 4 : 0);
  if (!isTcpInIpv4(b, inner, end) && !isTcpInIpv6(b, inner, end)) return NO_TUNNEL;
  return inside(TRANSPARENT_ETHERNET, frame, end, out);
}

/** RFC 2784, RFC 2890; ERSPAN types I to III carry Ethernet after a header of their own. */
export function openGre(b: Uint8Array, at: number, end: number, out: LinkPayload): number {
  if (at + 4 > end) return CUT;
  const flags = u16be(b, at);
  const type = u16be(b, at + 2);
  if ((flags & (VERSION | ROUTING)) !== 0) return NO_TUNNEL;
  let start = at + 4;
  if ((flags & CHECKSUM) !== 0) start += 4;
  if ((flags & KEY) !== 0) start += 4;
  if ((flags & SEQUENCE) !== 0) start += 4;
  if (type === ERSPAN) return inside(TRANSPARENT_ETHERNET, start + ((flags & SEQUENCE) !== 0 ? 8 : 0), end, out);
  if (type !== ERSPAN_III) return inside(type, start, end, out);
  if (start + 12 > end) return CUT;
  return inside(TRANSPARENT_ETHERNET, start + 12 + (b[start + 11] & 1) * 8, end, out);
}

function inside(etherType: number, at: number, end: number, out: LinkPayload): number {
  if (at > end) return CUT;
  out.etherType = etherType;
  out.at = at;
  return OPENED;
}

/** Whether the header of an IP packet with TCP begins within MAX_WRAPPER_BYTES. @param end of the captured bytes. */
export function wrapsTcp(b: Uint8Array, at: number, end: number): boolean {
  const last = Math.min(at + MAX_WRAPPER_BYTES, end - IPV4_HEADER);
  for (let start = at; start <= last; start++) {
    const version = b[start] >> 4;
    if (version === 4 ? isTcpInIpv4(b, start, end) : version === 6 && isTcpInIpv6(b, start, end)) return true;
  }
  return false;
}

/** RFC 791: a header without options, as for practically all TCP, and with a correct checksum. */
function isTcpInIpv4(b: Uint8Array, at: number, end: number): boolean {
  if (b[at] !== 0x45 || b[at + 9] !== TCP || u16be(b, at + 2) < IPV4_HEADER + TCP_HEADER) return false;
  if (at + IPV4_HEADER > end) return false;
  let sum = 0;
  for (let i = 0; i < IPV4_HEADER; i += 2) sum += u16be(b, at + i);
  return (sum & 0xffff) + (sum >>> 16) === 0xffff;
}

/** RFC 8200: has no checksum, so global or private addresses (RFC 4291, 4193), ports and the TCP header length must be plausible. */
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

const ETHERNET_HEADER = 14;
const VLAN = 0x8100;
const CHECKSUM = 0x8000;
const ROUTING = 0x4000;
const KEY = 0x2000;
const SEQUENCE = 0x1000;
const VERSION = 0x0007;
const ERSPAN = 0x88be;
const ERSPAN_III = 0x22eb;
const IPV4_HEADER = 20;
const IPV6_HEADER = 40;
const TCP_HEADER = 20;
/**
 * Limit in bytes: what may stand before an IP header that shows TCP after an unread one: 802.11 with security and an A-MSDU subframe
 * header need 60.
 */
const MAX_WRAPPER_BYTES = 96;
