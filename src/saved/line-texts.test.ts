import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineTexts } from './line-texts.js';

describe('remembered texts', () => {
  it('are those of their bytes, however alike they are', () => {
    const texts = new LineTexts();
    const alike = fc
      .tuple(fc.constantFrom('', 'a', 'ab', 'abc', 'x'.repeat(70), 'y'.repeat(200)), fc.nat(30), fc.nat(12))
      .map(([begin, number, length]) => `${begin}${number}${'z'.repeat(length)}${number % 3}`);
    fc.assert(
      fc.property(alike, fc.nat(3), (text, before) => {
        const bytes = Buffer.from(`${' '.repeat(before)}${text}"`);
        const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
        expect(texts.get(bytes, view, before, bytes.length - 1)).toBe(text);
        bytes.fill(0);
      }),
      { numRuns: 5000 },
    );
  });
});
