import { expect, it } from 'vitest';
import { allWords } from './dictionary.js';
import { isKnownTrigram } from './trigrams.js';

it('has the trigrams of all words, and no others', () => {
  const heard = new Set<string>();
  for (const word of allWords())
    for (const part of word.replace(/.*\d.*/, '').split(/[^a-z]+/))
      for (let at = 0; at + 3 <= part.length; at++) heard.add(part.slice(at, at + 3));
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  const found = letters
    .flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)))
    .filter((one) => isKnownTrigram(one, 0));
  expect(found.length).toBeGreaterThan(2000);
  expect(found).toEqual([...heard].sort());
});
