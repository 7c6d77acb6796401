// Decodes the whole object of a body into the value that JSON would have.

import { text } from '../../core/bytes/bytes.js';
import { cborValue } from './cbor.js';
import { encodingOf } from './encoding.js';
import { jsonDepth } from './json-cursor.js';
import { toJson } from './to-json.js';
import { yamlValue } from './yaml.js';

/**
 * Decodes a body as far as it goes. Takes microseconds to milliseconds: for bodies that are to be displayed.
 *
 * @param bytes after content decoding, borrowed. @param contentType as for `carriedObject`.
 * @returns a plain value, of JSON as it stands; null where it cannot be decoded or its kind is not built in.
 */
export function objectFields(bytes: Uint8Array, contentType: string): unknown {
  switch (encodingOf(bytes, contentType)) {
    case 'protobuf': {
      const converted = toJson(bytes);
      return 'object' in converted ? converted.object : null;
    }
    case 'yaml':
      return yamlValue(bytes).value;
    case 'cbor':
      return cborValue(bytes).value;
    default:
      return parsed(bytes);
  }
}

function parsed(bytes: Uint8Array): unknown {
  if (jsonDepth(bytes) > DEPTH_LIMIT) return null;
  try {
    return JSON.parse(text(bytes)) as unknown;
  } catch {
    return null;
  }
}

/** Limit: nesting of JSON: Go's encoding/json stops at 10,000, protobuf at 100; nothing that the API server writes is deeper than 50. */
const DEPTH_LIMIT = 200;
