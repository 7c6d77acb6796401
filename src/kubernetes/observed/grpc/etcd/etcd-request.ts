// Reads requests of etcd's client API and writes their words.
// Source: etcd api/etcdserverpb/rpc.proto; shapes of transactions: k8s.io/apiserver/pkg/storage/etcd3/store.go

import { FieldReader, LENGTH_DELIMITED, VARINT } from '../../../../protobuf/wire.js';
import { shownStoreKey } from '../../../../redaction/names.js';

export interface EtcdRequest {
  words: string;
  /** First key of the request; undefined where it has none. */
  key: string | undefined;
  /** It has further keys. */
  many: boolean;
  /** That is put under the key: a view. */
  value: Uint8Array | null;
  revision: string | undefined;
  /** What is done to the key. */
  changes: 'creates' | 'updates' | 'deletes' | null;
}

/** @param method of KV, Lease, Watch, Maintenance or Cluster. */
export function etcdRequestOf(method: string, bytes: Uint8Array): EtcdRequest {
  switch (method) {
    case 'Range':
    case 'RangeStream':
      return range(bytes, 0, bytes.length);
    case 'Put':
      return put(bytes, 0, bytes.length);
    case 'DeleteRange':
      return deleteRange(bytes, 0, bytes.length);
    case 'Txn':
      return transaction(bytes, 0, bytes.length);
    case 'Compact':
      return compact(bytes);
    case 'Watch':
      return watch(bytes);
    case 'LeaseGrant':
      return leaseGrant(bytes);
    case 'LeaseRevoke':
    case 'LeaseKeepAlive':
    case 'LeaseTimeToLive':
      return request(`lease ${leaseText(firstNumber(bytes, 0, bytes.length))}`);
    default:
      return request('');
  }
}

/** A lease's number as etcdctl prints it. */
export function leaseText(id: number | string): string {
  return BigInt.asUintN(64, BigInt(id)).toString(16);
}

function request(words: string): EtcdRequest {
  return { words, key: undefined, many: false, value: null, revision: undefined, changes: null };
}

function range(bytes: Uint8Array, start: number, end: number): EtcdRequest {
  const result = request('');
  const reader = OUTER.open(bytes, start, end);
  let key = '';
  let rangeEnd: string | null = null;
  let limit: number | string = 0;
  let options = '';
  while (reader.next()) {
    if (reader.field === 1) key = textIn(reader);
    else if (reader.field === 2) rangeEnd = reader.text();
    else if (reader.type !== VARINT) continue;
    else if (reader.field === 3) limit = reader.int64();
    else if (reader.field === 4) options += `, at revision ${reader.int64()}`;
    else if (reader.field === 8) options += ', keys only';
    else if (reader.field === 9) options += ', count';
  }
  result.key = key;
  result.many = rangeEnd !== null && rangeEnd !== '';
  result.words = keyWords(key, rangeEnd) + (result.many && limit !== 0 ? `, at most ${limit}` : '') + options;
  return result;
}

function put(bytes: Uint8Array, start: number, end: number): EtcdRequest {
  const result = request('');
  const reader = OUTER.open(bytes, start, end);
  result.changes = 'updates';
  while (reader.next()) {
    if (reader.type !== LENGTH_DELIMITED) continue;
    if (reader.field === 1) result.key = textIn(reader);
    else if (reader.field === 2) result.value = bytes.subarray(reader.start, reader.end);
  }
  result.words = shownStoreKey(result.key ?? '');
  return result;
}

function deleteRange(bytes: Uint8Array, start: number, end: number): EtcdRequest {
  const result = request('');
  const reader = OUTER.open(bytes, start, end);
  let rangeEnd: string | null = null;
  result.changes = 'deletes';
  while (reader.next()) {
    if (reader.type !== LENGTH_DELIMITED) continue;
    if (reader.field === 1) result.key = textIn(reader);
    else if (reader.field === 2) rangeEnd = reader.text();
  }
  result.many = rangeEnd !== null && rangeEnd !== '';
  result.words = keyWords(result.key ?? '', rangeEnd);
  return result;
}

/**
 * `create KEY` (it must not exist), `update KEY if mod revision = N`, `delete KEY if mod revision = N`; what an API
 * server sends compares one key and does one thing to it.
 */
function transaction(bytes: Uint8Array, start: number, end: number): EtcdRequest {
  const reader = TXN.open(bytes, start, end);
  const compare: Compare = { key: '', condition: '', absent: false };
  let compares = 0;
  let operations = 0;
  let done: EtcdRequest = request('');
  let verb = '';
  while (reader.next()) {
    if (reader.type !== LENGTH_DELIMITED) continue;
    if (reader.field === 1) {
      compares += 1;
      if (compares === 1) readCompare(bytes, reader.start, reader.end, compare);
    } else if (reader.field === 2) {
      operations += 1;
      if (operations > 1) continue;
      const operation = OPERATION.open(bytes, reader.start, reader.end);
      while (operation.next()) {
        if (operation.type !== LENGTH_DELIMITED) continue;
        verb = OPERATIONS[operation.field] ?? '';
        if (operation.field === 1) done = range(bytes, operation.start, operation.end);
        else if (operation.field === 2) done = put(bytes, operation.start, operation.end);
        else if (operation.field === 3) done = deleteRange(bytes, operation.start, operation.end);
      }
    }
  }
  const key = done.key ?? compare.key;
  const about = done.words === '' ? shownStoreKey(key) : done.words;
  const isCreate = verb === 'update' && compares === 1 && compare.absent && compare.key === key;
  if (verb === 'update' && (isCreate || compares === 0)) verb = isCreate ? 'create' : 'put';
  const of = compare.key === key ? '' : ` of ${shownStoreKey(compare.key)}`;
  const condition = isCreate || compares === 0 ? '' : ` if ${compare.condition.replace('@', of)}`;
  const more = operations > 1 ? ` and ${operations - 1} more` : '';
  const moreCompares = compares > 1 ? ` and ${compares - 1} more` : '';
  if (isCreate) done.changes = 'creates';
  done.key = key === '' ? undefined : key;
  done.words = `${verb === '' ? 'compare' : verb} ${about}${more}${condition}${moreCompares}`;
  return done;
}

