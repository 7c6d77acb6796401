// Tunnels that wrap Ethernet or IP in UDP or GRE: which protocol is inside, and where it begins.

import { u16be } from '../core/bytes/bytes.js';
import { CUT, type LinkPayload, OPENED, TRANSPARENT_ETHERNET } from './link.js';

/** Says of a tunnel: its header says that nothing of ours is inside. */
export const NO_TUNNEL = 0;

/** True for the destination ports of VXLAN (IANA's and the Linux kernel's older one) and Geneve. */
export function isTunnelPort(port: number): boolean {
  return port === VXLAN || port === VXLAN_LINUX || port === GENEVE;
}

/** Reads the tunnel header behind a UDP header whose destination is a tunnel port. */
export function openUdpTunnel(port: number, b: Uint8Array, at: number, end: number, out: LinkPayload): number {
  if (at + 8 > end) return CUT;
  if (port === GENEVE) return openGeneve(b, at, end, out);
  // RFC 7348 section 5: the I flag must be set, the other bits are reserved.
  return (b[at] & 0x08) === 0 ? NO_TUNNEL : inside(TRANSPARENT_ETHERNET, at + 8, end, out);
}

/** RFC 8926 section 3.4: version 0, options of 4 bytes each, an EtherType. */
function openGeneve(b: Uint8Array, at: number, end: number, out: LinkPayload): number {
  if (b[at] >> 6 !== 0) return NO_TUNNEL;
  return inside(u16be(b, at + 2), at + 8 + (b[at] & 0x3f) * 4, end, out);
}

/** RFC 2784, RFC 2890; ERSPAN types I to III carry Ethernet behind a header of their own. */
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

const VXLAN = 4789;
const VXLAN_LINUX = 8472;
const GENEVE = 6081;
const CHECKSUM = 0x8000;
const ROUTING = 0x4000;
const KEY = 0x2000;
const SEQUENCE = 0x1000;
const VERSION = 0x0007;
const ERSPAN = 0x88be;
const ERSPAN_III = 0x22eb;
