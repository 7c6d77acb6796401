import { createCipheriv } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SHORT_CIPHERTEXT } from '../platform/ciphers.js';
import { ShortGcm } from './short-gcm.js';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const record = fc.record({
  key: fc.oneof(bytes(16), bytes(32)),
  nonce: bytes(12),
  aad: fc.constantFrom(5, 13).chain(bytes),
  text: fc.uint8Array({ maxLength: SHORT_CIPHERTEXT }),
  before: fc.nat({ max: 16 }),
});
type Sealed = { key: Uint8Array; nonce: Uint8Array; aad: Uint8Array; text: Uint8Array; before: number };

/** As node seals it, behind `before` other bytes. */
function seal({ key, nonce, aad, text, before }: Sealed): Uint8Array {
  const cipher = createCipheriv(key.length === 16 ? 'aes-128-gcm' : 'aes-256-gcm', key, nonce).setAAD(aad);
  const sealed = Buffer.concat([cipher.update(text), cipher.final()]);
  return new Uint8Array(Buffer.concat([new Uint8Array(before), sealed, cipher.getAuthTag()]));
}

describe('ShortGcm', () => {
  it('opens what node seals', () => {
    fc.assert(
      fc.property(record, (one) => {
        const { key, nonce, aad, text, before } = one;
        const plain = new ShortGcm(key).open(seal(one), before, before + text.length, nonce, aad);
        expect(Buffer.from(plain!)).toEqual(Buffer.from(text));
      }),
    );
  });

  it('opens nothing of which a bit differs: ciphertext, tag, nonce or additional data', () => {
    fc.assert(
      fc.property(
        record,
        fc.nat(),
        fc.nat({ max: 7 }),
        fc.constantFrom('sealed', 'nonce', 'aad'),
        (one, at, bit, what) => {
          const { key, nonce, aad, text, before } = one;
          const sealed = seal(one);
          const changed = what === 'sealed' ? sealed : what === 'nonce' ? nonce : aad;
          const from = what === 'sealed' ? before : 0;
          changed[from + (at % (changed.length - from))] ^= 1 << bit;
          expect(new ShortGcm(key).open(sealed, before, before + text.length, nonce, aad)).toBeNull();
        },
      ),
    );
  });

  it('gives texts that stay as they are while others are opened', () => {
    const key = new Uint8Array(16).fill(1);
    const gcm = new ShortGcm(key);
    const nonce = new Uint8Array(12);
    const aad = new Uint8Array(5);
    const texts = Array.from({ length: 200 }, (_, i) => new Uint8Array(SHORT_CIPHERTEXT).fill(i));
    const opened = texts.map((text) =>
      gcm.open(seal({ key, nonce, aad, text, before: 0 }), 0, text.length, nonce, aad),
    );
    expect(opened.map((plain) => Buffer.from(plain!))).toEqual(texts.map((text) => Buffer.from(text)));
  });
});
