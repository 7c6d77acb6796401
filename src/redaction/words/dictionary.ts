// Looks up words of Kubernetes' messages and kinds of its API.

import { pluralOf } from '../../core/api-resources.js';
import { textSections } from '../../core/text-table.js';
import DICTIONARY from './dictionary.txt?raw';

/** @param name of a section of dictionary.txt. @returns its one line. */
export function section(name: string): string {
  sections ??= new Map(textSections(DICTIONARY).map(({ heading, lines }) => [heading, lines.join(' ')]));
  return sections.get(name) as string;
}

let sections: ReadonlyMap<string, string> | undefined;
let words: ReadonlySet<string> | undefined;
let kinds: ReadonlySet<string> | undefined;

/** Whether messages of Kubernetes have this word, in upper or lower case. */
export function isWord(text: string): boolean {
  // The sets of thousands of words are built for the first text.
  words ??= new Set(`${section('words')} ${section('words with digits')}`.split(' '));
  if (text.length > 60) return false;
  const plain = (text.endsWith("'s") ? text.slice(0, -2) : text).toLowerCase();
  return words.has(plain);
}

/** All words, in lower case. */
export function allWords(): ReadonlySet<string> {
  isWord('');
  return words as ReadonlySet<string>;
}

/** Whether this is a kind or a resource of the Kubernetes API: `Pod`, `pod`, `pods`. */
export function isKind(text: string): boolean {
  kinds ??= new Set(
    section('kinds')
      .split(' ')
      .flatMap((kind) => [kind, pluralOf(kind)]),
  );
  return text.length <= 60 && kinds.has(text.toLowerCase());
}
