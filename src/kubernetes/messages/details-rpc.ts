// Decodes the bodies of etcd and CRI calls by their field tables, and the Kubernetes objects that etcd holds as values. Bytes that no
// field names are not shown.

import { text } from '../../core/bytes/bytes.js';
import { decode, type ProtoObject, type ProtoValue } from '../../protobuf/decode.js';
import type { Redaction, ShownValue } from '../../redaction/redaction.js';
import { decodeBody } from '../objects/decode-body.js';
import { callTable } from './details-context.js';
import { bytesMarker } from './details-types.js';

/**
 * @param target of the call: `/etcdserverpb.KV/Txn`.
 * @param isRequest which of the method's two messages it is.
 * @returns undefined where the target is no call that is known; null where the message could not be decoded.
 */
export function rpcBody(
  target: string | null | undefined,
  isRequest: boolean,
  bytes: Uint8Array,
  redaction: Redaction,
): ShownValue | undefined {
  const path = CALL.exec(target ?? '');
  const table = path === null ? undefined : callTable(path[1]);
  const method = path === null ? undefined : table?.method(path[1], path[2]);
  if (table === undefined || method === undefined) return undefined;
  const message = isRequest ? method.request : method.response;
  const { value, fault } = decode(table, message, bytes);
  if (fault === 'unknown-message' || fault === 'malformed') return null;
  return redaction.object(plainObject(value, '', redaction), { message }) ?? null;
}

/** @param key under which etcd keeps the values beside it. */
function plainObject(message: ProtoObject, key: string, redaction: Redaction): object {
  const own = message['key'] instanceof Uint8Array ? keyText(message['key']) : undefined;
  const entries = Object.entries(message).map(([name, value]): [string, unknown] => [
    name,
    plain(name, value, own ?? key, redaction),
  ]);
  return Object.fromEntries(entries);
}

function plain(name: string, value: ProtoValue, key: string, redaction: Redaction): unknown {
  if (value instanceof Uint8Array) return bytesField(name, value, key, redaction);
  if (Array.isArray(value)) return value.map((one) => plain(name, one, key, redaction));
  if (typeof value === 'object') return plainObject(value, key, redaction);
  return typeof value === 'number' && !Number.isFinite(value) ? null : value;
}

function bytesField(name: string, bytes: Uint8Array, key: string, redaction: Redaction): unknown {
  if (KEY_FIELDS.has(name)) return keyText(bytes) || bytesMarker(bytes.length);
  if (name !== 'value') return bytesMarker(bytes.length);
  // An object in Kubernetes' envelope or as JSON; encrypted values begin with `k8s:enc:` and are neither.
  const object = decodeBody(bytes, '');
  if (typeof object !== 'object' || object === null) return bytesMarker(bytes.length);
  const resource = STORED.exec(key)?.[1];
  return (
    redaction.object(object, { resource, application: resource === undefined ? 'objects' : undefined }) ??
    bytesMarker(bytes.length)
  );
}

/** Empty where the bytes are no text. */
function keyText(bytes: Uint8Array): string {
  const key = text(bytes);
  return NO_TEXT.test(key) ? '' : key;
}

const CALL = /^\/([\w.]+)\/(\w+)$/;
const KEY_FIELDS = new Set(['key', 'range_end', 'keys']);
/** `/registry/pods/default/nginx`, `/registry/apps.example.com/things/…` (k8s.io/apiserver storage keys). */
const STORED = /^\/registry\/(?:[^/]+\.[^/]+\/)?([^/]+)\//;
const NO_TEXT = /[\u0000-\u001f\u007f\ufffd]/;
