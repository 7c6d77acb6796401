// Replaces names in heads and bodies of messages, and finds the names in them.

import { KUBERNETES_BY_FIELD } from '../redaction/body/tables.js';
import { fieldShapeOf } from '../redaction/fields.js';
import { rewritten, type ShownValue } from '../redaction/shown.js';
import { isWord } from '../redaction/words/dictionary.js';
import type { AnonymousText, TextPlace } from './anonymous-text.js';
import { isHeaderWord, isKeptKey } from './kept-words.js';

/** @returns a copy of a body in which every name is replaced, in keys of maps, too. */
export function anonymousBody(value: ShownValue, texts: AnonymousText, field = '', isMap = false): ShownValue {
  if (typeof value === 'string') return rewritten(value, (one) => texts.field(one, field, placeOf(field)));
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => anonymousBody(one, texts, field, isMap));
  const out: Record<string, ShownValue> = {};
  const isPatch = 'op' in value && 'path' in value;
  for (const [key, inner] of Object.entries(value)) {
    if (isPatch && typeof inner === 'string' && POINTERS.has(key)) {
      out[key] = rewritten(inner, (pointer) => (key === 'op' ? pointer : anonymousPointer(pointer, texts)));
      continue;
    }
    const name = isFieldName(key, isMap) ? key : texts.text(key, 'names');
    out[name] = anonymousBody(inner, texts, isMap ? field : key, MAPS.has(key));
  }
  return out;
}

/** Finds the names that fields of a body have by their meaning. @param found gets each, with what it is of. */
export function namesInBody(
  value: ShownValue,
  found: (name: string, of: string) => void,
  field = '',
  isMap = false,
): void {
  if (typeof value === 'string') {
    const of = NAMED[field] ?? (isMap || isNameField(field) ? 'name' : undefined);
    if (of !== undefined && LOWER.test(value)) found(value, of);
  } else if (Array.isArray(value)) for (const one of value) namesInBody(one, found, field, isMap);
  else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value))
      namesInBody(inner, found, isMap ? 'label' : key, MAPS.has(key) && !COUNTS.has(key));
}

/** A path in a JSON patch (RFC 6901): a key below a map may be anybody's. */
function anonymousPointer(pointer: string, texts: AnonymousText): string {
  const keys = pointer.split('/');
  return keys
    .map((key, i) => (isFieldName(key, MAPS.has(keys[i - 1] ?? '')) ? key : texts.text(key, 'names')))
    .join('/');
}

/** Header fields whose values are words of HTTP. */
export function placeOfHeader(name: string): TextPlace {
  return HTTP.test(name) ? 'prose' : 'names';
}

/** @returns the name of a header field, from the first word on that no other program has: `Impersonate-Extra-name-1c2f0`. */
export function anonymousHeader(name: string, texts: AnonymousText): string {
  if (fieldShapeOf(name.toLowerCase()) !== undefined) return name;
  const words = name.split('-');
  const own = words.findIndex((word) => !isHeaderWord(word));
  if (own < 0) return name;
  return [...words.slice(0, own), texts.text(words.slice(own).join('-').toLowerCase(), 'names')].join('-');
}

function placeOf(field: string): TextPlace {
  return PROSE.has(KUBERNETES_BY_FIELD.get(field)?.showing ?? '') ? 'prose' : 'names';
}

/** A field of an object, and not a key that somebody chose. */
function isFieldName(key: string, isMap: boolean): boolean {
  if (isMap) return isKeptKey(key);
  const bare = key.replace(/^f:/, '');
  return KUBERNETES_BY_FIELD.has(bare) || isWord(bare) || bare.split(BETWEEN_WORDS).every(isWord) || bare === '.';
}

function isNameField(field: string): boolean {
  const row = KUBERNETES_BY_FIELD.get(field);
  return row !== undefined && row.showing === 'name' && row.reason.startsWith('a name of an object');
}

const PROSE: ReadonlySet<string> = new Set(
  'text failure words cell phrase word field-path pointer media-type'.split(' '),
);
/** Names whose beginning says what they are of. */
const NAMED: Readonly<Partial<Record<string, string>>> = {
  namespace: 'ns',
  nodeName: 'node',
  hostname: 'host',
  host: 'host',
  image: 'image',
  serviceAccountName: 'sa',
  username: 'user',
};
/** Fields that are maps with keys of people. */
const MAPS: ReadonlySet<string> = new Set(
  'labels annotations matchLabels nodeSelector selector data stringData binaryData parameters limits requests capacity allocatable f:labels f:annotations f:data hard used volumeAttributes'.split(
    ' ',
  ),
);
/** Those whose values are quantities. */
const COUNTS: ReadonlySet<string> = new Set(
  'limits requests capacity allocatable hard used data annotations'.split(' '),
);
const BETWEEN_WORDS = /_|\$|(?<=[a-z0-9])(?=[A-Z])/;
/** Of an operation of a JSON patch. */
const POINTERS: ReadonlySet<string> = new Set(['op', 'path', 'from']);
const LOWER = /^[a-z0-9][a-z0-9._:/@-]{0,252}$/;
const HTTP =
  /^(?:accept(?:-.*)?|age|allow|cache-control|connection|content-.*|date|expires|grpc-message|if-.*|keep-alive|last-modified|pragma|retry-after|te|trailer|transfer-encoding|upgrade|vary|warning|x-content-type-options)$/i;
