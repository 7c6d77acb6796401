import { describe, expect, it } from 'vitest';
import { CLIENT, ipOf, SERVER, udp } from '../../test/kit/packetiser.js';
import { hasCorrectChecksum, isPlausibleSegment } from './checksum.js';
import { ACK } from './segment.js';

const V6 = [
  { address: '2001:db8::1', port: 40_000 },
  { address: '2001:db8::2', port: 8080 },
];

describe('a TCP payload of an IP packet', () => {
  it.each([
    ['IPv4', 12, 8, 20, CLIENT, SERVER],
    ['IPv6', 8, 32, 40, V6[0], V6[1]],
  ])('over %s fits its checksum, and with any other byte does not', (_, at, length, start, source, destination) => {
    for (const payload of ['', 'odd', 'even', '\xff'.repeat(60_000)]) {
      const packet = ipOf({ source, destination, seq: 7, ack: 9, flags: ACK, payload });
      const isSound = () => hasCorrectChecksum(packet.subarray(start), 6, packet, at, length);
      expect(isSound()).toBe(true);
      for (const place of [at, start, packet.length - 1]) {
        packet[place] ^= 0x41;
        expect(isSound()).toBe(false);
        packet[place] ^= 0x41;
      }
    }
  });
});

it('UDP without a checksum, and what has none that is known, is taken as it is', () => {
  expect(hasCorrectChecksum(udp(1, 2, Uint8Array.of(3)), 17, new Uint8Array(8), 0, 8)).toBe(true);
  expect(hasCorrectChecksum(Uint8Array.of(1, 2, 3), 47, new Uint8Array(8), 0, 8)).toBe(true);
  expect(hasCorrectChecksum(Uint8Array.of(1, 2, 3, 4, 0, 9, 1, 1, 5), 17, new Uint8Array(8), 0, 8)).toBe(false);
});

it('a TCP segment whose checksum is left to the network card is as good as one that fits, a damaged one is not', () => {
  const packet = ipOf({ source: CLIENT, destination: SERVER, seq: 7, ack: 9, flags: ACK, payload: 'odd' });
  const isPlausible = () => isPlausibleSegment(packet.subarray(20), packet, 12, 8);
  expect(isPlausible()).toBe(true);
  packet[30] ^= 1;
  expect(isPlausible()).toBe(false);
  // 192.0.2.1 and .2, protocol 6, 23 bytes.
  const sum = 0xc000 + 0x0201 + 0xc000 + 0x0202 + 6 + 23;
  packet.set([((sum & 0xffff) + 1) >> 8, (sum + 1) & 0xff], 36);
  expect(isPlausible()).toBe(true);
});
