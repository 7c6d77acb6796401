// Writes src/redaction/words/dictionary-trigrams.ts: which three letters stand together in words of the dictionary, a bit for each of 26³.
//
//   node scripts/templates/trigrams.js

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const WORDS = /const WORDS =\s*"([^"]*)"/;

const [, words] = WORDS.exec(readFileSync(`${ROOT}src/redaction/words/dictionary-words.ts`, 'utf8')) ?? [];
const bits = new Uint8Array(Math.ceil(26 ** 3 / 8));
for (const part of words.split(/[^a-z]+/))
  for (let at = 0; at + 3 <= part.length; at++) {
    const index = [0, 1, 2].reduce((sum, i) => sum * 26 + part.charCodeAt(at + i) - 97, 0);
    bits[index >> 3] |= 1 << (index & 7);
  }
writeFileSync(
  `${ROOT}src/redaction/words/dictionary-trigrams.ts`,
  `// Which three letters stand together in words of the dictionary; made by scripts/templates/trigrams.js.

/** A bit for each of 26³, in base64. */
export const TRIGRAMS =
  '${Buffer.from(bits).toString('base64')}';
`,
);
