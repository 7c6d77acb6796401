// Numbers of the protocols and IPv6 extension headers in an IP packet (IANA, Assigned Internet Protocol Numbers).

export const ICMP = 1;
export const IP_IN_IP = 4;
export const TCP = 6;
export const UDP = 17;
export const IPV6_IN_IP = 41;
export const ROUTING = 43;
export const FRAGMENT = 44;
export const GRE = 47;
export const ICMPV6 = 58;
const HOP_BY_HOP = 0;
const AUTHENTICATION = 51;
const DESTINATION = 60;
const MOBILITY = 135;

/**
 * Size of an IPv6 extension header (RFC 8200, section 4; RFC 4302; RFC 6275), bytes; 0 if `type` is no extension header.
 * @param type the "next header" that announced it.
 * @param length its second byte.
 */
export function extensionSize(type: number, length: number): number {
  switch (type) {
    case HOP_BY_HOP:
    case ROUTING:
    case DESTINATION:
    case MOBILITY:
      return (length + 1) * 8;
    case FRAGMENT:
      return 8;
    case AUTHENTICATION:
      return (length + 2) * 4;
    default:
      return 0;
  }
}
