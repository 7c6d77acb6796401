// Reads a message from the columns of a row group, which may hold anything: a value that is not of its field's type is left out.

import { readOwners, readRow as readRowInfo } from '../../kubernetes/messages/field-values.js';
import { FIELDS } from '../../kubernetes/messages/fields.js';
import type { Cause, ObjectField } from '../../kubernetes/messages/message.js';
import { copiesOf, isConnection, isCount, patchOf, readHow, readKind, readProtocol, viaOf } from '../message-fields.js';
import { NO_FRAMES, NOTHING, type SavedFields } from '../saved-fields.js';

/** ColumnValues of one column by row; a column that is not needed, or that the file does not have, is empty. */
type ColumnValues = ArrayLike<unknown>;

const NO_VALUES: ColumnValues = [];

/** The columns of a row group by name. A class, so that each access names its column: names in variables would take much longer. */
export class RowGroupColumns {
  seq = NO_VALUES;
  time = NO_VALUES;
  started = NO_VALUES;
  kind = NO_VALUES;
  protocol = NO_VALUES;
  from = NO_VALUES;
  fromId = NO_VALUES;
  to = NO_VALUES;
  toId = NO_VALUES;
  label = NO_VALUES;
  exchange = NO_VALUES;
  connection = NO_VALUES;
  stream = NO_VALUES;
  firstFrame = NO_VALUES;
  lastFrame = NO_VALUES;
  capture = NO_VALUES;
  lastCapture = NO_VALUES;
  complete = NO_VALUES;
  inferred = NO_VALUES;
  causedBy = NO_VALUES;
  causeHow = NO_VALUES;
  causeCertain = NO_VALUES;
  causeOthers = NO_VALUES;
  method = NO_VALUES;
  target = NO_VALUES;
  userAgent = NO_VALUES;
  verb = NO_VALUES;
  apiGroup = NO_VALUES;
  apiVersion = NO_VALUES;
  resource = NO_VALUES;
  subresource = NO_VALUES;
  namespace = NO_VALUES;
  name = NO_VALUES;
  user = NO_VALUES;
  userFrom = NO_VALUES;
  traceparent = NO_VALUES;
  status = NO_VALUES;
  reason = NO_VALUES;
  statusMessage = NO_VALUES;
  auditId = NO_VALUES;
  latencyMs = NO_VALUES;
  objectKind = NO_VALUES;
  objectApiVersion = NO_VALUES;
  objectNamespace = NO_VALUES;
  objectName = NO_VALUES;
  objectUid = NO_VALUES;
  objectResourceVersion = NO_VALUES;
  objectGeneration = NO_VALUES;
  objectDeletionTimestamp = NO_VALUES;
  objectOwners = NO_VALUES;
  objectItems = NO_VALUES;
  objectRows = NO_VALUES;
  objectRow = NO_VALUES;
  type = NO_VALUES;
  initial = NO_VALUES;
  k8sEvent = NO_VALUES;
  claims = NO_VALUES;
  missing = NO_VALUES;
  dryRun = NO_VALUES;
  warnings = NO_VALUES;
  problems = NO_VALUES;
  appliedFor = NO_VALUES;
  release = NO_VALUES;
  patch = NO_VALUES;
  service = NO_VALUES;
  rpcMethod = NO_VALUES;
  grpcStatus = NO_VALUES;
  key = NO_VALUES;
  revision = NO_VALUES;
  succeeded = NO_VALUES;
  podSandboxId = NO_VALUES;
  containerId = NO_VALUES;
  image = NO_VALUES;
  channel = NO_VALUES;
  bytes = NO_VALUES;
  exitCode = NO_VALUES;
  via = NO_VALUES;
  viaIds = NO_VALUES;
  translated = NO_VALUES;
  headers = NO_VALUES;
  body = NO_VALUES;
}

