// Name and value pairs of an inflated SPDY/3 header block (section 2.6.10). Pure.
//
//   [ pairs:4 ] ( [ length:4 ][ name ][ length:4 ][ value ] ) …

import { latin1, u32be } from '../../core/bytes/bytes.js';

/** First value of a field, its name compared without case; undefined where there is none or the block ends before. */
export function headerValue(block: Uint8Array, lowerName: string): string | undefined {
  if (block.length < 4) return undefined;
  let pairs = u32be(block, 0);
  let at = 4;
  for (; pairs > 0 && at + 4 <= block.length; pairs--) {
    const nameEnd = at + 4 + u32be(block, at);
    if (nameEnd + 4 > block.length) return undefined;
    const valueEnd = nameEnd + 4 + u32be(block, nameEnd);
    if (valueEnd > block.length) return undefined;
    if (nameEnd - at - 4 === lowerName.length && latin1(block, at + 4, nameEnd).toLowerCase() === lowerName) {
      return latin1(block, nameEnd + 4, valueEnd);
    }
    at = valueEnd;
  }
  return undefined;
}
