// Paths, hosts and states are shown if they are made of plain words and names of the capture: their grammars allow a token too.

import { ELLIPSIS, type Shown, shown } from '../shown.js';
import { isPlainWord } from '../words/plain-word.js';
import type { GRAMMARS } from './rows.js';

/** Names that the capture has. */
interface FieldNames {
  known(name: string): boolean;
}

/** @returns undefined where nothing of it may be shown. */
export function shownPlain(grammar: keyof typeof GRAMMARS, text: string, names: FieldNames): Shown | undefined {
  if (grammar === 'path') return shownPath(text, names);
  if (!OF_PLAIN_WORDS.has(grammar) || names.known(text)) return shown(text);
  if (grammar === 'uid' && (HEX.test(text) || PREFIXED.test(text))) return shown(text);
  return text.split(PUNCTUATION).every((part) => isPlainWord(part) || names.known(part)) ? shown(text) : undefined;
}

/** Of a path the segments that are words or names, and where the others are. */
function shownPath(text: string, names: FieldNames): Shown {
  const segments = text
    .split('/')
    .map((one) => (one === ELLIPSIS || isPlainWord(one.replace(VARIABLES, '')) || names.known(one) ? one : ELLIPSIS));
  return shown(segments.join('/'));
}

/** Grammars that take anything of letters and digits. */
const OF_PLAIN_WORDS: ReadonlySet<keyof typeof GRAMMARS> = new Set([
  'word',
  'camel-word',
  'host',
  'endpoint',
  'uid',
  'phrase',
  'media-type',
]);
const PUNCTUATION = /[\s/:@,()[\]*+~;=]+/;
const VARIABLES = /\$?\(\w{1,40}\)|\$\{?\w{1,40}\}?|[{}*\\@:]/g;
/** A UUID, the hash of a container. */
const HEX = /^[0-9a-fA-F-]{1,128}$/;
const PREFIXED = /^(?:sha256:|[a-z-]{1,20}:\/\/)[0-9a-f]{12,128}$/;
