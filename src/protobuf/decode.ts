// Decodes a protobuf message to a plain object with the field names of a table, leniently: it returns what it could read and
// why it stopped.

import type { FieldType, MessageType, Table } from './table.js';
import { FIXED64, FieldReader, LENGTH_DELIMITED, VARINT, type WireFault } from './wire.js';

export type DecodedMessage = {
  /**
   * Only the fields that are on the wire, by their names in the table. 64-bit integers beyond 2^53 are decimal strings,
   * enum values are names (numbers where unknown), bytes are views of the input, maps are plain objects.
   */
  readonly value: ProtoObject;
  /** False if the message was cut, malformed, or beyond a limit. */
  readonly complete: boolean;
  /** How many fields the table does not have, or has with another wire type. */
  readonly unknownFields: number;
  readonly fault: WireFault | 'too-deep' | 'too-many-values' | 'unknown-message' | null;
};

export type ProtoObject = { [field: string]: ProtoValue };
export type ProtoValue = string | number | boolean | Uint8Array | ProtoObject | ProtoValue[];

export interface DecodeOptions {
  /** Levels of nested messages. */
  readonly depthLimit?: number;
}

/** @param messageName full name in the table, e.g. `etcdserverpb.TxnRequest`. @param bytes borrowed. */
export function decode(
  table: Table,
  messageName: string,
  bytes: Uint8Array,
  options: DecodeOptions = {},
): DecodedMessage {
  const type = table.message(messageName);
  if (type === undefined) return { value: {}, complete: false, unknownFields: 0, fault: 'unknown-message' };
  const run: DecodeRun = {
    table,
    depthLimit: options.depthLimit ?? DEPTH_LIMIT,
    values: 0,
    unknownFields: 0,
    fault: null,
  };
  const value = message(run, type, bytes, 0, bytes.length, {}, 1);
  return { value, complete: run.fault === null, unknownFields: run.unknownFields, fault: run.fault };
}

/** Sets an own property of any name: `__proto__` is a valid key of a map on the wire. */
export function setOwn(target: object, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else (target as Record<string, unknown>)[key] = value;
}

/** Property of a decoded message that counts its unknown fields; no protobuf field can have this name. */
export const UNKNOWN_FIELDS = '$unknownFields';

interface DecodeRun {
  readonly table: Table;
  readonly depthLimit: number;
  values: number;
  unknownFields: number;
  fault: DecodedMessage['fault'];
}

function message(
  run: DecodeRun,
  type: MessageType,
  bytes: Uint8Array,
  start: number,
  end: number,
  into: ProtoObject,
  depth: number,
): ProtoObject {
  if (depth > run.depthLimit) {
    run.fault ??= 'too-deep';
    return into;
  }
  const reader = new FieldReader(bytes, start, end);
  while (reader.next()) {
    if (++run.values > VALUES_LIMIT) {
      run.fault ??= 'too-many-values';
      return into;
    }
    const field = type.byNumber.get(reader.field);
    if (field === undefined) countUnknown(run, into);
    else if (field.label === 'map') mapEntry(run, field, reader, into, depth);
    else if (field.label === 'repeated') repeated(run, field, reader, into, depth);
    else {
      const value = single(run, field, reader, into[field.name], depth);
      if (value === undefined) countUnknown(run, into);
      else into[field.name] = value;
    }
  }
  run.fault ??= reader.fault;
  return into;
}

function countUnknown(run: DecodeRun, into: ProtoObject): void {
  run.unknownFields += 1;
  into[UNKNOWN_FIELDS] = ((into[UNKNOWN_FIELDS] as number | undefined) ?? 0) + 1;
}

/** @param before value of an earlier occurrence: messages are merged, other values are replaced. */
function single(
  run: DecodeRun,
  field: FieldType,
  reader: FieldReader,
  before: ProtoValue | undefined,
  depth: number,
): ProtoValue | undefined {
  if (field.kind !== 'message') return scalar(run, field, reader);
  if (reader.type !== LENGTH_DELIMITED) return undefined;
  const type = run.table.message(field.type);
  if (type === undefined) return undefined;
  return message(run, type, reader.bytes, reader.start, reader.end, (before as ProtoObject) ?? {}, depth + 1);
}

