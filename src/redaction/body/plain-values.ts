// Decides about single values whose grammar alone allows tokens: texts are shown if they consist of plain words and names of the capture,
// numbers unless they may be passwords.

import { ELLIPSIS, type Shown, shown } from '../shown.js';
import { isPlainWord } from '../words/plain-word.js';
import type { GRAMMARS } from './rows.js';

/** Names in the capture. */
interface FieldNames {
  known(name: string): boolean;
}

/** @returns undefined if nothing of the text may be shown. */
export function shownPlain(grammar: keyof typeof GRAMMARS, text: string, names: FieldNames): Shown | undefined {
  if (grammar === 'path') return shownPath(text, names);
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
const PLAIN_WORD_GRAMMARS: ReadonlySet<keyof typeof GRAMMARS> = new Set([
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

/**
 * Passwords of digits are numbers in JSON and YAML; only the names of their fields show it.
 * @param path names of members, the outermost first. @returns whether a number there may be a password, a PIN or a key.
 */
export function isSecretNumber(path: readonly string[]): boolean {
  const last = wordsOf(path[path.length - 1] ?? '');
  // The length and the age of a password are harmless numbers.
  if (last.some((word) => MEASURES.has(word))) return false;
  return path.some((name) => {
    const words = wordsOf(name);
    return words.some((word) => SECRETS.has(word)) || PAIRS.test(words.join(' '));
  });
}

/** `rootPassword`, `root_password`, `root-password`. */
function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.toLowerCase());
}

const SECRETS: ReadonlySet<string> = new Set(
  (
    'apikey credential credentials otp pass passcode passphrase passwd password passwords pin pincode psk pwd secret ' +
    'secrets token tokens totp'
  ).split(' '),
);
const PAIRS = /\b(?:access|activation|auth|login|pin|recovery|security|verification) code\b|\w key\b/;
const MEASURES: ReadonlySet<string> = new Set(
  (
    'age bytes count days depth duration expiration expiry generation hours interval length limit lifetime limits max min ' +
    'minutes number observed period port ports refresh replicas retries rotation seconds size timeout times ttl version'
  ).split(' '),
);
