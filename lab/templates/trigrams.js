// Writes the trigrams of src/redaction/words/dictionary.txt: which three letters stand together in its words, a bit for each of 26³.
//
//   node lab/templates/trigrams.js

import { readSection, writeSection } from './sections.js';

const bits = new Uint8Array(Math.ceil(26 ** 3 / 8));
for (const part of readSection('words').split(/[^a-z]+/))
  for (let at = 0; at + 3 <= part.length; at++) {
    const index = [0, 1, 2].reduce((sum, i) => sum * 26 + part.charCodeAt(at + i) - 97, 0);
    bits[index >> 3] |= 1 << (index & 7);
  }
writeSection('trigrams', Buffer.from(bits).toString('base64'));
