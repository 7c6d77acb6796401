// Reads the fields of a line after its frames, which depend on what the message is.

import { readNames } from '../kubernetes/messages/field-values.js';
import { FIELD_ROWS, FIELDS, type FieldName } from '../kubernetes/messages/fields.js';
import { asciiBytes } from '../render/messages/line-buffer.js';
import type { LineCursor } from './line-cursor.js';
import { type MemberRow, readMembers, rowsOf } from './members.js';
import { copiesOf, patchOf, readHow, viaOf } from './message-fields.js';
import { readObjectField } from './object-members.js';
import type { SavedFields } from './saved-fields.js';

/** @returns false where one is not of the usual form. */
export function readLaterFields(cursor: LineCursor, into: SavedFields): boolean {
  return readMembers(FIELD_MEMBERS, cursor, into);
}

function readCause(cursor: LineCursor, into: SavedFields): boolean {
  if (!cursor.skips(K_CAUSE_SEQ)) return false;
  const seq = cursor.count();
  if (seq === 0 || seq !== into.causedBy || !cursor.skips(K_HOW)) return false;
  const how = readHow(cursor.text());
  if (how === undefined || !cursor.skips(K_CERTAIN)) return false;
  const certain = cursor.flag();
  if (certain === undefined) return false;
  if (cursor.skipsByte(CLOSE_BRACE)) {
    into.cause = { seq, how, certain };
    return true;
  }
  if (!cursor.skips(K_OTHERS)) return false;
  const others: number[] = [];
  do {
    const other = cursor.count();
    if (other === 0) return false;
    others.push(other);
  } while (cursor.skipsByte(COMMA));
  into.cause = { seq, how, certain, others };
  return cursor.skips(K_END_OF_OTHERS);
}

/** Fields that are on a line after the frames, in its order. */
type LaterField = Exclude<
  FieldName,
  | 'seq'
  | 'time'
  | 'started'
  | 'kind'
  | 'protocol'
  | 'from'
  | 'to'
  | 'label'
  | 'exchange'
  | 'connection'
  | 'stream'
  | 'frames'
>;

// A value of a wrong type is undefined, and JSON.parse decides what the line is.
const READERS: Readonly<Record<LaterField, MemberRow<SavedFields>['read']>> = {
  capture: (cursor, into) => {
    into.capture = cursor.text() ?? null;
  },
  lastCapture: (cursor, into) => {
    into.lastCapture = cursor.text();
  },
  complete: (cursor, into) => {
    into.complete = cursor.flag() === true;
  },
  inferred: (cursor, into) => {
    into.inferred = readNames(cursor.value());
  },
  causedBy: (cursor, into) => {
    into.causedBy = cursor.count();
    if (into.causedBy === 0) cursor.failed = true;
  },
  cause: (cursor, into) => {
    if (!readCause(cursor, into)) cursor.failed = true;
  },
  method: (cursor, into) => {
    into.method = cursor.text();
  },
  target: (cursor, into) => {
    into.target = cursor.text();
  },
  userAgent: (cursor, into) => {
    into.userAgent = cursor.text();
  },
  verb: (cursor, into) => {
    into.verb = cursor.text();
  },
  apiGroup: (cursor, into) => {
    into.apiGroup = cursor.text();
  },
  apiVersion: (cursor, into) => {
    into.apiVersion = cursor.text();
  },
  resource: (cursor, into) => {
    into.resource = cursor.text();
  },
  subresource: (cursor, into) => {
    into.subresource = cursor.text();
  },
  namespace: (cursor, into) => {
    into.namespace = cursor.text();
  },
  name: (cursor, into) => {
    into.name = cursor.text();
  },
  user: (cursor, into) => {
    into.user = cursor.text();
  },
  userFrom: (cursor, into) => {
    into.userFrom = FIELDS.userFrom.read(cursor.value());
  },
  traceparent: (cursor, into) => {
    into.traceparent = cursor.newText();
  },
  status: (cursor, into) => {
    into.status = cursor.number();
  },
  reason: (cursor, into) => {
    into.reason = cursor.text();
  },
  statusMessage: (cursor, into) => {
    into.statusMessage = cursor.text();
  },
  auditId: (cursor, into) => {
    into.auditId = cursor.newText();
  },
  authorization: (cursor, into) => {
    into.authorization = cursor.text();
  },
  latencyMs: (cursor, into) => {
    into.latencyMs = cursor.number();
  },
  object: (cursor, into) => {
    if (!readObjectField(cursor, into)) cursor.failed = true;
  },
  type: (cursor, into) => {
    into.type = cursor.text();
  },
  initial: (cursor, into) => {
    into.initial = cursor.flag();
  },
  k8sEvent: (cursor, into) => {
    into.k8sEvent = FIELDS.k8sEvent.read(cursor.value());
  },
  claims: (cursor, into) => {
    into.claims = FIELDS.claims.read(cursor.value());
  },
  missing: (cursor, into) => {
    into.missing = FIELDS.missing.read(cursor.value());
  },
  dryRun: (cursor, into) => {
    into.dryRun = cursor.flag();
  },
  warnings: (cursor, into) => {
    into.warnings = FIELDS.warnings.read(cursor.value());
  },
  problems: (cursor, into) => {
    into.problems = FIELDS.problems.read(cursor.value());
  },
  appliedFor: (cursor, into) => {
    into.appliedFor = FIELDS.appliedFor.read(cursor.value());
  },
  release: (cursor, into) => {
    into.release = FIELDS.release.read(cursor.value());
  },
  verdict: (cursor, into) => {
    into.verdict = FIELDS.verdict.read(cursor.value());
  },
  patch: (cursor, into) => {
    into.patch = patchOf(cursor.value());
  },
  service: (cursor, into) => {
    into.service = cursor.text();
  },
  rpcMethod: (cursor, into) => {
    into.rpcMethod = cursor.textOrNull();
  },
  grpcStatus: (cursor, into) => {
    into.grpcStatus = cursor.number();
  },
  key: (cursor, into) => {
    into.key = cursor.text();
  },
  revision: (cursor, into) => {
    into.revision = cursor.newText();
  },
  succeeded: (cursor, into) => {
    into.succeeded = cursor.flag();
  },
  podSandboxId: (cursor, into) => {
    into.podSandboxId = cursor.text();
  },
  containerId: (cursor, into) => {
    into.containerId = cursor.text();
  },
  image: (cursor, into) => {
    into.image = cursor.text();
  },
  channel: (cursor, into) => {
    into.channel = cursor.text();
  },
  bytes: (cursor, into) => {
    into.bytes = cursor.number();
  },
  exitCode: (cursor, into) => {
    into.exitCode = cursor.number();
  },
  via: (cursor, into) => {
    into.via = viaOf(cursor.value());
  },
  translated: (cursor, into) => {
    into.translated = copiesOf(cursor.value());
  },
};
const FIELD_MEMBERS = rowsOf<SavedFields>(
  FIELD_ROWS.flatMap(([name]) => (name in READERS ? [[name, READERS[name as LaterField]] as const] : [])),
);

const COMMA = 0x2c;
const CLOSE_BRACE = 0x7d;
const K_CAUSE_SEQ = asciiBytes('{"seq":');
const K_HOW = asciiBytes(',"how":');
const K_CERTAIN = asciiBytes(',"certain":');
const K_OTHERS = asciiBytes(',"others":[');
const K_END_OF_OTHERS = asciiBytes(']}');