function repeated(run: DecodeRun, field: FieldType, reader: FieldReader, into: ProtoObject, depth: number): void {
  let list = into[field.name] as ProtoValue[] | undefined;
  if (list === undefined) {
    list = [];
    into[field.name] = list;
  }
  if (reader.type === LENGTH_DELIMITED && isPackable(field)) {
    packed(run, field, reader, list);
    return;
  }
  const value = single(run, field, reader, undefined, depth);
  if (value === undefined) run.unknownFields += 1;
  else list.push(value);
}

/** proto3 packs repeated numbers, proto2 does not; a reader must accept both. */
function packed(run: DecodeRun, field: FieldType, reader: FieldReader, list: ProtoValue[]): void {
  const end = reader.end;
  if (field.type === 'double') {
    for (let at = reader.start; at + 8 <= end; at += 8) list.push(double(reader.bytes, at));
    if ((end - reader.start) % 8 !== 0) run.fault ??= 'malformed';
    return;
  }
  for (let at = reader.start; at < end; ) {
    at = reader.varintAt(at, end);
    if (at < 0 || ++run.values > VALUES_LIMIT) {
      run.fault ??= at < 0 ? reader.fault : 'too-many-values';
      return;
    }
    list.push(integer(run, field, reader));
  }
}

/** A map is a repeated entry message of key = 1 and value = 2, either of which may be absent. */
function mapEntry(run: DecodeRun, field: FieldType, reader: FieldReader, into: ProtoObject, depth: number): void {
  if (reader.type !== LENGTH_DELIMITED) {
    run.unknownFields += 1;
    return;
  }
  let map = into[field.name] as ProtoObject | undefined;
  if (map === undefined) {
    map = {};
    into[field.name] = map;
  }
  const entry = new FieldReader(reader.bytes, reader.start, reader.end);
  let key = '';
  let value: ProtoValue | undefined;
  while (entry.next()) {
    if (entry.field === 1 && entry.type === LENGTH_DELIMITED) key = entry.text();
    else if (entry.field === 2) value = single(run, field, entry, value, depth);
    else run.unknownFields += 1;
  }
  run.fault ??= entry.fault;
  setOwn(map, key, value ?? emptyOf(field));
}

function scalar(run: DecodeRun, field: FieldType, reader: FieldReader): ProtoValue | undefined {
  switch (reader.type) {
    case LENGTH_DELIMITED:
      if (field.type === 'string') return reader.text();
      return field.type === 'bytes' ? reader.bytes.subarray(reader.start, reader.end) : undefined;
    case VARINT:
      return isPackable(field) && field.type !== 'double' ? integer(run, field, reader) : undefined;
    case FIXED64:
      return field.type === 'double' ? double(reader.bytes, reader.start) : undefined;
    default:
      return undefined;
  }
}

function integer(run: DecodeRun, field: FieldType, reader: FieldReader): ProtoValue {
  switch (field.type) {
    case 'bool':
      return reader.uint() !== 0;
    case 'int32':
      return reader.int32();
    case 'uint32':
      return reader.int32() >>> 0;
    case 'int64':
      return reader.int64();
    case 'uint64':
      return reader.uint64();
    default:
      return run.table.enumValue(field.type, reader.int32()) ?? reader.int32();
  }
}

function isPackable(field: FieldType): boolean {
  return field.kind === 'enum' || (field.kind === 'scalar' && field.type !== 'string' && field.type !== 'bytes');
}

function emptyOf(field: FieldType): ProtoValue {
  if (field.kind === 'message') return {};
  if (field.type === 'string') return '';
  if (field.type === 'bytes') return new Uint8Array(0);
  return field.type === 'bool' ? false : 0;
}

function double(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset + at, 8).getFloat64(0, true);
}

/** Limit: nesting: the limit of protobuf's own readers. */
const DEPTH_LIMIT = 100;

/** Limit: values of one message: an empty one takes 2 bytes on the wire and some 60 in memory, so 120 MB, far above any real list. */
const VALUES_LIMIT = 2_000_000;
