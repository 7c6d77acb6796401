// Formats IP addresses.

import { u16be } from './bytes/bytes.js';

/** Dotted form of the 4 bytes at `at`. */
export function ipv4Text(b: Uint8Array, at: number): string {
  return `${b[at]}.${b[at + 1]}.${b[at + 2]}.${b[at + 3]}`;
}

/** RFC 5952 form of the 16 bytes at `at`; an IPv4-mapped address has the mixed notation of section 5. */
export function ipv6Text(b: Uint8Array, at: number): string {
  const groups: number[] = [];
  for (let i = 0; i < 16; i += 2) groups.push(u16be(b, at + i));
  if (groups[5] === 0xffff && groups.every((group, i) => i >= 5 || group === 0))
    return `::ffff:${ipv4Text(b, at + 12)}`;
  const { start, length } = longestZeros(groups);
  const hex = (list: number[]) => list.map((group) => group.toString(16)).join(':');
  // Section 4.2.2: a single zero group is not shortened.
  if (length < 2) return hex(groups);
  return `${hex(groups.slice(0, start))}::${hex(groups.slice(start + length))}`;
}

/** Section 4.2.3: the longest run of zero groups, the first of equal ones. */
function longestZeros(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start += 1) {
    let length = 0;
    while (groups[start + length] === 0) length += 1;
    if (length > best.length) best = { start, length };
  }
  return best;
}

/** 127.0.0.0/8 (RFC 1122, 3.2.1.3) or ::1 (RFC 4291, 2.5.3). @param address IPv4 dotted, IPv6 as in RFC 5952. */
export function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}
