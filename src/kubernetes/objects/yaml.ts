// Whole YAML bodies, for those who ask to see one: the library is loaded when the first one comes, as loading it takes
// longer than reading a small capture.

import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';
import { text } from '../../core/bytes.js';

/** First document of the text as a plain value; null and not complete where it is no YAML or is beyond the limit. */
export function yamlValue(bytes: Uint8Array): { value: unknown; complete: boolean } {
  if (bytes.length > BYTES_LIMIT) return { value: null, complete: false };
  try {
    yaml ??= createRequire(import.meta.url)('yaml') as typeof Yaml;
    const source = text(bytes);
    // Aliases are how a few hundred bytes become gigabytes ("billion laughs"); the library counts what they stand for, and
    // looks through the whole document for each.
    if ((source.match(ALIAS)?.length ?? 0) > MAX_ALIASES) return { value: null, complete: false };
    const { document, broken } = firstDocument(yaml, source);
    if (document === undefined) return { value: null, complete: !broken };
    const value = plain(document.toJS({ maxAliasCount: ALIAS_LIMIT }));
    return { value, complete: !broken && document.errors.length === 0 };
  } catch {
    return { value: null, complete: false };
  }
}

/** What comes after it, or after what cannot be read, is not looked at. */
function firstDocument(
  { Composer, Parser }: typeof Yaml,
  source: string,
): { document?: Yaml.Document; broken: boolean } {
  const composer = new Composer(LIKE_THE_API_SERVER);
  let broken = false;
  for (const token of new Parser().parse(source)) {
    broken = token.type === 'error';
    if (broken) break;
    for (const document of composer.next(token)) return { document, broken };
  }
  for (const document of composer.end()) return { document, broken };
  return { broken };
}

/**
 * A value as JSON has it, for redaction and renderers know no others: tags and `%YAML 1.1` make more. The bytes of `!!binary`
 * are text, as go-yaml has them.
 */
function plain(value: unknown, known = new Map<object, unknown>()): unknown {
  if (typeof value === 'symbol') return value.description;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object' || value === null) return value ?? null;
  // What aliases refer to stays one object: a few bytes stand for many of it.
  let made = known.get(value);
  if (made === undefined) {
    made = plainObject(value, known);
    known.set(value, made);
  }
  return made;
}

function plainObject(value: object, known: Map<object, unknown>): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array) return text(value);
  if (Array.isArray(value)) return value.map((part) => plain(part, known));
  if (value instanceof Set) return Object.fromEntries([...value].map((key) => [String(plain(key, known)), null]));
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(entries.map(([key, part]) => [String(plain(key, known)), plain(part, known)]));
}

let yaml: typeof Yaml | undefined;

/**
 * The library takes some 5 µs a byte, and time that grows with the square for texts full of anchors or errors: this much
 * is a fifth of a second at worst. Manifests are a few KiB; JSON, which is YAML too, is not read here.
 */
const BYTES_LIMIT = 32 * 1024;

/**
 * As sigs.k8s.io/yaml (go-yaml v2) reads: merge keys, from which a Secret may get its kind; of the tags that make other things
 * than JSON has only `!!binary`; of two equal keys the last.
 */
const LIKE_THE_API_SERVER = {
  merge: true,
  resolveKnownTags: false,
  customTags: ['binary'],
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'silent',
} satisfies Yaml.ParseOptions & Yaml.DocumentOptions & Yaml.SchemaOptions;

/** Where a value may stand, a star and a name. */
const ALIAS = /(?<=^|[\s,[{:-])\*[^\s,[\]{}]/gm;

/** Manifests that people write have a few. */
const MAX_ALIASES = 20;

/** Values that an alias stands for: the library's own default. */
const ALIAS_LIMIT = 100;
