// One segment in every header that can be around it: link types, tags, tunnels, extension headers.

import { concat } from '../../src/core/bytes/bytes.js';
import {
  be16,
  be32,
  bytes,
  CLIENT,
  ethernet,
  ip,
  ipOf,
  SERVER,
  type Sent,
  START,
  tcp,
  udp,
  vlan,
} from './packetiser.js';

export const V4: Sent = {
  time: START,
  source: CLIENT,
  destination: SERVER,
  seq: 7,
  ack: 9,
  flags: 24,
  payload: 'hello',
};
export const V6: Sent = {
  ...V4,
  source: { address: '2001:db8::1', port: 40000 },
  destination: { address: '2001:db8::2', port: 6443 },
};
export const IP4 = ipOf(V4);
export const IP6 = ipOf(V6);
export const OUTER = ['198.51.100.1', '198.51.100.2'] as const;

/** Every way in which the one segment can be wrapped: name, link type, bytes, and the segment. */
export const WRAPPED: [string, number, Uint8Array, Sent][] = [
  ['Ethernet, IPv4', 1, ethernet(IP4), V4],
  ['Ethernet, IPv6', 1, ethernet(IP6), V6],
  ['Ethernet padding behind a short packet', 1, concat([ethernet(IP4), new Uint8Array(9).fill(0xaa)]), V4],
  ['802.1Q', 1, ethernet(vlan(100, 0x0800, IP4), 0x8100), V4],
  ['QinQ (802.1ad)', 1, ethernet(vlan(5, 0x8100, vlan(6, 0x86dd, IP6)), 0x88a8), V6],
  ['three tags of the old kind', 1, ethernet(vlan(1, 0x9100, vlan(2, 0x8100, vlan(3, 0x0800, IP4))), 0x9100), V4],
  ['802.3 with LLC and SNAP', 1, ethernet(concat([bytes('aaaa03000000'), be16(0x0800), IP4]), 8 + IP4.length), V4],
  ['802.3 with the LLC address of IP', 1, ethernet(concat([bytes('060603'), IP4]), 3 + IP4.length), V4],
  ['MPLS, two labels, IPv4', 1, ethernet(concat([bytes('0006 4040 0000 6140'), IP4]), 0x8847), V4],
  ['MPLS in a VLAN, IPv6', 1, ethernet(vlan(7, 0x8847, concat([bytes('0006 4140'), IP6])), 0x8100), V6],
  ['PPPoE, IPv4', 1, ethernet(concat([bytes('1100 0001'), be16(2 + IP4.length), bytes('0021'), IP4]), 0x8864), V4],
  ['PPPoE, IPv6', 1, ethernet(concat([bytes('1100 0001'), be16(2 + IP6.length), bytes('0057'), IP6]), 0x8864), V6],
  ['Linux cooked v1', 113, concat([bytes('0000 0001 0006 0200000000010000'), be16(0x0800), IP4]), V4],
  [
    'Linux cooked v1, VLAN',
    113,
    concat([bytes('0000 0001 0006 0200000000010000'), be16(0x8100), vlan(4, 0x86dd, IP6)]),
    V6,
  ],
  ['Linux cooked v2', 276, concat([be16(0x86dd), bytes('0000 00000002 0001 00 06 0200000000010000'), IP6]), V6],
  ['loopback, little endian', 0, concat([be32(2).reverse(), IP4]), V4],
  ['loopback, big endian, macOS', 0, concat([be32(30), IP6]), V6],
  ['loopback, little endian, FreeBSD', 0, concat([be32(28).reverse(), IP6]), V6],
  ['OpenBSD loopback', 108, concat([be32(24), IP6]), V6],
  ['raw IPv4', 101, IP4, V4],
  ['raw IPv6', 101, IP6, V6],
  ['raw IP, BSD', 12, IP4, V4],
  ['IPv4 only', 228, IP4, V4],
  ['IPv6 only', 229, IP6, V6],
  ['PPP of a serial line', 50, concat([bytes('ff030057'), IP6]), V6],
  ['PPPoE without Ethernet', 51, concat([bytes('1100 0001'), be16(2 + IP4.length), bytes('0021'), IP4]), V4],
  ['Cisco HDLC', 104, concat([bytes('0f00 86dd'), IP6]), V6],
  ['PPP in HDLC framing', 9, concat([bytes('ff030021'), IP4]), V4],
  ['PPP', 9, concat([bytes('0057'), IP6]), V6],
  ['IPv4 options', 1, ethernet(ipOf(V4, { options: bytes('94040000 01010101') })), V4],
  ['TCP options', 1, ethernet(ipOf({ ...V4, options: bytes('0101080a 00000001 00000002') })), V4],
  [
    'IPv6 hop-by-hop, routing, destination',
    1,
    ethernet(ipv6Chain(0, '2b00000000000000', '3c00000000000000', '0600000000000000')),
    V6,
  ],
  ['IPv6 authentication header', 1, ethernet(ipv6Chain(51, '0604000000000001000000010000000000000000 00000000')), V6],
  ['IPv6 atomic fragment', 1, ethernet(ipv6Chain(44, '0600000000000001')), V6],
  ['VXLAN', 1, ethernet(ip(...OUTER, 17, udp(50000, 4789, concat([bytes('0800000000002a00'), ethernet(IP4)])))), V4],
  [
    'VXLAN over IPv6, Linux port',
    1,
    ethernet(
      ip('2001:db8:1::1', '2001:db8:1::2', 17, udp(50000, 8472, concat([bytes('0800000000002a00'), ethernet(IP6)]))),
    ),
    V6,
  ],
  [
    'Geneve with options, Ethernet',
    1,
    ethernet(ip(...OUTER, 17, udp(50000, 6081, concat([bytes('0200655800002a00 0102030100000000'), ethernet(IP4)])))),
    V4,
  ],
  ['Geneve, IP', 1, ethernet(ip(...OUTER, 17, udp(50000, 6081, concat([bytes('000086dd00002a00'), IP6])))), V6],
  ['GRE', 1, ethernet(ip(...OUTER, 47, concat([bytes('00000800'), IP4]))), V4],
  [
    'GRE with checksum, key and sequence',
    1,
    ethernet(ip(...OUTER, 47, concat([bytes('b00086dd'), be32(0), be32(1), be32(2), IP6]))),
    V6,
  ],
  ['GRE with Ethernet', 1, ethernet(ip(...OUTER, 47, concat([bytes('2000655800000007'), ethernet(IP4)]))), V4],
  ['ERSPAN II', 1, ethernet(ip(...OUTER, 47, concat([bytes('100088be00000001 1000000100000000'), ethernet(IP4)]))), V4],
  [
    'ERSPAN III',
    1,
    ethernet(ip(...OUTER, 47, concat([bytes('100022eb00000001 200000010000000000000000'), ethernet(IP4)]))),
    V4,
  ],
  ['IP in IP', 1, ethernet(ip(...OUTER, 4, IP4)), V4],
  ['IPv6 in IPv4', 1, ethernet(ip(...OUTER, 41, IP6)), V6],
  ['IPv4 in IPv6', 1, ethernet(ip('2001:db8:1::1', '2001:db8:1::2', 4, IP4)), V4],
  [
    'VXLAN in Geneve in IP in IP',
    1,
    ethernet(
      ip(
        ...OUTER,
        4,
        ip(
          ...OUTER,
          17,
          udp(
            1,
            6081,
            concat([
              bytes('0000080000000000'),
              ip(...OUTER, 17, udp(1, 4789, concat([bytes('0800000000000000'), ethernet(IP4)]))),
            ]),
          ),
        ),
      ),
    ),
    V4,
  ],
];

/** The IPv6 segment after extension headers, the first of type `next`; each begins with the type that follows it. */
export function ipv6Chain(next: number, ...headers: string[]): Uint8Array {
  return ip('2001:db8::1', '2001:db8::2', next, tcp(V6), { options: concat(headers.map(bytes)) });
}
