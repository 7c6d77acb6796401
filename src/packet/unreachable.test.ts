// ICMP messages built after RFC 792 and RFC 4443; real ones are in fixtures/connections-tls.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { be16, be32, CLIENT, ethernet, frames, ip, SERVER, START } from '../../test/kit/packetiser.js';
import { concat } from '../core/bytes/bytes.js';
import { packetDecoder } from './packet-decoder.js';

const ROUTER = '198.51.100.1';
const PORTS = concat([be16(CLIENT.port), be16(SERVER.port), be32(7)]);
const quoted = (from: string, to: string, protocol = 6): Uint8Array => ip(from, to, protocol, PORTS);

/** Type and code, checksum, four bytes, and the packet that it is about. */
const icmp = (type: number, code: number, about: Uint8Array): Uint8Array =>
  concat([Uint8Array.from([type, code, 0, 0, 0, 0, 0, 0]), about]);

function resultOf(packet: Uint8Array) {
  const decoder = packetDecoder();
  for (const frame of frames([{ time: START, bytes: ethernet(packet) }])) {
    expect(decoder.read(frame)).toBeNull();
    return decoder.unreachable === null ? null : `${decoder.unreachable.flow.key} ${decoder.unreachable.why}`;
  }
  return undefined;
}

const V4 = '192.0.2.1:40000-192.0.2.2:8080';
const V6 = '2001:db8::1:40000-2001:db8::2:8080';

describe('destination unreachable', () => {
  it.each([
    [1, 'host unreachable'],
    [3, 'port unreachable'],
    [9, 'network administratively prohibited'],
    [10, 'host administratively prohibited'],
    [13, 'administratively prohibited'],
  ])('IPv4, code %i', (code, why) => {
    const about = quoted(CLIENT.address, SERVER.address);
    expect(resultOf(ip(ROUTER, CLIENT.address, 1, icmp(3, code, about)))).toBe(`${V4} ${why}`);
  });

  it.each([
    [0, 'no route to destination'],
    [1, 'administratively prohibited'],
    [3, 'address unreachable'],
    [4, 'port unreachable'],
    [6, 'reject route to destination'],
  ])('IPv6, code %i', (code, why) => {
    const about = quoted('2001:db8::1', '2001:db8::2');
    expect(resultOf(ip('2001:db8::9', '2001:db8::1', 58, icmp(1, code, about)))).toBe(`${V6} ${why}`);
  });
});

describe('returns null for', () => {
  const about = quoted(CLIENT.address, SERVER.address);
  it.each([
    ['a packet that is too large', icmp(3, 4, about)],
    ['an echo', icmp(8, 0, about)],
    ['a code that is not assigned', icmp(3, 77, about)],
    ['what is about UDP', icmp(3, 3, quoted(CLIENT.address, SERVER.address, 17))],
    ['what quotes too little', icmp(3, 3, about.subarray(0, 23))],
    ['what quotes another version of IP', icmp(3, 3, quoted('2001:db8::1', '2001:db8::2'))],
  ])('%s', (_, packet) => {
    expect(resultOf(ip(ROUTER, CLIENT.address, 1, packet))).toBeNull();
  });

  it('random bytes, and never throws', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), fc.boolean(), (rest, isFour) => {
        const [from, to] = isFour ? [ROUTER, CLIENT.address] : ['2001:db8::9', '2001:db8::1'];
        resultOf(ip(from, to, isFour ? 1 : 58, concat([Uint8Array.from([isFour ? 3 : 1, 1]), rest])));
      }),
    );
  });
});

it('is forgotten with the next frame', () => {
  const decoder = packetDecoder();
  const one = ip(ROUTER, CLIENT.address, 1, icmp(3, 3, quoted(CLIENT.address, SERVER.address)));
  const [first, second] = frames([
    { time: START, bytes: ethernet(one) },
    { time: START, bytes: ethernet(quoted(CLIENT.address, SERVER.address)) },
  ]);
  decoder.read(first);
  expect(decoder.unreachable).not.toBeNull();
  decoder.read(second);
  expect(decoder.unreachable).toBeNull();
});
