import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Sealer, TLS13_SUITES } from '../../../test/kit/tls-peers.js';
import { trafficKeys } from '../key-schedule.js';
import { recordCipher } from '../record-cipher.js';
import { suiteById } from '../suites.js';
import { chachaWord, findSequence } from './sequence-number-search.js';

describe('findSequence', () => {
  it.each(TLS13_SUITES)('finds every place and length with %o', (hand) => {
    const suite = suiteById(hand.id)!;
    const secret = Buffer.alloc(hand.hash === 'sha256' ? 32 : 48, 9);
    const cipher = recordCipher(suite, trafficKeys(suite, secret));
    for (const [seq, length] of [
      [0, 0],
      [1, 15],
      [1023, 16],
      [1020, 63],
      [1009, 64],
      [700, 1000],
      [3, 16_384],
    ]) {
      const record = new Sealer(hand, secret, seq).data(Buffer.alloc(length, 1));
      expect(findSequence(cipher, record, 0, 1025)).toBe(seq);
      expect(findSequence(cipher, record, seq, 1)).toBe(seq);
      expect(findSequence(cipher, record, seq + 1, 100)).toBe(-1);
    }
  });

  it('finds places beyond 2^32', () => {
    const suite = suiteById(0x1301)!;
    const cipher = recordCipher(suite, trafficKeys(suite, Buffer.alloc(32)));
    const record = new Sealer(TLS13_SUITES[0], Buffer.alloc(32), 2 ** 32 + 77).data('x');
    expect(findSequence(cipher, record, 2 ** 32, 100)).toBe(2 ** 32 + 77);
  });

  it('finds handshake messages and alerts too', () => {
    const suite = suiteById(0x1303)!;
    const cipher = recordCipher(suite, trafficKeys(suite, Buffer.alloc(32)));
    const record = new Sealer(TLS13_SUITES[2], Buffer.alloc(32), 5).closeNotify();
    expect(findSequence(cipher, record, 0, 10)).toBe(5);
  });

  it('gives up on a record too short for any', () => {
    const suite = suiteById(0x1301)!;
    const cipher = recordCipher(suite, trafficKeys(suite, Buffer.alloc(32)));
    expect(findSequence(cipher, Uint8Array.from([23, 3, 3, 0, 1, 7]), 0, 10)).toBe(-1);
  });

  it.each([TLS13_SUITES[0], TLS13_SUITES[1]])('needs no window with GCM, nor a known padding: %o', (hand) => {
    const suite = suiteById(hand.id)!;
    fc.assert(
      fc.property(fc.nat(2 ** 48 - 1), fc.uint8Array({ maxLength: 300 }), fc.nat(50), (seq, content, padding) => {
        const secret = Buffer.alloc(hand.hash === 'sha256' ? 32 : 48, 3);
        const cipher = recordCipher(suite, trafficKeys(suite, secret));
        const record = new Sealer(hand, secret, seq).seal(23, content, padding);
        expect(findSequence(cipher, record, 0, Number.MAX_SAFE_INTEGER)).toBe(seq);
        const other = recordCipher(suite, trafficKeys(suite, Buffer.alloc(secret.length, 4)));
        expect(findSequence(other, record, 0, Number.MAX_SAFE_INTEGER)).toBe(-1);
        record[record.length - 1] ^= 1;
        expect(findSequence(cipher, record, 0, Number.MAX_SAFE_INTEGER)).toBe(-1);
      }),
      { numRuns: 50 },
    );
  });
});

describe('chachaWord', () => {
  it('gives the key stream of RFC 8439, 2.3.2', () => {
    const key = Uint8Array.from({ length: 32 }, (_, i) => i);
    const words = [...new Uint32Array(key.buffer)];
    const state = Uint32Array.of(
      0x61707865,
      0x3320646e,
      0x79622d32,
      0x6b206574,
      ...words,
      1,
      0x09000000,
      0x4a000000,
      0,
    );
    const stream = Uint32Array.from({ length: 16 }, (_, i) => chachaWord(state, i));
    expect(Buffer.from(stream.buffer).toString('hex')).toBe(
      '10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e' +
        'd2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e',
    );
  });
});
