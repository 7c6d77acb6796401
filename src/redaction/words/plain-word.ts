// Tells a word that people write (`login`, `v1`, `nginx.conf`) from a token, a key or an id, which programs generate.

import { isWord } from './dictionary.js';
import { isKnownTrigram } from './trigrams.js';
import { WORD_PARTS } from './word-parts.js';

/**
 * @param word a segment of a path, a value of a label.
 * @returns whether each part of it is a word of letters, a version or a small number.
 */
export function isPlainWord(word: string): boolean {
  if (word.length > WORD_LENGTH) return false;
  const parts = word.split(PUNCTUATION);
  return (
    parts.every((part) => part === '' || WORD_PARTS.has(part.toLowerCase()) || isPlainPart(part)) && !isCode(parts)
  );
}

/** What programs write in groups, so that people can copy it: `WDJB-MJHT`, `abcd-efgh-ijkl-mnop`, `4111-1111-1111`. */
function isCode(parts: readonly string[]): boolean {
  if (parts.length < 2) return false;
  const groups = parts.filter((part) => part.length > 3 && !isWord(part) && !WORD_PARTS.has(part.toLowerCase()));
  if (groups.filter((part) => !VOWEL.test(part)).length > 1) return true;
  if (groups.length > 2 && groups.every((part) => part.length === groups[0].length)) return true;
  return parts.filter((part) => NUMBERED.test(part)).length > 2;
}

function isPlainPart(part: string): boolean {
  if (DIGITS.test(part)) return part.length <= NUMBER_LENGTH;
  if (VERSION.test(part)) return true;
  const words = part.split(CAMEL);
  if (!words.every((word) => LETTERS.test(word) || VERSION.test(word))) return false;
  // Letters at random change their case all the time.
  if (words.length > 2 && part.length < words.length * MEAN_LENGTH) return false;
  if (words.length > 2 && words.filter((word) => ACRONYM.test(word)).length > 1) return false;
  if (words.length > 1 && words.some((word) => word.length > 2 && MIXED.test(word) && !VOWEL.test(word))) return false;
  return words.every(isPronounceable);
}

/** Whether most of what stands together in a word stands together in no word of Kubernetes' messages. */
function hasRareTrigrams(word: string): boolean {
  const lower = word.toLowerCase();
  let rare = 0;
  for (let at = 0; at + 3 <= lower.length; at++) if (!isKnownTrigram(lower, at)) rare += 1;
  // The dictionary is asked last: it is large, and most words need it not.
  return rare > (lower.length - 2) * RARE_SHARE && !isWord(word);
}

/** Vowels stand between consonants, which `kubectl` and `nginx` keep to, and letters at random do not. */
function isPronounceable(word: string): boolean {
  if (word.length <= ABBREVIATION_LENGTH) return true;
  const vowels = word.match(VOWELS)?.length ?? 0;
  if (word.length > PART_LENGTH || CONSONANTS.test(word) || hasRareTrigrams(word)) return false;
  return vowels * VOWEL_SHARE >= word.length || (vowels > 0 && word.length <= SHORT_LENGTH);
}

const PUNCTUATION = /[-_.~:,+ ]/;
const DIGITS = /^\d+$/;
/** `HTTPRoute`, and no `Route`. */
const ACRONYM = /^[A-Z]{2,}[a-z]/;
const MIXED = /[A-Z]{2,}[a-rt-z]|[A-Z][a-z]{2}/;
/** Of the trigrams of a word; `cockroach` has 0.57. */
const RARE_SHARE = 0.6;
const VOWEL = /[aeiouy]/i;
/** `ab12`, and no `v1`. */
const NUMBERED = /^(?!v\d)[A-Za-z]{2,3}\d{1,2}$/;
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
const ABBREVIATION_LENGTH = 5;
/** Mean letters of the words of a CamelCase name. */
const MEAN_LENGTH = 3;
/** Digits; ports and years are numbers of people. */
const NUMBER_LENGTH = 5;
/** Characters of a whole word. */
const WORD_LENGTH = 63;