/** What the numbers of captures in a table mean. */
export interface TableCaptures {
  /** Name of a capture; null: the file has only one. */
  name(capture: unknown): string | null;
  /** Digits of a second's fraction that a capture has. */
  digits(capture: unknown): 6 | 9;
}

/**
 * Fills `into` with the message of a row.
 * @returns false where the row is no message.
 */
export function readRow(columns: RowGroupColumns, row: number, captures: TableCaptures, into: SavedFields): boolean {
  if (!readBasics(columns, row, captures, into)) return false;
  readPlace(columns, row, captures, into);
  readRequest(columns, row, into);
  readOptional(columns, row, into);
  return true;
}

function readBasics(columns: RowGroupColumns, row: number, captures: TableCaptures, into: SavedFields): boolean {
  const kind = readKind(columns.kind[row]);
  const protocol = readProtocol(columns.protocol[row]);
  const time = columns.time[row];
  const started = columns.started[row];
  const seq = columns.seq[row];
  const exchange = columns.exchange[row];
  const from = columns.from[row];
  const to = columns.to[row];
  const label = columns.label === NO_VALUES ? '' : columns.label[row];
  const connection = columns.connection[row];
  if (kind === undefined || protocol === undefined || typeof time !== 'bigint') return false;
  if (!isCount(seq) || !isCount(exchange) || typeof from !== 'string' || typeof to !== 'string') return false;
  if (from === '' || to === '' || typeof label !== 'string') return false;
  if (typeof connection !== 'string' || !isConnection(connection)) return false;
  into.seq = seq;
  into.time = time;
  into.started = typeof started === 'bigint' ? started : time;
  into.digits = captures.digits(columns.capture[row]);
  into.kind = kind;
  into.protocol = protocol;
  into.from = from;
  into.to = to;
  into.label = label;
  into.exchange = exchange;
  into.connection = connection;
  const stream = columns.stream[row];
  into.stream = isCount(stream) ? stream : null;
  const first = columns.firstFrame[row];
  const last = columns.lastFrame[row];
  into.frames = isCount(first) && isCount(last) ? [first, last] : NO_FRAMES;
  into.complete = columns.complete[row] === true;
  return true;
}

function readPlace(columns: RowGroupColumns, row: number, captures: TableCaptures, into: SavedFields): void {
  const viaIds = columns.viaIds[row];
  const lastCapture = columns.lastCapture[row];
  const causedBy = columns.causedBy[row];
  into.fromId = columns.fromId[row];
  into.toId = columns.toId[row];
  into.viaIds = Array.isArray(viaIds) ? viaIds : NOTHING;
  into.capture = captures.name(columns.capture[row]);
  into.lastCapture = lastCapture == null ? undefined : (captures.name(lastCapture) ?? undefined);
  into.causedBy = isCount(causedBy) ? causedBy : undefined;
  into.cause = causeIn(columns, row, into.causedBy);
  into.via = viaOf(columns.via[row]);
  into.translated = copiesOf(columns.translated[row]);
  into.patch = patchOf(columns.patch[row]);
  into.headers = jsonIn(columns.headers[row]);
  into.body = jsonIn(columns.body[row]);
}

function readRequest(columns: RowGroupColumns, row: number, into: SavedFields): void {
  into.method = textIn(columns.method[row]);
  into.target = textIn(columns.target[row]);
  into.userAgent = textIn(columns.userAgent[row]);
  into.verb = textIn(columns.verb[row]);
  into.apiGroup = textIn(columns.apiGroup[row]);
  into.apiVersion = textIn(columns.apiVersion[row]);
  into.resource = textIn(columns.resource[row]);
  into.subresource = textIn(columns.subresource[row]);
  into.namespace = textIn(columns.namespace[row]);
  into.name = textIn(columns.name[row]);
  into.user = textIn(columns.user[row]);
  into.userFrom = FIELDS.userFrom.read(columns.userFrom[row]);
  into.traceparent = textIn(columns.traceparent[row]);
  into.dryRun = flagIn(columns.dryRun[row]);
}

