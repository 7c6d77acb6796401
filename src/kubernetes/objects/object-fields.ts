// The whole object of a body as JSON would have it, for those who must look inside; and the few facts that pictures
// need of many objects, read by field number where the body is protobuf. Knows kinds; what facts mean is for others.

import { text } from '../../core/bytes/bytes.js';
import { FieldReader, findField } from '../../protobuf/wire.js';
import { cborValue } from './cbor.js';
import { openEnvelope } from './envelope.js';
import { jsonDepth } from './json-cursor.js';
import { encodingOf } from './meta.js';
import { record, textOf } from './meta-value.js';
import { toJson } from './to-json.js';
import { yamlValue } from './yaml.js';

/**
 * Decodes a body as far as it goes. Costs microseconds to milliseconds: for bodies that somebody asks to see.
 * @param bytes after content decoding, borrowed. @param contentType as for `carriedObject`.
 * @returns a plain value, of JSON as it stands; null where it cannot be decoded or its kind is not built in.
 */
export function objectFields(bytes: Uint8Array, contentType: string): unknown {
  switch (encodingOf(bytes, contentType)) {
    case 'protobuf': {
      const made = toJson(bytes);
      return 'object' in made ? made.object : null;
    }
    case 'yaml':
      return yamlValue(bytes).value;
    case 'cbor':
      return cborValue(bytes).value;
    default:
      return parsed(bytes);
  }
}

/** Node of a Pod (`spec.nodeName`) or Binding (`target.name`); undefined where none is said. */
export function nodeNameOf(bytes: Uint8Array, contentType: string): string | undefined {
  return (
    fact(bytes, contentType, 'Pod', [2, 10], ['spec', 'nodeName']) ??
    fact(bytes, contentType, 'Binding', [2, 3], ['target', 'name'])
  );
}

/** `status.phase` of a Pod: `Pending`, `Running`. */
export function podPhaseOf(bytes: Uint8Array, contentType: string): string | undefined {
  return fact(bytes, contentType, 'Pod', [3, 1], ['status', 'phase']);
}

/** `status.podIP` of a Pod. */
export function podIpOf(bytes: Uint8Array, contentType: string): string | undefined {
  return fact(bytes, contentType, 'Pod', [3, 6], ['status', 'podIP']);
}

/** `spec.holderIdentity` of a Lease. */
export function leaseHolderOf(bytes: Uint8Array, contentType: string): string | undefined {
  return fact(bytes, contentType, 'Lease', [2, 1], ['spec', 'holderIdentity']);
}

/** One text of an object of one kind, by its path in protobuf numbers and in JSON names. */
function fact(
  bytes: Uint8Array,
  contentType: string,
  kind: string,
  numbers: readonly number[],
  names: readonly string[],
): string | undefined {
  const envelope = openEnvelope(bytes);
  if (envelope !== null) {
    if (envelope.kind !== kind || !findField(READER, bytes, envelope.start, envelope.end, numbers)) return undefined;
    return READER.text() || undefined;
  }
  let value = objectFields(bytes, contentType);
  if (record(value)['kind'] !== kind) return undefined;
  for (const name of names) value = record(value)[name];
  return textOf(value) || undefined;
}

function parsed(bytes: Uint8Array): unknown {
  if (jsonDepth(bytes) > DEPTH_LIMIT) return null;
  try {
    return JSON.parse(text(bytes)) as unknown;
  } catch {
    return null;
  }
}

const READER = new FieldReader();

/** Go's encoding/json stops at 10,000, protobuf at 100; nothing that the API server writes is deeper than 50. */
const DEPTH_LIMIT = 200;
