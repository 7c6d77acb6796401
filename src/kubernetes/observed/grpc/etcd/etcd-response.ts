// Reads answers and watch responses of etcd's client API.
// Source: etcd api/etcdserverpb/rpc.proto, api/mvccpb/kv.proto

import { FieldReader, LENGTH_DELIMITED, VARINT } from '../../../../protobuf/wire.js';

export interface KeyValue {
  key: string;
  modRevision: string;
  /** A view; null where the message has none. */
  value: Uint8Array | null;
}

export interface EtcdResponse {
  /** Revision of the store, from the header; undefined where there is none. */
  revision: string | undefined;
  /** Of a transaction. */
  succeeded: boolean | undefined;
  /** Keys in a range, which may be more than the answer has; keys that were deleted. */
  count: number | undefined;
  /** Keys in the answer. */
  returned: number;
  /** Of one key, the current one; null where there are none or many. */
  only: KeyValue | null;
  /** `7b3a…` as etcdctl prints it. */
  lease: number | string | undefined;
}

export interface KeyChange {
  readonly type: 'PUT' | 'DELETE';
  readonly kv: KeyValue;
  readonly previous: KeyValue | null;
}

/** One message of a stream of watches. */
export interface EtcdWatchResponse {
  revision: string | undefined;
  watchId: string;
  created: boolean;
  canceled: boolean;
  /** Not `0`: the requested revisions are compacted up to here. */
  compactRevision: string;
  readonly changes: KeyChange[];
}

export function etcdResponseOf(method: string, bytes: Uint8Array): EtcdResponse {
  const answer: EtcdResponse = {
    revision: undefined,
    succeeded: undefined,
    count: undefined,
    returned: 0,
    only: null,
    lease: undefined,
  };
  if (method === 'Range') readRange(bytes, 0, bytes.length, answer);
  else if (method === 'RangeStream') readPiece(bytes, answer);
  else if (method === 'Txn') readTransaction(bytes, answer);
  else readOther(method, bytes, answer);
  return answer;
}

function readTransaction(bytes: Uint8Array, answer: EtcdResponse): void {
  const reader = TOP.open(bytes, 0, bytes.length);
  // proto3 leaves false out.
  answer.succeeded = false;
  let operations = 0;
  while (reader.next()) {
    if (reader.field === 1 && reader.type === LENGTH_DELIMITED) answer.revision = revisionIn(bytes, reader);
    else if (reader.field === 2 && reader.type === VARINT) answer.succeeded = reader.int32() !== 0;
    else if (reader.field === 3 && reader.type === LENGTH_DELIMITED) {
      operations += 1;
      if (operations > 1) continue;
      const operation = OPERATION.open(bytes, reader.start, reader.end);
      while (operation.next()) {
        if (operation.type !== LENGTH_DELIMITED) continue;
        const revision = answer.revision;
        if (operation.field === 1) readRange(bytes, operation.start, operation.end, answer);
        // The header of an answer inside has the same revision, or none.
        answer.revision = revision ?? answer.revision;
      }
    }
  }
}

/** The last piece of a read has the header and the number of keys. */
function readPiece(bytes: Uint8Array, answer: EtcdResponse): void {
  const reader = TOP.open(bytes, 0, bytes.length);
  while (reader.next())
    if (reader.field === 1 && reader.type === LENGTH_DELIMITED) readRange(bytes, reader.start, reader.end, answer);
}

function readRange(bytes: Uint8Array, start: number, end: number, answer: EtcdResponse): void {
  const reader = RANGE.open(bytes, start, end);
  answer.returned = 0;
  let firstStart = 0;
  let firstEnd = 0;
  answer.count = 0;
  while (reader.next()) {
    if (reader.field === 2 && reader.type === LENGTH_DELIMITED) {
      answer.returned += 1;
      firstStart = reader.start;
      firstEnd = reader.end;
    } else if (reader.field === 1 && reader.type === LENGTH_DELIMITED) answer.revision = revisionIn(bytes, reader);
    else if (reader.field === 4 && reader.type === VARINT) answer.count = reader.uint();
  }
  answer.only = answer.returned === 1 ? keyValue(bytes, firstStart, firstEnd) : null;
}

