// Finds the network protocol of a frame after its link header, VLAN tags, MPLS labels and PPPoE.

import { u16be, u16le, u32be, u32le } from '../core/bytes/bytes.js';

/** Result of `openLink` and `openEthernet`; one object serves all packets. */
export interface LinkPayload {
  /** EtherType; 0 if the payload is no network protocol. */
  etherType: number;
  /** Where the network layer begins. */
  at: number;
}

export const IPV4 = 0x0800;
export const IPV6 = 0x86dd;
export const TRANSPARENT_ETHERNET = 0x6558;
/** Results of `openLink`. CUT: the bytes end within a header. */
export const CUT = -1;
export const UNKNOWN_LINK = 0;
export const OPENED = 1;

interface LinkLayer {
  /** As tcpdump.org lists it, without LINKTYPE_. */
  readonly name: string;
  /** Reads the link header of the frame `b[at … end)`. @returns OPENED, UNKNOWN_LINK or CUT. */
  open(b: Uint8Array, at: number, end: number, out: LinkPayload): number;
}

const RAW: LinkLayer = {
  name: 'RAW',
  open: (b, at, end, out) => (at >= end ? CUT : found(ipVersion(b, at), at, out)),
};

/** Behind a header of `size` bytes is a packet of the type that is at `typeAt` in it. */
function cooked(name: string, size: number, typeAt: number): LinkLayer {
  return {
    name,
    open: (b, at, end, out) => (at + size > end ? CUT : openType(u16be(b, at + typeAt), b, at + size, end, out)),
  };
}

/** Four bytes of an address family before the packet. */
function family(name: string, familyAt: (b: Uint8Array, at: number) => number): LinkLayer {
  return {
    name,
    open: (b, at, end, out) => (at + 4 > end ? CUT : found(familyType(familyAt(b, at)), at + 4, out)),
  };
}

const LINUX_SLL = 113;
const LINUX_SLL2 = 276;
/** What tcpdump writes on macOS with `-i any` and `-i pktap`. */
export const PKTAP = 258;

/** By LINKTYPE_ value (tcpdump.org/linktypes.html); a new link type is a row. */
const LINK_LAYERS: ReadonlyMap<number, LinkLayer> = new Map([
  [0, family('NULL', loopbackFamily)],
  [1, { name: 'ETHERNET', open: openEthernet }],
  [9, { name: 'PPP', open: openPpp }],
  [12, RAW],
  [14, RAW],
  [50, { name: 'PPP_HDLC', open: openPpp }],
  [51, { name: 'PPP_ETHER', open: openPppoe }],
  [101, RAW],
  [104, cooked('C_HDLC', 4, 2)],
  [108, family('LOOP', u32be)],
  [LINUX_SLL, cooked('LINUX_SLL', 16, 14)],
  [228, { name: 'IPV4', open: (_b, at, _end, out) => found(IPV4, at, out) }],
  [229, { name: 'IPV6', open: (_b, at, _end, out) => found(IPV6, at, out) }],
  [239, { name: 'NFLOG', open: openNflog }],
  [PKTAP, { name: 'PKTAP', open: openPktap }],
  [LINUX_SLL2, cooked('LINUX_SLL2', 20, 0)],
]);

/** @returns UNKNOWN_LINK for a link type that is not in the table, else what its row returns. */
export function openLink(linkType: number, b: Uint8Array, at: number, end: number, out: LinkPayload): number {
  return LINK_LAYERS.get(linkType)?.open(b, at, end, out) ?? UNKNOWN_LINK;
}

/** `ETHERNET`, or the number of one that is not read. */
export function linkTypeName(linkType: number): string {
  return LINK_LAYERS.get(linkType)?.name ?? `LINKTYPE ${linkType}`;
}

/** Direction of a packet by its link header; null if the header has none. `loopback`: the packet did not leave the host. */
export function packetDirection(linkType: number, header: Uint8Array): 'loopback' | 'in' | 'out' | null {
  //   LINUX_SLL    [ packet type 2 | ARPHRD 2 | … 16 ]     LINUX_SLL2   [ … 8 | ARPHRD 2 | packet type 1 | … 20 ]
  if ((linkType !== LINUX_SLL && linkType !== LINUX_SLL2) || header.length < 16) return null;
  const isFirst = linkType === LINUX_SLL;
  if (u16be(header, isFirst ? 2 : 8) === ARPHRD_LOOPBACK) return 'loopback';
  return (isFirst ? u16be(header, 0) : header[10]) === PACKET_OUTGOING ? 'out' : 'in';
}

export function openEthernet(b: Uint8Array, at: number, end: number, out: LinkPayload): number {
  if (at + 14 > end) return CUT;
  return openType(u16be(b, at + 12), b, at + 14, end, out);
}

function openPktap(b: Uint8Array, at: number, end: number, out: LinkPayload): number {
  const header = end - at < PKTAP_HEADER ? 0 : u32le(b, at);
  if (header < PKTAP_HEADER || header > end - at) return CUT;
  const inner = u32le(b, at + 8);
  // A header in a header is none; raw IP is 12 there (bpf.h).
  return inner === PKTAP ? UNKNOWN_LINK : openLink(inner, b, at + header, end, out);
}

