// Indexes the messages that kubeseq read from a recording, as the score looks them up.
import { versionKey } from './truth.js';

const WRITES = new Set(['create', 'update', 'patch', 'delete', 'apply']);

/** @returns rows by `seq`, requests by exchange, exchanges by audit id, events by version, writes by version and revision. */
export function indexMessages(messages, etcdLines) {
  const capture = {
    rows: new Map(messages.map((row) => [row.seq, row])),
    requests: new Map(),
    exchangeOf: new Map(),
    auditIdOf: new Map(),
    events: new Map(),
    etcdRequests: new Map(),
  };
  for (const row of messages) {
    if (row.protocol === 'etcd' && row.kind === 'request') capture.etcdRequests.set(callKey(row), row);
    if (row.protocol !== 'kubernetes') continue;
    if (row.kind === 'request') capture.requests.set(row.exchange, row);
    else if (row.kind === 'response' && row.auditId) capture.exchangeOf.set(row.auditId, row.exchange);
    else if (row.kind === 'event' && row.object)
      append(capture.events, versionKey(row.object.uid, row.object.resourceVersion), row);
  }
  for (const [auditId, exchange] of capture.exchangeOf) capture.auditIdOf.set(exchange, auditId);
  const byVersion = writesByVersion(messages, capture.requests);
  const byRevision = writesByRevision(messages, capture, etcdLines);
  /** Exchanges of the writes that made a version. */
  capture.writesOf = (uid, version) => {
    const writes = byVersion.get(versionKey(uid, version));
    if (writes !== undefined) return writes;
    const write = byRevision.get(version ?? null);
    return write === undefined ? [] : [write];
  };
  return capture;
}

/** The write behind a version is the one whose response has the object with that version. */
function writesByVersion(messages, requests) {
  const writes = new Map();
  for (const { protocol, kind, exchange, status, object } of messages) {
    if (protocol !== 'kubernetes' || kind !== 'response' || (status || 0) >= 300) continue;
    if (!WRITES.has(requests.get(exchange)?.verb)) continue;
    if (object?.uid && object.resourceVersion) append(writes, versionKey(object.uid, object.resourceVersion), exchange);
  }
  return writes;
}

/** A binding or deletion responds without the object: etcd's revision and the trace of the call to etcd lead to it. */
function writesByRevision(messages, { etcdRequests, exchangeOf }, etcdLines) {
  const responses = new Map(
    messages.filter((row) => row.protocol === 'etcd' && row.kind === 'response').map((row) => [row.exchange, row]),
  );
  const writes = new Map();
  for (const line of etcdLines) {
    if (!line.path.endsWith('/Txn')) continue;
    const response = responses.get(etcdRequests.get(callKey(line))?.exchange);
    if (response?.succeeded && response.revision && exchangeOf.has(line.auditId))
      writes.set(String(response.revision), exchangeOf.get(line.auditId));
  }
  return writes;
}

/** @returns a key of a call on a connection with HTTP/2. */
export function callKey({ connection, stream }) {
  return `${connection} ${stream ?? null}`;
}

export function append(map, key, value) {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

export function count(counts, key, by = 1) {
  counts[key] = (counts[key] ?? 0) + by;
}
