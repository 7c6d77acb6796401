// Reads a few fields of the object in a body, whatever its encoding, without decoding the rest of it.

import { cborValue } from './cbor.js';
import { hasMagic, openEnvelope } from './envelope.js';
import { type Field, type FieldCursor, type FieldSet, type Fields, type FieldValues, readFields } from './fields.js';
import { BRACE, JsonCursor } from './json-cursor.js';
import { ProtobufCursor } from './protobuf-cursor.js';
import { ValueCursor } from './value-cursor.js';
import { yamlValue } from './yaml.js';

export type Encoding = 'protobuf' | 'json' | 'yaml' | 'cbor';

/** How a body is encoded: by its first bytes where they decide, else by its media type; null where neither does. */
export function encodingOf(bytes: Uint8Array, contentType: string): Encoding | null {
  if (hasMagic(bytes)) return 'protobuf';
  // kubectl apply --server-side sends JSON under the YAML type, which is right: JSON is YAML.
  if (new JsonCursor(bytes).peek() === BRACE) return 'json';
  // Self-described CBOR: tag 55799 (RFC 8949, section 3.4.6).
  if (bytes[0] === 0xd9 && bytes[1] === 0xd9 && bytes[2] === 0xf7) return 'cbor';
  if (contentType.includes('yaml')) return 'yaml';
  return contentType.includes('cbor') ? 'cbor' : null;
}

/**
 * @param bytes a whole object in its envelope, or a text; borrowed; may be cut.
 * @param contentType as for `carriedObject`.
 * @returns null where it cannot be read.
 */
export function pick<F extends Fields>(
  bytes: Uint8Array,
  contentType: string,
  fields: FieldSet<F>,
): FieldValues<F> | null {
  const envelope = openEnvelope(bytes);
  const cursor =
    envelope === null ? selfNamedCursor(bytes, contentType) : PROTOBUF.open(bytes, envelope.start, envelope.end);
  return cursor === null ? null : readFields(cursor, fields);
}

/** The same of an object of one kind; `kind` is to be among the fields. @returns null where it is of another kind, too. */
export function pickOfKind<F extends Fields & { readonly kind: Field<string> }>(
  kind: string,
  bytes: Uint8Array,
  contentType: string,
  fields: FieldSet<F>,
): FieldValues<F> | null {
  const enveloped = openEnvelope(bytes)?.kind;
  if (enveloped !== undefined && enveloped !== kind) return null;
  const values = pick(bytes, contentType, fields);
  return enveloped === kind || values?.kind === kind ? values : null;
}

/** A cursor over an object that has its kind among its fields, as in all encodings but protobuf; null where there is none. */
export function selfNamedCursor(bytes: Uint8Array, contentType: string): FieldCursor | null {
  switch (encodingOf(bytes, contentType)) {
    case 'json':
      return new JsonCursor(bytes).object();
    case 'yaml':
      return new ValueCursor(yamlValue(bytes).value).object();
    case 'cbor':
      return new ValueCursor(cborValue(bytes).value).object();
    default:
      return null;
  }
}

/** Kept, as one is read at once. */
const PROTOBUF = new ProtobufCursor();