interface Compare {
  key: string;
  /** `@` stands where a key other than the operation's is named. */
  condition: string;
  absent: boolean;
}

function readCompare(bytes: Uint8Array, start: number, end: number, into: Compare): void {
  const reader = OPERATION.open(bytes, start, end);
  let result = 0;
  let target = 0;
  let value = '0';
  while (reader.next()) {
    if (reader.field === 3) into.key = textIn(reader);
    else if (reader.type !== VARINT) continue;
    else if (reader.field === 1) result = reader.int32();
    else if (reader.field === 2) target = reader.int32();
    else if (reader.field <= 8) value = String(reader.int64());
  }
  // A value that is compared with is not shown.
  const shown = target === VALUE_TARGET ? '…' : value;
  into.condition = `${TARGETS[target] ?? 'value'}@ ${RESULTS[result] ?? '?'} ${shown}`;
  into.absent = result === 0 && value === '0' && target <= 2;
}

function compact(bytes: Uint8Array): EtcdRequest {
  const reader = OUTER.open(bytes, 0, bytes.length);
  let revision = '0';
  while (reader.next()) if (reader.field === 1 && reader.type === VARINT) revision = String(reader.int64());
  const result = request(`revision ${revision}`);
  result.revision = revision;
  return result;
}

function watch(bytes: Uint8Array): EtcdRequest {
  const reader = TXN.open(bytes, 0, bytes.length);
  let result = request('');
  while (reader.next()) {
    if (reader.type !== LENGTH_DELIMITED) continue;
    if (reader.field === 1) result = watchCreate(bytes, reader.start, reader.end);
    else if (reader.field === 2) result = request(`cancel watch ${firstNumber(bytes, reader.start, reader.end)}`);
    else if (reader.field === 3) result = request('progress?');
  }
  return result;
}

function watchCreate(bytes: Uint8Array, start: number, end: number): EtcdRequest {
  const result = request('');
  const reader = OUTER.open(bytes, start, end);
  let key = '';
  let rangeEnd: string | null = null;
  let from = '';
  while (reader.next()) {
    if (reader.field === 1) key = textIn(reader);
    else if (reader.field === 2) rangeEnd = reader.text();
    else if (reader.field === 3 && reader.type === VARINT) from = ` from revision ${reader.int64()}`;
  }
  result.key = key;
  result.many = rangeEnd !== null && rangeEnd !== '';
  result.words = `create ${keyWords(key, rangeEnd)}${from}`;
  return result;
}

function leaseGrant(bytes: Uint8Array): EtcdRequest {
  const reader = OUTER.open(bytes, 0, bytes.length);
  let ttl = '0';
  let id = '';
  while (reader.next()) {
    if (reader.type !== VARINT) continue;
    if (reader.field === 1) ttl = String(reader.int64());
    else if (reader.field === 2) id = `, lease ${leaseText(reader.int64())}`;
  }
  return request(`${ttl} s${id}`);
}

function firstNumber(bytes: Uint8Array, start: number, end: number): string {
  const reader = OUTER.open(bytes, start, end);
  let value = '0';
  while (reader.next()) if (reader.field === 1 && reader.type === VARINT) value = String(reader.int64());
  return value;
}

function textIn(reader: FieldReader): string {
  return reader.type === LENGTH_DELIMITED ? reader.text() : '';
}

/** `/registry/pods/…` for a prefix; a continued list has the key that it continues from. */
function keyWords(key: string, rangeEnd: string | null): string {
  if (rangeEnd === null || rangeEnd === '') return shownStoreKey(key);
  if (rangeEnd === '\u0000') return `${shownStoreKey(key)}… and all after it`;
  const last = rangeEnd.length - 1;
  const prefix = rangeEnd.slice(0, last) + String.fromCharCode(rangeEnd.charCodeAt(last) - 1);
  if (key === prefix) return `${shownStoreKey(key)}…`;
  const from = shownStoreKey(key.endsWith('\u0000') ? key.slice(0, -1) : key);
  if (!key.startsWith(prefix)) return `${from} to ${shownStoreKey(rangeEnd)}`;
  const shownPrefix = shownStoreKey(prefix);
  return `${shownPrefix}… after ${from.startsWith(shownPrefix) ? from.slice(shownPrefix.length) : from}`;
}

const TARGETS = ['version', 'create revision', 'mod revision', 'value', 'lease'];
const VALUE_TARGET = 3;
const RESULTS = ['=', '>', '<', '!='];
const OPERATIONS: readonly string[] = ['', 'get', 'update', 'delete', 'transaction'];

// One reader a level: a message is read while the one around it is.
const TXN = new FieldReader();
const OPERATION = new FieldReader();
const OUTER = new FieldReader();