function readOptional(columns: RowGroupColumns, row: number, into: SavedFields): void {
  const method = columns.rpcMethod[row];
  into.inferred = FIELDS.claims.read(columns.inferred[row]);
  into.status = numberIn(columns.status[row]);
  into.latencyMs = numberIn(columns.latencyMs[row]);
  into.reason = textIn(columns.reason[row]);
  into.object = objectIn(columns, row);
  into.type = FIELDS.type.read(columns.type[row]);
  into.initial = flagIn(columns.initial[row]);
  into.k8sEvent = FIELDS.k8sEvent.read(columns.k8sEvent[row]);
  into.claims = FIELDS.claims.read(columns.claims[row]);
  into.missing = FIELDS.missing.read(columns.missing[row]);
  into.warnings = FIELDS.warnings.read(columns.warnings[row]);
  into.problems = FIELDS.problems.read(columns.problems[row]);
  into.appliedFor = FIELDS.appliedFor.read(columns.appliedFor[row]);
  into.release = FIELDS.release.read(columns.release[row]);
  into.statusMessage = textIn(columns.statusMessage[row]);
  into.auditId = textIn(columns.auditId[row]);
  into.service = textIn(columns.service[row]);
  into.rpcMethod = method === '' ? null : textIn(method);
  into.grpcStatus = numberIn(columns.grpcStatus[row]);
  into.key = textIn(columns.key[row]);
  into.revision = textIn(columns.revision[row]);
  into.succeeded = flagIn(columns.succeeded[row]);
  into.podSandboxId = textIn(columns.podSandboxId[row]);
  into.containerId = textIn(columns.containerId[row]);
  into.image = textIn(columns.image[row]);
  into.channel = FIELDS.channel.read(columns.channel[row]);
  into.bytes = numberIn(columns.bytes[row]);
  into.exitCode = numberIn(columns.exitCode[row]);
}

function causeIn(columns: RowGroupColumns, row: number, seq: number | undefined): Cause | undefined {
  const how = readHow(columns.causeHow[row]);
  if (how === undefined || seq === undefined) return undefined;
  const others = columns.causeOthers[row];
  const given = Array.isArray(others) ? others.filter((one) => Number.isSafeInteger(one)) : NOTHING;
  const cause = { seq, how, certain: columns.causeCertain[row] === true };
  return given.length === 0 ? cause : { ...cause, others: given as number[] };
}

/** Lists have no name, and of any other object null is what it does not have. */
function objectIn(columns: RowGroupColumns, row: number): ObjectField | undefined {
  const kind = columns.objectKind[row];
  if (typeof kind !== 'string') return undefined;
  const apiVersion = textIn(columns.objectApiVersion[row]);
  const resourceVersion = textIn(columns.objectResourceVersion[row]) ?? null;
  const items = numberIn(columns.objectItems[row]);
  if (items !== undefined)
    return apiVersion === undefined ? { kind, items, resourceVersion } : { kind, apiVersion, items, resourceVersion };
  const given = columns.objectOwners[row];
  return {
    kind,
    apiVersion,
    namespace: textIn(columns.objectNamespace[row]) ?? null,
    name: textIn(columns.objectName[row]) ?? null,
    uid: textIn(columns.objectUid[row]) ?? null,
    resourceVersion,
    generation: numberIn(columns.objectGeneration[row]),
    deletionTimestamp: textIn(columns.objectDeletionTimestamp[row]),
    owners: given === null || given === undefined ? undefined : readOwners(given),
    rows: numberIn(columns.objectRows[row]),
    row: readRowInfo(columns.objectRow[row]),
  };
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function numberIn(value: unknown): number | undefined {
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function flagIn(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

/** undefined: it is none, as in a file that another program wrote. */
function jsonIn(text: unknown): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
