// Decides which keys are shown: of objects and maps, of JSON pointers and field paths, of header fields, variables and parameters.

import { memo } from '../core/collections/memo.js';
import { isRedacted, REDACTED } from './shown.js';
import { isPlainWord } from './words/plain-word.js';

/** @returns whether a key is an identifier of plain words: `nodeSelector`, `tls.crt`, `example.com/zone`, `hugepages-2Mi`, `80/tcp`. */
export function isKeyShown(key: string): boolean {
  return key.length <= KEY_LENGTH && isIdentifier(key);
}

/** @param pointer in the grammar of RFC 6901. @param isShown of an unescaped token. @returns it with the other tokens replaced. */
export function shownPointer(pointer: string, isShown: (token: string) => boolean): string {
  return pointer
    .split('/')
    .map((token) => (isShown(token.replaceAll('~1', '/').replaceAll('~0', '~')) ? token : REDACTED))
    .join('/');
}

/** @param path of a field: `spec.containers[0].image`, `metadata.annotations['example.com/a']`. */
export function isFieldPathShown(path: string): boolean {
  return path.split(FIELD_PATH_SIGNS).every(isKeyShown);
}

/** Limit: keys that are known to be identifiers or not: those of a few hundred types of objects. */
const MAX_KEYS = 8192;
const isIdentifier = memo((key: string): boolean => {
  if (key === '' || isRedacted(key)) return true;
  return KEY.test(key) && key.replace(/^\$/, '').split('/').every(isPart);
}, MAX_KEYS);

function isPart(part: string): boolean {
  return isPlainWord(part.replace(SIZE, ''));
}

/** The size of a huge page, at the end of a resource's name: `hugepages-2Mi`. */
const SIZE = /-\d{1,4}[KMG]i$/;
const KEY = /^[\w.$@:/*-]+$/;
/** Characters: the prefix of a label's key has at most 253, its name 63 (apimachinery, util/validation, IsQualifiedName). */
const KEY_LENGTH = 317;
const FIELD_PATH_SIGNS = /[.[\]{}'"*@?()= ]+/;
