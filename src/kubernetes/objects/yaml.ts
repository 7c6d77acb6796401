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
    const [document] = yaml.parseAllDocuments(text(bytes), LIKE_THE_API_SERVER);
    if (document === undefined) return { value: null, complete: true };
    // Aliases are how a few hundred bytes become gigabytes ("billion laughs"); the library counts them.
    const value = plain(document.toJS({ maxAliasCount: ALIAS_LIMIT }));
    return { value, complete: document.errors.length === 0 };
  } catch {
    return { value: null, complete: false };
  }
}

/**
 * A value as JSON has it, for redaction and renderers know no others: tags and `%YAML 1.1` make more. The bytes of `!!binary`
 * are text, as go-yaml has them.
 */
function plain(value: unknown): unknown {
  if (typeof value === 'symbol') return value.description;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object' || value === null) return value ?? null;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array) return text(value);
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Set) return Object.fromEntries([...value].map((key) => [String(plain(key)), null]));
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(entries.map(([key, part]) => [String(plain(key)), plain(part)]));
}

let yaml: typeof Yaml | undefined;

/**
 * The library takes some 5 µs a byte, and time that grows with the square for texts full of anchors or errors: this much
 * is half a second at worst. Manifests are a few KiB; JSON, which is YAML too, is not read here.
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
  logLevel: 'silent',
} satisfies Yaml.ParseOptions & Yaml.DocumentOptions & Yaml.SchemaOptions;

/** The library's own default. */
const ALIAS_LIMIT = 100;
