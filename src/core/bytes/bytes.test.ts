import fc from 'fast-check';
import { expect, it } from 'vitest';
import { flattenString } from './bytes.js';

it('a text in one piece is the same text, whatever it is made of', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\ud83d', '\ude00'))), (pieces) => {
      const made = pieces.join('') + pieces.length;
      expect(flattenString(made)).toBe(made);
    }),
  );
});
