import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Sealer, TLS13_SUITES } from '../../test/kit/tls-peers.js';
import { trafficKeys } from './key-schedule.js';
import { recordCipher, recordOverhead } from './record-cipher.js';
import { allSuites, suiteById } from './suites.js';

describe('recordCipher, TLS 1.3', () => {
  it.each(TLS13_SUITES)('%o', (hand) => {
    const suite = suiteById(hand.id)!;
    const secret = Buffer.alloc(hand.hash === 'sha256' ? 32 : 48, 5);
    const cipher = recordCipher(suite, trafficKeys(suite, secret));
    const sealer = new Sealer(hand, secret);
    for (const seq of [0, 1, 255, 256, 2 ** 32 - 1, 2 ** 32, 2 ** 40 + 5]) {
      sealer.seq = seq;
      const record = sealer.seal(23, 'hello');
      expect(Buffer.from(cipher.open(record, seq)!).toString('latin1')).toBe('hello\x17');
      expect(cipher.open(record, seq + 1)).toBeNull();
      expect(record.length).toBe(5 + recordOverhead(suite)!);
    }
  });
});

describe('recordCipher, every suite', () => {
  it('gives null, not an exception, for bytes that are no record of its own', () => {
    const suites = [...allSuites()];
    fc.assert(
      fc.property(
        fc.constantFrom(...suites),
        fc.uint8Array({ maxLength: 120 }),
        fc.boolean(),
        fc.nat(),
        (suite, body, encryptThenMac, seq) => {
          const { mode, keyLength, tagLength } = suite.cipher;
          const keys = {
            key: new Uint8Array(keyLength),
            iv: new Uint8Array(mode === 'cbc' ? 0 : suite.version === '1.3' || mode === 'chacha' ? 12 : 4),
            mac: new Uint8Array(mode === 'cbc' ? tagLength : 0),
          };
          const record = Buffer.concat([Buffer.from([23, 3, 3, 0, body.length]), body]);
          expect(recordCipher(suite, keys, encryptThenMac).open(record, seq)).toBeNull();
        },
      ),
    );
  });
});
