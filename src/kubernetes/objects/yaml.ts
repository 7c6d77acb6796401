// Decodes YAML bodies with the `yaml` library.

import type * as Yaml from 'yaml';
import { text, utf8Bytes } from '../../core/bytes/bytes.js';
import { yamlLibrary } from '../../platform/yaml.js';

/** First document of the text as a plain value; null and not complete where it is no YAML or is beyond the limit. */
export function yamlValue(bytes: Uint8Array): { value: unknown; complete: boolean } {
  if (bytes.length > BYTES_LIMIT) return { value: null, complete: false };
  try {
    const source = text(bytes);
    // The library scans the whole document for each.
    if ((source.match(ALIAS)?.length ?? 0) > MAX_ALIASES) return { value: null, complete: false };
    const { document, broken } = firstDocument(yamlLibrary(), source);
    if (document === undefined) return { value: null, complete: !broken };
    const value = plain(document.toJS({ maxAliasCount: -1 }), { known: new Map(), size: 0 });
    return { value, complete: !broken && document.errors.length === 0 };
  } catch {
    return { value: null, complete: false };
  }
}

/**
 * The same for the identity alone. Of a text beyond the limit the library reads the members that identify an object, which
 * block style has in column 0: a list has no items then.
 */
export function yamlIdentity(bytes: Uint8Array): unknown {
  if (bytes.length <= BYTES_LIMIT) return yamlValue(bytes).value;
  const members = new Map<string, string>();
  for (const [member, name] of text(bytes).matchAll(IDENTITY)) if (!members.has(name)) members.set(name, member);
  return yamlValue(utf8Bytes([...members.values()].join('\n'))).value;
}

/** A member with the deeper lines, blank lines and comments that follow it. */
const IDENTITY = /^(apiVersion|kind|metadata):.*(?:\n(?:[ #\r].*)?)*/gm;

/** What follows it, or follows an error, is not read. */
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
 * A value as JSON has it: tags and `%YAML 1.1` make others, which redaction and renderers do not take. The bytes of `!!binary`
 * are text, as go-yaml has them. What aliases refer to stays one object, and is counted at each reference: aliases are how a
 * few hundred bytes become gigabytes ("billion laughs").
 */
function plain(value: unknown, whole: Whole): unknown {
  const before = whole.size;
  whole.size += 1;
  if (whole.size > BYTES_LIMIT) throw new RangeError('more values than bytes');
  if (typeof value === 'symbol') return value.description;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object' || value === null) return value ?? null;
  const known = whole.known.get(value);
  if (known !== undefined) {
    whole.size = before + known.size;
    return known.made;
  }
  const made = plainObject(value, whole);
  whole.known.set(value, { made, size: whole.size - before });
  return made;
}

interface Whole {
  readonly known: Map<object, { readonly made: unknown; readonly size: number }>;
  /** Values so far. */
  size: number;
}

function plainObject(value: object, whole: Whole): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array) return text(value);
  if (Array.isArray(value)) return value.map((part) => plain(part, whole));
  if (value instanceof Set) return Object.fromEntries([...value].map((key) => [String(plain(key, whole)), null]));
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(entries.map(([key, part]) => [String(plain(key, whole)), plain(part, whole)]));
}

/**
 * Limit in bytes: YAML that the library reads, whose time can grow with the square: some 2 µs a byte, three times as many for texts
 * full of errors, so a fifth of a second at worst. Manifests are a few KiB; JSON, which is YAML too, is not read here; of longer texts
 * kind and metadata alone are read. No document has more values than bytes.
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

/** Limit: aliases of a YAML body that is shown; manifests that people write have a few. */
const MAX_ALIASES = 20;
