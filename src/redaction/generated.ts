// Whether a word was written by people or made up by a program: passwords, tokens and ids look like nothing that is spoken.

import { WORD_PARTS } from './word-parts.js';

/**
 * @param word a segment of a path, a value of a label.
 * @returns whether each part of it is a word of letters, a version or a small number.
 */
export function isPlainWord(word: string): boolean {
  if (word.length > WORD_LENGTH) return false;
  return word
    .split(PUNCTUATION)
    .every((part) => part === '' || WORD_PARTS.has(part.toLowerCase()) || isPlainPart(part));
}

function isPlainPart(part: string): boolean {
  if (DIGITS.test(part)) return part.length <= NUMBER_LENGTH;
  if (VERSION.test(part)) return true;
  const words = part.split(CAMEL);
  if (!words.every((word) => LETTERS.test(word) || VERSION.test(word))) return false;
  // Letters at random change their case all the time.
  if (words.length > 2 && part.length < words.length * SPOKEN_LENGTH) return false;
  return words.every(isSpoken);
}

/** Vowels stand between consonants, which `kubectl` and `nginx` keep to, and letters at random do not. */
function isSpoken(word: string): boolean {
  if (word.length <= UNSPOKEN_LENGTH) return true;
  const vowels = word.match(VOWELS)?.length ?? 0;
  if (word.length > PART_LENGTH || CONSONANTS.test(word)) return false;
  return vowels * VOWEL_SHARE >= word.length || (vowels > 0 && word.length <= SHORT_LENGTH);
}

const PUNCTUATION = /[-_.~:,+ ]/;
const DIGITS = /^\d+$/;
const LETTERS = /^[A-Za-z]+$/;
const CAMEL = /(?<=[a-z])(?=[A-Z])/;
/** `v1`, `v2beta1`, `s3`, `web1`: a short word, and which one. */
const VERSION = /^(?:v\d{1,3}(?:(?:alpha|beta)\d{1,2})?|[A-Za-z]{1,3}\d{1,2})$/;
const CONSONANTS = /[b-df-hj-np-tv-xz]{6}/i;
const VOWELS = /[aeiouy]/gi;
/** Of so many letters of a word one at least is a vowel. */
const VOWEL_SHARE = 4.5;
/** Letters; `clustertrustbundles` has 19, and what is longer is no name that somebody reads. */
const PART_LENGTH = 24;
/** Letters up to which one vowel is enough: `string`, `scripts`. */
const SHORT_LENGTH = 8;
/** Letters up to which a word may be an abbreviation: `http`, `css`. */
const UNSPOKEN_LENGTH = 5;
/** Mean letters of the words of a CamelCase name. */
const SPOKEN_LENGTH = 3;
/** Digits; ports and years are numbers of people. */
const NUMBER_LENGTH = 5;
/** Characters of a whole word. */
const WORD_LENGTH = 63;
