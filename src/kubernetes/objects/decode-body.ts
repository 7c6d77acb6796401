// Decodes a whole body, whatever its encoding, into the plain value that JSON would have.

import { text } from '../../core/bytes/bytes.js';
import { cborValue } from './cbor.js';
import { encodingOf } from './encoding.js';
import { jsonDepth } from './json-cursor.js';
import { toJson } from './to-json.js';
import { yamlValue } from './yaml.js';

/**
 * Takes microseconds to milliseconds, so it is not for every message.
 * @param bytes after content decoding, borrowed. @param contentType media type of the body.
 * @returns null where the body cannot be decoded: protobuf of a kind that is not built in, JSON that was cut.
 */
export function decodeBody(bytes: Uint8Array, contentType: string): unknown {
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
      return parseJson(bytes);
  }
}

function parseJson(bytes: Uint8Array): unknown {
  if (jsonDepth(bytes) > DEPTH_LIMIT) return null;
  try {
    return JSON.parse(text(bytes)) as unknown;
  } catch {
    return null;
  }
}

/**
 * Limit: nesting of JSON, because code that reads the value is recursive: nothing that the API server writes is deeper than 50 (Go's
 * encoding/json stops at 10,000, protobuf at 100).
 */
const DEPTH_LIMIT = 200;
