import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { latin1, text } from './bytes.js';
import { cachedLatin1, cachedText } from './text-cache.js';

describe('text cache', () => {
  it('returns the decoded text, the first time and again', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.string({ maxLength: 60 }).map((value) => Uint8Array.from(Buffer.from(value))),
      fc.stringMatching(/^[a-c]{0,3}$/).map((value) => Uint8Array.from(Buffer.from(value))),
    );
    fc.assert(
      fc.property(bytes, fc.nat(3), (value, start) => {
        for (let i = 0; i < 2; i++) {
          expect(cachedText(value, start, value.length)).toBe(text(value, start, value.length));
          expect(cachedLatin1(value, start, value.length)).toBe(latin1(value, start, value.length));
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('separates texts that share a slot', () => {
    const texts = Array.from({ length: 20_000 }, (_, i) => `node-${i}`);
    for (const one of [...texts, ...texts]) {
      const bytes = Uint8Array.from(Buffer.from(one));
      expect(cachedLatin1(bytes, 0, bytes.length)).toBe(one);
    }
  });
});
