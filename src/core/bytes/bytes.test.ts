import fc from 'fast-check';
import { expect, it } from 'vitest';
import { flattenString } from './bytes.js';

it('a flattened string equals its original', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\ud83d', '\ude00'))), (pieces) => {
      const made = pieces.join('') + pieces.length;
      expect(flattenString(made)).toBe(made);
    }),
  );
});
