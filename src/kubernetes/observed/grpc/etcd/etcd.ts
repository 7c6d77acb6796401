// Reads the calls of etcd: keys, revisions, and the identity of the Kubernetes objects in values.

import { counted } from '../../../../core/quantity.js';
import { etcdTable } from '../../../../protobuf/tables.js';
import { shownStoreKey } from '../../../../redaction/names.js';
import { objectField } from '../../../objects/object-info.js';
import { carriedObject } from '../../../objects/object-meta.js';
import { type FamilyCall, payload, type RpcFamily, type RpcPayload } from '../payload.js';
import { etcdRequestOf, leaseText } from './etcd-request.js';
import {
  type EtcdResponse,
  etcdResponseOf,
  etcdWatchResponseOf,
  type KeyChange,
  type KeyValue,
} from './etcd-response.js';
import { storedAs } from './keys.js';

export const ETCD: RpcFamily = { table: etcdTable, readRequest, readResponse, readStreamed };

/** A request, until its answer has the revision. */
interface EtcdCallRequest {
  /** Its only key. */
  readonly key: string | undefined;
  /** Object that it puts under its key. */
  readonly put: RpcPayload | null;
  readonly many: boolean;
}

function readRequest(call: FamilyCall, bytes: Uint8Array): RpcPayload {
  const { words, key, many, value, revision, changes } = etcdRequestOf(call.method, bytes);
  const what = payload(words);
  what.revision = revision;
  what.changes = changes;
  if (key !== undefined) about(what, key);
  if (value !== null && value.length > 0) {
    hold(what, value, undefined);
    if (isEncrypted(value)) what.words += ' (encrypted)';
  }
  const request: EtcdCallRequest = { key: many ? undefined : key, put: value === null ? null : what, many };
  call.memory = request;
  return what;
}

function readResponse(call: FamilyCall, bytes: Uint8Array): RpcPayload {
  const answer = etcdResponseOf(call.method, bytes);
  const request = (call.memory ?? null) as EtcdCallRequest | null;
  const what = payload('');
  what.key = request?.key;
  what.revision = answer.revision;
  what.succeeded = answer.succeeded;
  what.words = (answer.revision === undefined ? '' : `, revision ${answer.revision}`) + outcome(call, answer, request);
  const put = request?.put;
  if (put?.object !== undefined && answer.succeeded !== false) {
    // Stored objects have no version: it is the revision of their write.
    what.object = { ...put.object, resourceVersion: answer.revision ?? null };
  } else if (answer.only?.value != null && request?.many !== true) {
    what.key = answer.only.key;
    hold(what, answer.only.value, answer.only.modRevision);
  }
  return what;
}

function outcome({ method }: FamilyCall, answer: EtcdResponse, request: EtcdCallRequest | null): string {
  const { count } = answer;
  if (method === 'Txn') return answer.succeeded === true ? '' : ' (compare failed)';
  if (method === 'LeaseGrant') return answer.lease === undefined ? '' : `, lease ${leaseText(answer.lease)}`;
  if (method === 'DeleteRange') return ` (${keys(count ?? 0)} deleted)`;
  if (method !== 'Range' || request === null || count === undefined) return '';
  if (request.many) return ` (${keys(count)})`;
  return count === 0 ? ' (no such key)' : '';
}

function keys(count: number): string {
  return counted(count, 'key');
}

function readStreamed(call: FamilyCall, bytes: Uint8Array): readonly RpcPayload[] {
  if (call.method === 'RangeStream') return [partOf(etcdResponseOf(call.method, bytes))];
  if (call.method !== 'Watch') {
    const { revision, lease } = etcdResponseOf(call.method, bytes);
    const what = payload(lease === undefined ? '' : `lease ${leaseText(lease)}`);
    what.revision = revision;
    return [what];
  }
  const response = etcdWatchResponseOf(bytes);
  if (response.changes.length > 0) return response.changes.map(changed);
  const what = payload(`progress, revision ${response.revision ?? '?'}`);
  if (response.created) what.words = `watch ${response.watchId} created`;
  if (response.canceled) {
    const compacted = response.compactRevision === '0' ? '' : `: compacted up to revision ${response.compactRevision}`;
    what.words = `watch ${response.watchId} canceled${compacted}`;
  }
  what.revision = response.revision;
  return [what];
}

/** `12 keys`; of the last piece `3 keys, revision 42 (15 in all)`. */
function partOf({ returned, revision, count }: EtcdResponse): RpcPayload {
  const all = revision === undefined ? '' : `, revision ${revision} (${count ?? 0} in all)`;
  const what = payload(`${keys(returned)}${all}`);
  what.revision = revision;
  return what;
}

function changed({ type, kv, previous }: KeyChange): RpcPayload {
  const what = payload(`${type} ${shownStoreKey(kv.key)}`, 'event');
  what.type = type;
  what.revision = kv.modRevision;
  about(what, kv.key);
  // A deletion has only its key and its revision; the object is in the previous pair.
  const value = kv.value ?? previous?.value;
  if (value != null) {
    hold(what, value, kv.modRevision);
    if (isEncrypted(value)) what.words += ' (encrypted)';
  }
  return what;
}

function about(what: RpcPayload, key: string): void {
  what.key = key;
  const stored = storedAs(key);
  if (stored === null) return;
  what.apiGroup = stored.apiGroup;
  what.resource = stored.resource;
  what.namespace = stored.namespace;
  what.name = stored.name;
}

function hold(what: RpcPayload, value: Uint8Array, version: KeyValue['modRevision'] | undefined): void {
  const carried = carriedObject(value, '');
  if (carried === null) return;
  what.object = { ...objectField(carried.info), resourceVersion: version ?? null };
  what.k8sEvent = carried.k8sEvent;
}

/** Encryption at rest (k8s.io/apiserver/pkg/storage/value): `k8s:enc:aescbc:v1:key1:…`. */
function isEncrypted(value: Uint8Array): boolean {
  for (let i = 0; i < ENCRYPTED.length; i++) if (value[i] !== ENCRYPTED.charCodeAt(i)) return false;
  return true;
}

const ENCRYPTED = 'k8s:enc:';
