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
    const [document] = yaml.parseAllDocuments(text(bytes), { logLevel: 'silent', uniqueKeys: false });
    if (document === undefined) return { value: null, complete: true };
    // Aliases are how a few hundred bytes become gigabytes ("billion laughs"); the library counts them.
    const value: unknown = document.toJS({ maxAliasCount: ALIAS_LIMIT });
    return { value, complete: document.errors.length === 0 };
  } catch {
    return { value: null, complete: false };
  }
}

let yaml: typeof Yaml | undefined;

/**
 * The library takes some 5 µs a byte, and time that grows with the square for texts full of anchors or errors: this much
 * is half a second at worst. Manifests are a few KiB; JSON, which is YAML too, is not read here.
 */
const BYTES_LIMIT = 32 * 1024;

/** The library's own default. */
const ALIAS_LIMIT = 100;
