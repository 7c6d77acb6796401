// Writes src/redaction/trigrams.ts: which three letters stand together in words of the dictionary, a bit for each of 26³.
//
//   node scripts/templates/trigrams.js

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const WORDS = /const WORDS =\s*"([^"]*)"/;

const [, words] = WORDS.exec(readFileSync(`${ROOT}src/redaction/dictionary.ts`, 'utf8')) ?? [];
const bits = new Uint8Array(Math.ceil(26 ** 3 / 8));
for (const part of words.split(/[^a-z]+/))
  for (let at = 0; at + 3 <= part.length; at++) {
    const index = [0, 1, 2].reduce((sum, i) => sum * 26 + part.charCodeAt(at + i) - 97, 0);
    bits[index >> 3] |= 1 << (index & 7);
  }
writeFileSync(
  `${ROOT}src/redaction/trigrams.ts`,
  `// Which three letters stand together in words of the dictionary; made by scripts/templates/trigrams.js.

/** @param word in lower case. @returns whether the three letters from \`at\` on stand together in some word. */
export function isKnownTrigram(word: string, at: number): boolean {
  bits ??= Buffer.from(TRIGRAMS, 'base64');
  const index = (letter(word, at) * LETTERS + letter(word, at + 1)) * LETTERS + letter(word, at + 2);
  return ((bits[index >> 3] >> (index & 7)) & 1) === 1;
}

function letter(word: string, at: number): number {
  return word.charCodeAt(at) - A;
}

let bits: Uint8Array | undefined;
const A = 97;
const LETTERS = 26;
/** A bit for each trigram. */
const TRIGRAMS =
  '${Buffer.from(bits).toString('base64')}';
`,
);