/** LINKTYPE_NFLOG: family, version, group; then length, type and value, padded to four bytes: that of type 9 is an IP packet. */
function openNflog(b: Uint8Array, at: number, end: number, out: LinkPayload): number {
  for (let tlv = at + 4; tlv + 4 <= end; ) {
    // In the byte order of the host that wrote it: lengths are small.
    const isLittle = b[tlv + 1] === 0 || (b[tlv] !== 0 && u16le(b, tlv) <= end - tlv);
    const [length, type] = isLittle ? [u16le(b, tlv), u16le(b, tlv + 2)] : [u16be(b, tlv), u16be(b, tlv + 2)];
    if (length < 4) return CUT;
    if ((type & NFLOG_TYPE) === NFLOG_PAYLOAD) return tlv + 4 < end ? found(ipVersion(b, tlv + 4), tlv + 4, out) : CUT;
    tlv += (length + 3) & ~3;
  }
  return CUT;
}

/** Skips VLAN tags (802.1Q, 802.1ad and their predecessors), MPLS labels, PPPoE and LLC/SNAP headers. */
function openType(type: number, b: Uint8Array, at: number, end: number, out: LinkPayload): number {
  while (type === 0x8100 || type === 0x88a8 || type === 0x9100 || type === 0x9200) {
    if (at + 4 > end) return CUT;
    type = u16be(b, at + 2);
    at += 4;
  }
  if (type === IPV4 || type === IPV6) return found(type, at, out);
  if (type === MPLS || type === MPLS_MULTICAST) return openMpls(b, at, end, out);
  if (type === PPPOE_SESSION) return openPppoe(b, at, end, out);
  // An EtherType up to 1500 is the length of an 802.3 frame; Linux cooked headers have 4 (ETH_P_802_2) for the same.
  return type <= 1500 ? openLlc(b, at, end, out) : found(type, at, out);
}

/** RFC 2516: version, type, code, session and length precede PPP. */
function openPppoe(b: Uint8Array, at: number, end: number, out: LinkPayload): number {
  return at + 6 > end ? CUT : openPpp(b, at + 6, end, out);
}

/** RFC 3032: labels of 4 bytes up to the one that is marked as the last; then the first byte shows whether it is IP. */
function openMpls(b: Uint8Array, at: number, end: number, out: LinkPayload): number {
  do {
    at += 4;
    if (at >= end) return CUT;
  } while ((b[at - 2] & 1) === 0);
  return found(ipVersion(b, at) || MPLS, at, out);
}

/** IEEE 802.2: SNAP (RFC 1042), or the service access point of IP. */
function openLlc(b: Uint8Array, at: number, end: number, out: LinkPayload): number {
  if (at + 3 > end) return CUT;
  if (b[at] === 0x06 && b[at + 1] === 0x06) return found(IPV4, at + 3, out);
  if (b[at] !== 0xaa || b[at + 1] !== 0xaa) return found(0, at, out);
  if (at + 8 > end) return CUT;
  return found(u16be(b, at + 6), at + 8, out);
}

/** RFC 1661, RFC 1662: address and control bytes, and the upper half of the protocol, may be left out. */
function openPpp(b: Uint8Array, at: number, end: number, out: LinkPayload): number {
  if (at + 2 <= end && b[at] === 0xff && b[at + 1] === 0x03) at += 2;
  if (at + 2 > end) return CUT;
  const short = (b[at] & 1) === 1;
  const protocol = short ? b[at] : u16be(b, at);
  at += short ? 1 : 2;
  // Protocols from 0x4000 on control PPP itself (RFC 1661, section 2); those below are network protocols, compressed ones too.
  return found(protocol === 0x0021 ? IPV4 : protocol === 0x0057 ? IPV6 : protocol < 0x4000 ? PPP : 0, at, out);
}

/** EtherType by the version at the start of every IP header; 0 if it is neither. */
function ipVersion(b: Uint8Array, at: number): number {
  return b[at] >> 4 === 4 ? IPV4 : b[at] >> 4 === 6 ? IPV6 : 0;
}

/** Has the byte order of the host that wrote it; families are small numbers, so the wrong order shows. */
function loopbackFamily(b: Uint8Array, at: number): number {
  const family = u32le(b, at);
  return family > 0xffff ? u32be(b, at) : family;
}

/** AF_INET is 2 everywhere; AF_INET6 is 10 on Linux, 23 Windows, 24 NetBSD and OpenBSD, 28 FreeBSD, 30 macOS. */
function familyType(family: number): number {
  if (family === 2) return IPV4;
  return family === 10 || family === 23 || family === 24 || family === 28 || family === 30 ? IPV6 : 0;
}

function found(etherType: number, at: number, out: LinkPayload): number {
  out.etherType = etherType;
  out.at = at;
  return OPENED;
}

const MPLS = 0x8847;
const MPLS_MULTICAST = 0x8848;
const PPPOE_SESSION = 0x8864;
const PPP = 0x880b;
/** EtherTypes (IEEE, IANA) that encapsulate packets and are not read: such frames are reported as skipped. */
export const UNREAD: ReadonlyMap<number, string> = new Map([
  [MPLS, 'MPLS'],
  [MPLS_MULTICAST, 'MPLS'],
  [PPP, 'PPP'],
  [PPPOE_SESSION, 'PPPoE'],
  [0x22f3, 'TRILL'],
  [0x4305, 'B.A.T.M.A.N.'],
  [0x8903, 'FabricPath'],
  [0x8909, 'Cisco MetaData'],
  [0x8926, 'VN-Tag'],
  [0x892f, 'HSR'],
  [0x88e5, 'MACsec'],
  [0x88e7, 'provider backbone bridging'],
  [0x894f, 'NSH'],
]);
const NFLOG_PAYLOAD = 9;
/** Without the bits of nested attributes (linux/netlink.h). */
const NFLOG_TYPE = 0x3fff;
/** Bytes up to its process; the header says its own length. */
export const PKTAP_HEADER = 108;
/** linux/if_arp.h, linux/if_packet.h. */
const ARPHRD_LOOPBACK = 772;
const PACKET_OUTGOING = 4;
