// Reads ICMP messages about TCP packets that could not be delivered (RFC 792, RFC 1812 5.2.7.1, RFC 4443 3.1).
//
//   [ ICMP type | code | … 8 | IP header of the packet | ports | sequence number | … ]

import { u16be, u32be } from '../core/bytes/bytes.js';
import type { Origin } from '../core/origin.js';
import type { FlowCache } from './flows.js';
import { TCP } from './ip-protocols.js';
import type { Flow } from './segment.js';

export interface Unreachable {
  readonly origin: Origin;
  /** Flow of the packet that could not be delivered. */
  readonly flow: Flow;
  /** E.g. `administratively prohibited`. */
  readonly why: string;
}

/**
 * @param version of the enclosing IP packet. @param at of the ICMP header. @param end of the captured bytes.
 * @returns null for another message, another protocol, or a message of which too little was captured.
 */
export function unreachable(
  version: 4 | 6,
  bytes: Uint8Array,
  at: number,
  end: number,
  flows: FlowCache,
  origin: Origin,
): Unreachable | null {
  const quoted = at + ICMP_HEADER;
  const shortest = version === 4 ? 20 : 40;
  if (quoted + shortest + QUOTED_TCP > end || bytes[at] !== (version === 4 ? UNREACHABLE_4 : UNREACHABLE_6))
    return null;
  const why = (version === 4 ? WHY_4 : WHY_6)[bytes[at + 1]];
  if (why === undefined || bytes[quoted] >> 4 !== version) return null;
  const isFirst = version === 6 || (u16be(bytes, quoted + 6) & 0x1fff) === 0;
  if (bytes[quoted + (version === 4 ? 9 : 6)] !== TCP || !isFirst) return null;
  const tcp = quoted + (version === 4 ? (bytes[quoted] & 0x0f) * 4 : shortest);
  if (tcp < quoted + shortest || tcp + QUOTED_TCP > end || u32be(bytes, tcp) === 0) return null;
  return { origin, flow: flows.find(bytes, quoted + (version === 4 ? 12 : 8), bytes, tcp), why };
}

const ICMP_HEADER = 8;
/** Bytes of the quoted TCP header that are needed; RFC 792 promises 8. */
const QUOTED_TCP = 4;
const UNREACHABLE_4 = 3;
const UNREACHABLE_6 = 1;

/** By code. A packet that is too large (4) is no failure: it is sent again in pieces. */
const WHY_4: readonly (string | undefined)[] = [
  'network unreachable',
  'host unreachable',
  'protocol unreachable',
  'port unreachable',
  undefined,
  'source route failed',
  'network unknown',
  'host unknown',
  'source host isolated',
  'network administratively prohibited',
  'host administratively prohibited',
  'network unreachable for this type of service',
  'host unreachable for this type of service',
  'administratively prohibited',
  'host precedence violation',
  'precedence cutoff in effect',
];
const WHY_6: readonly (string | undefined)[] = [
  'no route to destination',
  'administratively prohibited',
  'beyond scope of source address',
  'address unreachable',
  'port unreachable',
  'source address failed ingress or egress policy',
  'reject route to destination',
];
