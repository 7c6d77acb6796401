import { isIPv6 } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressBytes, bytes } from '../../test/kit/packetiser.js';
import { ipv4Text, ipv6Text } from './address.js';

describe('ipv4Text', () => {
  it('is dotted', () => expect(ipv4Text(bytes('ff c0000201'), 1)).toBe('192.0.2.1'));
});

describe('ipv6Text', () => {
  // Examples of RFC 5952 sections 4 and 5, and the two ends.
  it.each([
    ['20010db8000000000000000000000001', '2001:db8::1'],
    ['20010db8000000000000000000020001', '2001:db8::2:1'],
    ['20010db8000000010001000100010001', '2001:db8:0:1:1:1:1:1'],
    ['20010000000000010000000000000001', '2001:0:0:1::1'],
    ['20010db8000000000001000000000001', '2001:db8::1:0:0:1'],
    ['20010db8aaaabbbbccccddddeeee0001', '2001:db8:aaaa:bbbb:cccc:dddd:eeee:1'],
    ['0000000000000000 0000ffffc0000201', '::ffff:192.0.2.1'],
    ['00000000000000000000000000000000', '::'],
    ['00000000000000000000000000000001', '::1'],
    ['fe800000000000000000000000000000', 'fe80::'],
  ])('%s', (hex, text) => expect(ipv6Text(bytes(hex), 0)).toBe(text));

  it('reads back as the same bytes', () => {
    const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }));
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
        const raw = Uint8Array.from(groups.flatMap((g) => [g >> 8, g & 255]));
        const text = ipv6Text(raw, 0);
        expect(isIPv6(text)).toBe(true);
        if (!text.includes('.')) expect(addressBytes(text)).toEqual(raw);
      }),
    );
  });
});
