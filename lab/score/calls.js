// Compares what kubeseq gives as the cause of calls to etcd and to webhooks, and as the write behind events, with the truth.
import { append, callKey, count } from './capture.js';

const CHANGES = new Set(['ADDED', 'MODIFIED', 'DELETED']);
/** Port of the webhook's server in the recordings. */
const WEBHOOK_PORT = ':9443';

/** @returns outcomes of all calls, outcomes by method, and the calls that are not right. */
export function scoreEtcd(lines, { rows, exchangeOf, auditIdOf, etcdRequests }) {
  const scored = { counts: {}, methods: {}, wrong: [] };
  for (const line of lines) {
    const method = line.path.split('/').at(-1);
    if (method === 'Watch') continue;
    const call = etcdRequests.get(callKey(line));
    const cause = rows.get(call?.causedBy);
    const outcome = call ? etcdOutcome(line, cause, { exchangeOf, auditIdOf }) : 'call not found';
    count(scored.counts, outcome);
    scored.methods[method] ??= {};
    count(scored.methods[method], outcome);
    if (['other request', 'own: given', 'none'].includes(outcome)) scored.wrong.push({ outcome, line, call, cause });
  }
  return scored;
}

function etcdOutcome({ auditId }, cause, { exchangeOf, auditIdOf }) {
  if (!auditId) return cause ? 'own: given' : 'own: none';
  if (!exchangeOf.has(auditId)) return 'request not in the capture';
  if (!cause) return 'none';
  return cause.protocol === 'kubernetes' && auditIdOf.get(cause.exchange) === auditId ? 'right' : 'other request';
}

/** The truth has the n-th call of a connection. */
export function scoreWebhooks(lines, { rows, auditIdOf }) {
  const scored = { counts: {}, wrong: [] };
  const calls = new Map();
  for (const row of rows.values())
    if (row.kind === 'request' && row.connection?.endsWith(WEBHOOK_PORT)) append(calls, row.connection, row);
  for (const list of calls.values()) list.sort((a, b) => a.seq - b.seq);
  for (const line of lines) {
    const call = calls.get(line.connection)?.[line.nth - 1];
    const cause = rows.get(call?.causedBy);
    const isRight = cause !== undefined && auditIdOf.get(cause.exchange) === line.auditId;
    const outcome = !call ? 'call not found' : isRight ? 'right' : cause ? 'other request' : 'none';
    count(scored.counts, outcome);
    if (outcome !== 'right') scored.wrong.push({ outcome, line, call, cause });
  }
  return scored;
}

/** @returns how often the write behind an event of a watch is given; a first list's events follow from no write. */
export function scoreEvents({ rows, events, writesOf }) {
  const counts = {};
  for (const event of [...events.values()].flat()) {
    if (event.initial || !CHANGES.has(event.type)) continue;
    const cause = rows.get(event.causedBy);
    const writes = writesOf(event.object.uid, event.object.resourceVersion);
    const isOwnWatch = cause === undefined || cause.exchange === event.exchange;
    count(counts, eventOutcome(writes, cause, isOwnWatch));
  }
  return counts;
}

function eventOutcome(writes, cause, isOwnWatch) {
  if (writes.length > 1)
    return cause ? 'several answers with that version' : 'several answers with that version: none given';
  if (writes.length === 0) return isOwnWatch ? 'no such write: none' : 'no such write: given';
  if (cause?.exchange === writes[0]) return 'right';
  return isOwnWatch ? 'only its own watch' : 'other write';
}

/** @returns how many requests the audit log has, and those that kubeseq did not find. */
export function scoreAudit(lines, { exchangeOf }) {
  const byId = new Map(lines.map((line) => [line.auditID, line]));
  const missed = [...byId].filter(([auditId]) => !exchangeOf.has(auditId)).map(([, line]) => line);
  return { requests: byId.size, missed };
}