function readOther(method: string, bytes: Uint8Array, answer: EtcdResponse): void {
  const reader = TOP.open(bytes, 0, bytes.length);
  while (reader.next()) {
    if (reader.field === 1 && reader.type === LENGTH_DELIMITED) answer.revision = revisionIn(bytes, reader);
    else if (reader.field !== 2 || reader.type !== VARINT) continue;
    else if (method === 'DeleteRange') answer.count = reader.uint();
    else if (method === 'LeaseGrant' || method === 'LeaseKeepAlive') answer.lease = reader.int64();
  }
}

export function etcdWatchResponseOf(bytes: Uint8Array): EtcdWatchResponse {
  const response: EtcdWatchResponse = {
    revision: undefined,
    watchId: '0',
    created: false,
    canceled: false,
    compactRevision: '0',
    changes: [],
  };
  const reader = TOP.open(bytes, 0, bytes.length);
  while (reader.next()) {
    if (reader.field === 11 && reader.type === LENGTH_DELIMITED)
      response.changes.push(change(bytes, reader.start, reader.end));
    else if (reader.field === 1 && reader.type === LENGTH_DELIMITED) response.revision = revisionIn(bytes, reader);
    else if (reader.type !== VARINT) continue;
    else if (reader.field === 2) response.watchId = String(reader.int64());
    else if (reader.field === 3) response.created = reader.int32() !== 0;
    else if (reader.field === 4) response.canceled = reader.int32() !== 0;
    else if (reader.field === 5) response.compactRevision = String(reader.int64());
  }
  return response;
}

function change(bytes: Uint8Array, start: number, end: number): KeyChange {
  const reader = RANGE.open(bytes, start, end);
  let type: KeyChange['type'] = 'PUT';
  let kv: KeyValue | null = null;
  let previous: KeyValue | null = null;
  while (reader.next()) {
    if (reader.field === 1 && reader.type === VARINT) type = reader.int32() === 1 ? 'DELETE' : 'PUT';
    else if (reader.field === 2 && reader.type === LENGTH_DELIMITED) kv = keyValue(bytes, reader.start, reader.end);
    else if (reader.field === 3 && reader.type === LENGTH_DELIMITED)
      previous = keyValue(bytes, reader.start, reader.end);
  }
  return { type, kv: kv ?? { key: '', modRevision: '0', value: null }, previous };
}

function keyValue(bytes: Uint8Array, start: number, end: number): KeyValue {
  const pair: KeyValue = { key: '', modRevision: '0', value: null };
  const reader = PAIR.open(bytes, start, end);
  while (reader.next()) {
    if (reader.field === 1 && reader.type === LENGTH_DELIMITED) pair.key = reader.text();
    else if (reader.field === 3 && reader.type === VARINT) pair.modRevision = String(reader.int64());
    else if (reader.field === 5 && reader.type === LENGTH_DELIMITED)
      pair.value = bytes.subarray(reader.start, reader.end);
  }
  return pair;
}

/** ResponseHeader { cluster_id = 1, member_id = 2, revision = 3, raft_term = 4 } */
function revisionIn(bytes: Uint8Array, { start, end }: FieldReader): string | undefined {
  const reader = HEADER.open(bytes, start, end);
  let revision: string | undefined;
  while (reader.next()) if (reader.field === 3 && reader.type === VARINT) revision = String(reader.int64());
  return revision;
}

// One reader a level: a message is read while the one around it is.
const TOP = new FieldReader();
const OPERATION = new FieldReader();
const RANGE = new FieldReader();
const PAIR = new FieldReader();
const HEADER = new FieldReader();
