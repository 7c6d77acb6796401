// Identity of the object in a body, whatever its encoding. Knows which encoding it is; each has its own reader.

import { bounded } from './bounded.js';
import { cborValue } from './cbor.js';
import { hasMagic } from './envelope.js';
import { jsonObject } from './meta-json.js';
import { protobufObject } from './meta-protobuf.js';
import { valueObject } from './meta-value.js';
import { yamlObject } from './meta-yaml.js';
import type { BodyObject, ObjectInfo, ObjectKind } from './object-info.js';
import { yamlValue } from './yaml.js';

export type Encoding = 'protobuf' | 'json' | 'yaml' | 'cbor';

/**
 * Who the object in a body is, read without decoding the rest of it; what a Status or an Event says.
 * @param bytes the body after content decoding, borrowed; may be cut.
 * @param contentType its media type, parameters and all; may be wrong or empty, the bytes are asked first.
 * @param otherwise what it is where it does not say so; null: then it is none.
 * @returns null where there is no object of a kind (patches, raw text).
 */
export function carriedObject(
  bytes: Uint8Array,
  contentType: string,
  otherwise: ObjectKind | null = null,
): BodyObject | null {
  return bounded(readIdentity(bytes, contentType, otherwise));
}

function readIdentity(bytes: Uint8Array, contentType: string, otherwise: ObjectKind | null): BodyObject | null {
  switch (encodingOf(bytes, contentType)) {
    case 'protobuf':
      return protobufObject(bytes);
    case 'json':
      return jsonObject(bytes, otherwise);
    case 'yaml':
      return bytes.length <= WHOLE_YAML ? valueObject(yamlValue(bytes).value, otherwise) : yamlObject(bytes, otherwise);
    case 'cbor':
      return valueObject(cborValue(bytes).value, otherwise);
    default:
      return null;
  }
}

/** The identity alone: see `carriedObject`. */
export function objectInfo(bytes: Uint8Array, contentType: string): ObjectInfo | null {
  return carriedObject(bytes, contentType)?.info ?? null;
}

/** How a body is encoded: by its first bytes where they tell, else by its media type; null where neither does. */
export function encodingOf(bytes: Uint8Array, contentType: string): Encoding | null {
  if (hasMagic(bytes)) return 'protobuf';
  // kubectl apply --server-side sends JSON under the YAML type, which is right: JSON is YAML.
  if (beginsWithBrace(bytes)) return 'json';
  // Self-described CBOR: tag 55799 (RFC 8949, section 3.4.6).
  if (bytes[0] === 0xd9 && bytes[1] === 0xd9 && bytes[2] === 0xf7) return 'cbor';
  if (contentType.includes('yaml')) return 'yaml';
  return contentType.includes('cbor') ? 'cbor' : null;
}

function beginsWithBrace(bytes: Uint8Array): boolean {
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === 0x7b) return true;
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return false;
  }
  return false;
}

/**
 * Bytes of YAML that the library reads, every style of it. Its time can grow with the square: 30 ms at worst for this
 * much. Longer texts are read line by line, in block style only.
 */
const WHOLE_YAML = 8 * 1024;
