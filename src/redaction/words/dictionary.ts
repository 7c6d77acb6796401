// Asks the dictionary: whether messages of Kubernetes have a word, whether something is one of its kinds.

import { KINDS, WITH_DIGITS, WORDS } from './dictionary-words.js';
import { pluralOf } from './plural.js';

let words: ReadonlySet<string> | undefined;
let kinds: ReadonlySet<string> | undefined;

/** Whether messages of Kubernetes have this word, in upper or lower case. */
export function isWord(text: string): boolean {
  // Sets of thousands are made when the first text is read.
  words ??= new Set([...WORDS.split(' '), ...WITH_DIGITS.split(' ')]);
  if (text.length > 60) return false;
  const plain = (text.endsWith("'s") ? text.slice(0, -2) : text).toLowerCase();
  return words.has(plain);
}

/** All of them, in lower case. */
export function allWords(): ReadonlySet<string> {
  isWord('');
  return words as ReadonlySet<string>;
}

/** Whether this is a kind or a resource of the Kubernetes API: `Pod`, `pod`, `pods`. */
export function isKind(text: string): boolean {
  kinds ??= new Set(KINDS.split(' ').flatMap((kind) => [kind, pluralOf(kind)]));
  return text.length <= 60 && kinds.has(text.toLowerCase());
}
