import { describe, expect, it } from 'vitest';
import { bytes, CLIENT, ethernet, frames, ip, ipOf, SERVER, type Sent, START, udp } from '../../test/kit/packetiser.js';
import { concat } from '../core/bytes/bytes.js';
import { packetDecoder } from './packet-decoder.js';
import { tunnelRule, wrapsTcp } from './tunnels.js';

const V4: Sent = { time: START, source: CLIENT, destination: SERVER, seq: 7, ack: 9, flags: 24, payload: 'hello' };
const IP4 = ipOf(V4);
const IP6 = ipOf({
  ...V4,
  source: { address: '2001:db8::1', port: 40000 },
  destination: { address: '2001:db8::2', port: 6443 },
});
const OUTER = ['198.51.100.1', '198.51.100.2'] as const;
/** IEEE 802.11 QoS data with an A-MSDU's first subframe: addresses, length, LLC and SNAP. */
const amsdu = (packet: Uint8Array): Uint8Array =>
  concat([
    bytes('8802 0000 020000000001 020000000002 020000000003 0000 8000'),
    bytes('020000000001 020000000002'),
    Uint8Array.of((packet.length + 8) >> 8, packet.length + 8),
    bytes('aaaa03 000000 0800'),
    packet,
  ]);
const gre = (type: string, inside: Uint8Array): Uint8Array => ip(...OUTER, 47, concat([bytes(`0000 ${type}`), inside]));

/** Notices about packets. */
function noticesOf(...packets: Uint8Array[]): string[] {
  const decoder = packetDecoder();
  const list = packets.map((data, i) => ({ time: START + BigInt(i), bytes: ethernet(data) }));
  for (const frame of frames(list)) expect(decoder.read(frame)).toBeNull();
  return decoder.end().map(({ code, detail }) => `${code}: ${detail}`);
}

describe('TCP behind headers that are not read', () => {
  it.each([
    ['802.11 in GRE', gre('8200', amsdu(IP4)), 'EtherType 0x8200'],
    ['the same over IPv6', gre('8200', amsdu(IP6)), 'EtherType 0x8200'],
    [
      'GTP',
      ip(...OUTER, 17, udp(2152, 2152, concat([bytes('30ff 0035 00000001'), IP4]))),
      'UDP port 2152 (GTP: capture where it is unwrapped)',
    ],
    [
      'Ethernet in IP',
      ip(...OUTER, 97, concat([bytes('3000'), ethernet(IP4)])),
      'IP protocol 97 (Ethernet in IP: capture where it is unwrapped)',
    ],
  ])('%s is reported', (_, packet, what) => {
    expect(noticesOf(packet, packet)).toEqual([
      `packet.unknown-encapsulation: TCP behind ${what}: 2 packets, first in frame 1`,
    ]);
  });

  it.each([
    ['UDP inside', gre('8200', amsdu(ip(...OUTER, 17, udp(53, 40000, bytes('0001020304')))))],
    [
      'a header that does not fit its checksum',
      gre('8200', amsdu(Uint8Array.from(IP4, (byte, i) => byte ^ (i === 8 ? 1 : 0)))),
    ],
    ['OSPF', ip(...OUTER, 89, bytes('0201002c c0000201 00000000 00000002 00000000 00000000 ffffff00'))],
    ['zeros', gre('8200', new Uint8Array(200))],
    ['nothing', gre('8200', new Uint8Array(0))],
  ])('%s is not reported as such', (_, packet) =>
    expect(noticesOf(packet)).toEqual([expect.stringMatching(/^packet\.not-read: /)]),
  );

  it('wherever it begins, within reason', () => {
    const behind = (length: number) => wrapsTcp(concat([new Uint8Array(length), IP4]), 0, length + IP4.length);
    expect([0, 7, 96, 97].map(behind)).toEqual([true, true, true, false]);
  });
});

describe('a tunnel on a port of its own', () => {
  // Its inner header has no checksum, as a host with offloading captures it: the inside alone does not show it.
  const offloaded = ethernet(Uint8Array.from(IP4, (byte, i) => (i === 10 || i === 11 ? 0 : byte)));
  const at9999 = (header: string): Uint8Array =>
    ethernet(ip(...OUTER, 17, udp(40_000, 9999, concat([bytes(header), offloaded]))));
  const read = (packet: Uint8Array, tunnels?: Parameters<typeof packetDecoder>[0]) => {
    const decoder = packetDecoder(tunnels);
    return [decoder.read(frames([{ time: START, bytes: packet }])[0])?.flow.source.port, decoder.end().length];
  };

  it.each([
    ['vxlan', '08000000 00002a00'],
    ['geneve', '00006558 00002a00'],
  ])('%s is read where it is told', (name, header) => {
    const rule = tunnelRule(`udp:9999=${name}`);
    expect(read(at9999(header), new Map(rule === null ? [] : [rule]))).toEqual([CLIENT.port, 0]);
    expect(read(at9999(header))).toEqual([undefined, 1]);
  });

  it.each(['9999=vxlan', 'udp:9999', 'udp:9999=gre', 'tcp:9999=vxlan', 'udp:9999=vxlan,geneve'])(
    '%s is no rule',
    (text) => expect(tunnelRule(text)).toBeNull(),
  );
});

// Lengths and types: wireguard.com/protocol, 5.4.
it.each([
  ['an initiation', `01000000 ${'5a'.repeat(144)}`, true],
  ['a response', `02000000 ${'5a'.repeat(88)}`, true],
  ['data', `04000000 ${'5a'.repeat(44)}`, true],
  ['another length', `01000000 ${'5a'.repeat(140)}`, false],
  ['another type', `05000000 ${'5a'.repeat(44)}`, false],
  ['four bytes', '04000000', false],
])('WireGuard on any port: %s', (_, payload, isKnown) => {
  const words = isKnown ? ' (WireGuard: capture on the interface of the Pod, or on that of WireGuard)' : '';
  expect(noticesOf(ip(...OUTER, 17, udp(40_000, 7777, bytes(payload))))).toEqual([
    `packet.not-read: UDP port 7777${words}: 1 packet, first in frame 1`,
  ]);
});
