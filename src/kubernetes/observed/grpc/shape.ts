// Checks whether bytes are a whole message of one type as its writer encodes it: known fields only, in order, no defaults,
// nothing left over.
// Source: protobuf.dev "Encoding", gogo/protobuf's marshalling (fields in order, proto3 defaults left out).

import { dictionary } from '../../../core/collections/dictionary.js';
import type { FieldType, Table } from '../../../protobuf/table.js';
import { FIXED64, FieldReader, LENGTH_DELIMITED, VARINT } from '../../../protobuf/wire.js';

/** @param messageName full name of the type. */
export function hasShape(table: Table, messageName: string, bytes: Uint8Array): boolean {
  const run: ShapeScan = { table, left: FIELDS_LIMIT };
  return isMessage(run, messageName, bytes, 0, bytes.length, 1);
}

interface ShapeScan {
  readonly table: Table;
  /** Fields that may still be read. */
  left: number;
}

function isMessage(
  run: ShapeScan,
  name: string,
  bytes: Uint8Array,
  start: number,
  end: number,
  depth: number,
): boolean {
  const type = run.table.message(name);
  if (type === undefined || depth > DEPTH_LIMIT) return false;
  const reader = new FieldReader(bytes, start, end);
  let last = 0;
  let seen = 0;
  while (reader.next()) {
    run.left -= 1;
    const field = type.byNumber.get(reader.field);
    if (field === undefined || run.left < 0 || reader.field < last) return false;
    if (reader.field === last && field.label === 'singular') return false;
    last = reader.field;
    if (reader.field < 32) seen |= 1 << reader.field;
    if (!isValue(run, field, reader, bytes, depth, ONE_OF.has(name))) return false;
  }
  if (reader.fault !== null) return false;
  const needed = NEEDED[name] ?? 0;
  if (ONE_OF_MESSAGES.has(name)) return seen !== 0 && (seen & (seen - 1)) === 0;
  if (depth === 1 && type.fields[0]?.name === 'header' && (seen & 2) === 0) return false;
  return (seen & needed) === needed;
}

function isValue(
  run: ShapeScan,
  field: FieldType,
  r: FieldReader,
  bytes: Uint8Array,
  depth: number,
  zero: boolean,
): boolean {
  if (field.label === 'map') return r.type === LENGTH_DELIMITED && isEntry(run, field, r, bytes, depth);
  if (field.kind === 'message')
    return r.type === LENGTH_DELIMITED && isMessage(run, field.type, bytes, r.start, r.end, depth + 1);
  if (field.type === 'string')
    return (
      r.type === LENGTH_DELIMITED && (field.label === 'repeated' || r.end > r.start) && isText(bytes, r.start, r.end)
    );
  if (field.type === 'bytes')
    return r.type === LENGTH_DELIMITED && (zero || field.label === 'repeated' || r.end > r.start);
  if (field.type === 'double') return r.type === FIXED64;
  if (field.label === 'repeated') return r.type === LENGTH_DELIMITED || r.type === VARINT;
  if (r.type !== VARINT) return false;
  if (field.kind === 'enum') return r.int32() !== 0 && run.table.enumValue(field.type, r.int32()) !== undefined;
  if (field.type === 'bool') return r.uint() === 1;
  if (field.type === 'uint32' && r.uint() > MAX_UINT32) return false;
  return zero || r.uint() !== 0;
}

function isEntry(run: ShapeScan, field: FieldType, outer: FieldReader, bytes: Uint8Array, depth: number): boolean {
  const reader = new FieldReader(bytes, outer.start, outer.end);
  while (reader.next()) {
    if (reader.type !== LENGTH_DELIMITED || reader.field > 2) return false;
    if (reader.field === 1 || field.kind !== 'message') {
      if (!isText(bytes, reader.start, reader.end)) return false;
    } else if (!isMessage(run, field.type, bytes, reader.start, reader.end, depth + 1)) return false;
  }
  return reader.fault === null;
}

/** Names, ids and versions: no control characters but line breaks, and well-formed UTF-8. */
function isText(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; ) {
    const byte = bytes[at];
    if (byte < 0x80) {
      if (byte < 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return false;
      at += 1;
      continue;
    }
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 0;
    if (length === 0 || byte > 0xf4 || at + length > end) return false;
    for (let i = 1; i < length; i++) if ((bytes[at + i] & 0xc0) !== 0x80) return false;
    at += length;
  }
  return true;
}

/** Exactly one member, itself a message. */
const ONE_OF_MESSAGES = new Set(['etcdserverpb.RequestOp', 'etcdserverpb.ResponseOp', 'etcdserverpb.WatchRequest']);
/** A member of a `oneof` is written even if it is 0. */
const ONE_OF = new Set(['etcdserverpb.Compare']);

/** Required fields, as bits: 1 << number. */
const NEEDED: Readonly<Record<string, number>> = dictionary({
  'etcdserverpb.RangeRequest': 2,
  'etcdserverpb.PutRequest': 2,
  'etcdserverpb.DeleteRangeRequest': 2,
  'etcdserverpb.WatchCreateRequest': 2,
  'etcdserverpb.CompactionRequest': 2,
  'etcdserverpb.LeaseGrantRequest': 2,
  'etcdserverpb.LeaseRevokeRequest': 2,
  'etcdserverpb.LeaseKeepAliveRequest': 2,
  'etcdserverpb.LeaseTimeToLiveRequest': 2,
  'etcdserverpb.TxnRequest': 4,
  'etcdserverpb.Compare': 8,
  'etcdserverpb.ResponseHeader': 8,
  'etcdserverpb.AuthenticateRequest': 6,
  'mvccpb.KeyValue': 2,
  // A command, not only where: else its answer's output could be any message.
  'runtime.v1.ExecSyncRequest': 6,
  'runtime.v1.ExecRequest': 6,
  'runtime.v1.PullImageRequest': 2,
  'runtime.v1.CheckpointContainerRequest': 6,
});

const MAX_UINT32 = 0xffff_ffff;
/** Limit: nesting of a message whose method is to be found. */
const DEPTH_LIMIT = 32;
/** Limit: fields of such a message that are examined: a list of some thousand keys; further fields do not change which method fits. */
const FIELDS_LIMIT = 50_000;
