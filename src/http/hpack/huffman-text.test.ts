import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { huffmanBound, huffmanDecode, huffmanText } from './huffman.js';

/** Without what is remembered. */
function decoded(bytes: Uint8Array): string | null {
  const out = Buffer.alloc(huffmanBound(bytes.length));
  const length = huffmanDecode(bytes, 0, bytes.length, out);
  return length < 0 ? null : out.toString('latin1', 0, length);
}

describe('huffmanText', () => {
  it('returns the decoded text, the first time and again, for malformed code too', () => {
    // Few values and short ones: many are whole codes, and many come again.
    const code = fc.oneof(
      fc.uint8Array({ maxLength: 3 }),
      fc.array(fc.constantFrom(0x1f, 0x18, 0x63, 0xff), { maxLength: 200 }).map((bytes) => Uint8Array.from(bytes)),
    );
    fc.assert(
      fc.property(code, fc.nat({ max: 5 }), (bytes, before) => {
        const behind = new Uint8Array(before + bytes.length + 1);
        behind.set(bytes, before);
        for (let i = 0; i < 3; i++) expect(huffmanText(behind, before, before + bytes.length)).toBe(decoded(bytes));
      }),
      { numRuns: 2000 },
    );
  });
});
