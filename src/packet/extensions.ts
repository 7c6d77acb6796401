// IPv6 extension headers (RFC 8200, section 4; RFC 4302; RFC 6275): which numbers are theirs, and how long they are.

/**
 * Bytes of a header; 0: it is none, but what the packet carries.
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

const HOP_BY_HOP = 0;
export const ROUTING = 43;
export const FRAGMENT = 44;
const AUTHENTICATION = 51;
const DESTINATION = 60;
const MOBILITY = 135;
