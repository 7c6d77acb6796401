// Decides about single values whose grammar alone allows tokens: texts are shown if they consist of plain words and names of the capture,
// numbers unless they may be passwords.

import { LAST_PORT } from '../../core/connection-name.js';
import { isFieldPathShown } from '../keys.js';
import { listOf } from '../lists.js';
import { ELLIPSIS, type Shown, shown } from '../shown.js';
import { isPlainWord } from '../words/plain-word.js';
import type { ShowRule } from './rows.js';

/** Names in the capture. */
interface FieldNames {
  known(name: string): boolean;
}

/** @returns undefined if nothing of the text may be shown. */
export function shownPlain(grammar: ShowRule, text: string, names: FieldNames): Shown | undefined {
  if (grammar === 'path') return shownPath(text, names);
  if (grammar === 'field-path') return isFieldPathShown(text) ? shown(text) : undefined;
  if (!PLAIN_WORD_GRAMMARS.has(grammar) || names.known(text)) return shown(text);
  if (grammar === 'uid' && (HEX.test(text) || PREFIXED.test(text))) return shown(text);
  return text.split(PUNCTUATION).every((part) => isPlainWord(part) || names.known(part)) ? shown(text) : undefined;
}

/** Segments that are words or names, with an ellipsis for the others. */
function shownPath(text: string, names: FieldNames): Shown {
  const segments = text
    .split('/')
    .map((one) => (one === ELLIPSIS || isPlainWord(one.replace(VARIABLES, '')) || names.known(one) ? one : ELLIPSIS));
  return shown(segments.join('/'));
}

/** Grammars that allow any letters and digits. */
const PLAIN_WORD_GRAMMARS: ReadonlySet<string> = new Set(
  'word camel-word host endpoint uid phrase media-type'.split(' '),
);
const PUNCTUATION = /[\s/:@,()[\]*+~;=]+/;
const VARIABLES = /\$?\(\w{1,40}\)|\$\{?\w{1,40}\}?|[{}*\\@:]/g;
/** A UUID, the hash of a container. */
const HEX = /^[0-9a-fA-F-]{1,128}$/;
const PREFIXED = /^(?:sha256:|[a-z-]{1,20}:\/\/)[0-9a-f]{12,128}$/;

/**
 * Passwords of digits are numbers in JSON and YAML, so a number of four and more digits is shown only where the field says what it counts.
 *
 * @param field the member that has it.
 */
export function isShownNumber(value: number, field: string): boolean {
  if (String(Math.abs(value)).replace('.', '').length < FEWEST_DIGITS) return true;
  // `timeoutSeconds`, `timeout_seconds`, `timeout-seconds`.
  const words = field.replace(/([a-z0-9])([A-Z])/g, '$1 $2').split(/[^A-Za-z0-9]+/);
  return MEASURES.has(words[words.length - 1].toLowerCase());
}

export function mayBePort(value: number, field: string): boolean {
  return value <= LAST_PORT || !/ports?$/i.test(field);
}

/** Digits: shorter numbers are counts and codes of three digits. */
const FEWEST_DIGITS = 4;
/** What a field counts, as the last word of its name: replicas, ports, generations, sizes, times; also those of docker and the kubelet's statistics. */
const MEASURES = listOf('measures');
