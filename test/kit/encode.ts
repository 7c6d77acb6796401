// Writes protobuf by the project's field tables, and CBOR, for tests. What it writes is read by the project and by nobody
// else here, so tests that use it hold their expectations against the values that were put in.

import type { Table } from '../../src/protobuf/table.js';

type Value = Readonly<Record<string, unknown>>;

/** A message by its table; fields that the table does not have are the caller's mistake. */
export function encodeMessage(table: Table, name: string, value: Value): Buffer {
  const type = table.message(name);
  if (type === undefined) throw new Error(`no message ${name}`);
  const parts: Buffer[] = [];
  for (const [key, item] of Object.entries(value)) {
    const field = type.fields.find((one) => one.name === key);
    if (field === undefined) throw new Error(`${name} has no field ${key}`);
    const one = (single: unknown): Buffer => {
      if (field.kind === 'message') return lengthed(field.number, encodeMessage(table, field.type, single as Value));
      if (typeof single === 'string' || single instanceof Uint8Array)
        return lengthed(field.number, Buffer.from(single));
      return Buffer.concat([varint(field.number << 3), varint(Number(single))]);
    };
    if (field.label === 'map') {
      for (const [entry, content] of Object.entries(item as Value)) {
        const inner =
          field.kind === 'message'
            ? encodeMessage(table, field.type, content as Value)
            : Buffer.from(content as string | Uint8Array);
        parts.push(lengthed(field.number, Buffer.concat([lengthed(1, Buffer.from(entry)), lengthed(2, inner)])));
      }
    } else if (field.label === 'repeated') for (const single of item as unknown[]) parts.push(one(single));
    else parts.push(one(item));
  }
  return Buffer.concat(parts);
}

/** An object in the envelope of Kubernetes. */
export function encodeObject(table: Table, apiVersion: string, kind: string, name: string, value: Value): Buffer {
  const typeMeta = Buffer.concat([lengthed(1, Buffer.from(apiVersion)), lengthed(2, Buffer.from(kind))]);
  const raw = encodeMessage(table, name, value);
  return Buffer.concat([Buffer.from('k8s\0'), lengthed(1, typeMeta), lengthed(2, raw)]);
}

/** A field of bytes, with its number and length. */
export function lengthed(number: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const out: number[] = [];
  let rest = value;
  while (rest >= 128) {
    out.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  return Buffer.from([...out, rest]);
}

/** Self-described CBOR of texts, numbers, lists and maps (RFC 8949). */
export function encodeCbor(value: unknown): Buffer {
  return Buffer.concat([Buffer.from('d9d9f7', 'hex'), cbor(value)]);
}

function cbor(value: unknown): Buffer {
  if (typeof value === 'string') {
    const bytes = Buffer.from(value);
    return Buffer.concat([head(3, bytes.length), bytes]);
  }
  if (typeof value === 'number') return head(0, value);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
  const entries = Object.entries(value as Value);
  return Buffer.concat([head(5, entries.length), ...entries.flatMap(([key, item]) => [cbor(key), cbor(item)])]);
}

function head(major: number, argument: number): Buffer {
  if (argument < 24) return Buffer.from([(major << 5) | argument]);
  return Buffer.from([(major << 5) | 25, argument >> 8, argument & 255]);
}
