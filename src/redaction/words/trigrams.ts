// Trigrams: three letters that stand together in a word. Random letters have many that no word of the dictionary has.

import { TRIGRAMS } from './dictionary-trigrams.js';

/** @param word in lower case letters. @returns whether some word of the dictionary has the trigram that begins at `at`. */
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
