// Reads a message's fields from the bytes of a line in exactly the form in which this project writes lines (render/messages), without
// parsing its head and body. Any other line is left to JSON.parse, which is slow beside it.

import { readNames, readOwners, readRow } from '../kubernetes/messages/field-values.js';
import { FIELD_ROWS, FIELDS, type FieldName } from '../kubernetes/messages/fields.js';
import type { ObjectField } from '../kubernetes/messages/message.js';
import { asciiBytes } from '../render/messages/line-buffer.js';
import { JsonCursor } from './json-cursor.js';
import { copiesOf, isConnection, patchOf, readHow, readKind, readProtocol, viaOf } from './message-fields.js';
import type { SavedFields } from './saved-fields.js';
import { TimeReader } from './saved-time.js';

export class LineParser {
  readonly #cursor = new JsonCursor();
  readonly #bodies: boolean;

  /** @param bodies keep heads and bodies. */
  constructor(bodies: boolean) {
    this.#bodies = bodies;
  }

  /**
   * @param bytes borrowed; a line feed stands behind the line, which begins at `start`.
   * @param into takes the fields.
   * @returns false where the line is not of that form: what it holds is not known, and `into` is of no use.
   */
  parse(bytes: Uint8Array, start: number, end: number, into: SavedFields): boolean {
    const cursor = this.#cursor;
    cursor.begin(bytes, start);
    if (!readBasics(cursor, into)) return false;
    into.clear();
    return readOptional(cursor, into) && this.#readRest(into) && cursor.at === end;
  }

  /** What an export has besides. */
  #readRest(into: SavedFields): boolean {
    const cursor = this.#cursor;
    if (cursor.skips(K_PARTICIPANTS) && !readIds(cursor, into)) return false;
    if (cursor.skips(K_HEADERS)) {
      if (this.#bodies) into.headers = cursor.value();
      if (this.#bodies ? into.headers === undefined : !cursor.skipsValue()) return false;
    }
    if (cursor.skips(K_BODY)) {
      if (this.#bodies) into.body = cursor.value();
      if (this.#bodies ? into.body === undefined : !cursor.skipsValue()) return false;
    }
    return cursor.skipsByte(CLOSE_BRACE);
  }
}

/** What every message has, up to its frames. */
function readBasics(cursor: JsonCursor, into: SavedFields): boolean {
  if (!cursor.skips(K_SEQ)) return false;
  into.seq = cursor.count();
  if (into.seq === 0 || !cursor.skips(K_TIME)) return false;
  const time = TIME.read(cursor);
  if (time === null) return false;
  into.time = time;
  into.digits = cursor.digits;
  into.started = time;
  if (cursor.skips(K_STARTED)) {
    const started = TIME.read(cursor);
    if (started === null) return false;
    into.started = started;
  }
  if (!cursor.skips(K_KIND)) return false;
  const kind = readKind(cursor.text());
  if (kind === undefined || !cursor.skips(K_PROTOCOL)) return false;
  const protocol = readProtocol(cursor.text());
  if (protocol === undefined || !cursor.skips(K_FROM)) return false;
  const from = cursor.text() ?? '';
  if (from === '' || !cursor.skips(K_TO)) return false;
  const to = cursor.text() ?? '';
  if (to === '' || !cursor.skips(K_LABEL)) return false;
  const label = cursor.text();
  if (label === undefined || !cursor.skips(K_EXCHANGE)) return false;
  into.kind = kind;
  into.protocol = protocol;
  into.from = from;
  into.to = to;
  into.label = label;
  into.exchange = cursor.count();
  if (into.exchange === 0 || !cursor.skips(K_CONNECTION)) return false;
  const connection = cursor.text();
  if (connection === undefined || !isConnection(connection) || !cursor.skips(K_STREAM)) return false;
  into.connection = connection;
  into.stream = cursor.skips(K_NULL) ? null : cursor.count();
  if (into.stream === 0 || !cursor.skips(K_FRAMES)) return false;
  const first = cursor.count();
  if (first === 0 || !cursor.skipsByte(COMMA)) return false;
  const last = cursor.count();
  into.frames = [first, last];
  return last !== 0 && cursor.skipsByte(CLOSE_BRACKET);
}

/** Ids of the participants. */
function readIds(cursor: JsonCursor, into: SavedFields): boolean {
  const from = cursor.count();
  if (from === 0 || !cursor.skipsByte(COMMA)) return false;
  const to = cursor.count();
  if (to === 0) return false;
  into.fromId = from;
  into.toId = to;
  if (cursor.skipsByte(CLOSE_BRACKET)) return true;
  const ids: number[] = [];
  while (cursor.skipsByte(COMMA)) {
    const id = cursor.count();
    if (id === 0) return false;
    ids.push(id);
  }
  into.viaIds = ids;
  return cursor.skipsByte(CLOSE_BRACKET);
}

/** A member of an object. Members stand in the order of their rows, so that none can come twice. */
interface MemberRow<Into> {
  /** `,"name":` */
  readonly key: Uint8Array;
  readonly read: (cursor: JsonCursor, into: Into) => void;
  /** Index of the row that followed it on the last line: most lines are like others before them. */
  next: number;
}

type Rows<Into> = readonly MemberRow<Into>[];

function rowsOf<Into>(readers: readonly (readonly [string, MemberRow<Into>['read']])[]): Rows<Into> {
  return readers.map(([name, read], index) => ({ key: asciiBytes(`,"${name}":`), read, next: index + 1 }));
}

/** Reads the members that are there. @returns false where one is not of the usual form. */
function readMembers<Into>(rows: Rows<Into>, cursor: JsonCursor, into: Into): boolean {
  let next = 0;
  let last: MemberRow<Into> | null = null;
  for (;;) {
    const index: number = last === null ? indexOf(rows, 0, cursor) : indexAfter(rows, last, next, cursor);
    if (index === rows.length) return true;
    last = rows[index];
    next = index + 1;
    last.read(cursor, into);
    if (cursor.failed) return false;
  }
}

function indexAfter<Into>(rows: Rows<Into>, last: MemberRow<Into>, from: number, cursor: JsonCursor): number {
  const { next } = last;
  if (next < rows.length && cursor.skips(rows[next].key)) return next;
  const index = indexOf(rows, from, cursor);
  if (index < rows.length) last.next = index;
  return index;
}

/** The first row from `from` on whose key stands here; the number of rows: none. */
function indexOf<Into>(rows: Rows<Into>, from: number, cursor: JsonCursor): number {
  for (let i = from; i < rows.length; i++) if (cursor.skips(rows[i].key)) return i;
  return rows.length;
}

function readOptional(cursor: JsonCursor, into: SavedFields): boolean {
  return readMembers(FIELD_MEMBERS, cursor, into);
}

function readCause(cursor: JsonCursor, into: SavedFields): boolean {
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

/** Of an object, while it is read. */
class ObjectMembers {
  apiVersion: string | null | undefined = undefined;
  namespace: string | null | undefined = undefined;
  name: string | null | undefined = undefined;
  uid: string | null | undefined = undefined;
  resourceVersion: string | null | undefined = undefined;
  generation: number | undefined = undefined;
  deletionTimestamp: string | undefined = undefined;
  owners: ObjectField['owners'] = undefined;
  items: number | undefined = undefined;
  rows: number | undefined = undefined;
  row: ObjectField['row'] = undefined;

  clear(): void {
    this.apiVersion = undefined;
    this.namespace = undefined;
    this.name = undefined;
    this.uid = undefined;
    this.resourceVersion = undefined;
    this.generation = undefined;
    this.deletionTimestamp = undefined;
    this.owners = undefined;
    this.items = undefined;
    this.rows = undefined;
    this.row = undefined;
  }
}

function readObjectField(cursor: JsonCursor, into: SavedFields): boolean {
  if (!cursor.skips(K_OBJECT_KIND)) return false;
  const kind = cursor.text();
  if (kind === undefined) return false;
  MEMBERS.clear();
  if (!readMembers(OBJECT_MEMBERS, cursor, MEMBERS)) return false;
  const { apiVersion, namespace, name, uid, resourceVersion } = MEMBERS;
  const { generation, deletionTimestamp, owners, items, rows, row } = MEMBERS;
  into.object = {
    apiVersion: apiVersion as string | undefined,
    kind,
    namespace,
    name,
    uid,
    resourceVersion,
    generation,
    deletionTimestamp,
    owners,
    items,
    rows,
    row,
  };
  return cursor.skipsByte(CLOSE_BRACE);
}

const MEMBERS = new ObjectMembers();
const OBJECT_MEMBERS = rowsOf<ObjectMembers>([
  [
    'apiVersion',
    (cursor, into) => {
      into.apiVersion = cursor.textOrNull();
    },
  ],
  [
    'namespace',
    (cursor, into) => {
      into.namespace = cursor.textOrNull();
    },
  ],
  [
    'name',
    (cursor, into) => {
      into.name = cursor.textOrNull();
    },
  ],
  [
    'uid',
    (cursor, into) => {
      into.uid = cursor.textOrNull();
    },
  ],
  [
    'resourceVersion',
    (cursor, into) => {
      into.resourceVersion = cursor.textOrNull();
    },
  ],
  [
    'generation',
    (cursor, into) => {
      into.generation = cursor.number();
    },
  ],
  [
    'deletionTimestamp',
    (cursor, into) => {
      into.deletionTimestamp = cursor.text();
    },
  ],
  [
    'owners',
    (cursor, into) => {
      into.owners = readOwners(cursor.value());
    },
  ],
  [
    'items',
    (cursor, into) => {
      into.items = cursor.number();
    },
  ],
  [
    'rows',
    (cursor, into) => {
      into.rows = cursor.number();
    },
  ],
  [
    'row',
    (cursor, into) => {
      into.row = readRow(cursor.value());
    },
  ],
]);

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
const CLOSE_BRACKET = 0x5d;
const CLOSE_BRACE = 0x7d;
const TIME = new TimeReader();
const K_SEQ = asciiBytes('{"seq":');
const K_TIME = asciiBytes(',"time":');
const K_STARTED = asciiBytes(',"started":');
const K_KIND = asciiBytes(',"kind":');
const K_PROTOCOL = asciiBytes(',"protocol":');
const K_FROM = asciiBytes(',"from":');
const K_TO = asciiBytes(',"to":');
const K_LABEL = asciiBytes(',"label":');
const K_EXCHANGE = asciiBytes(',"exchange":');
const K_CONNECTION = asciiBytes(',"connection":');
const K_STREAM = asciiBytes(',"stream":');
const K_NULL = asciiBytes('null');
const K_FRAMES = asciiBytes(',"frames":[');
const K_CAUSE_SEQ = asciiBytes('{"seq":');
const K_HOW = asciiBytes(',"how":');
const K_CERTAIN = asciiBytes(',"certain":');
const K_OTHERS = asciiBytes(',"others":[');
const K_END_OF_OTHERS = asciiBytes(']}');
const K_OBJECT_KIND = asciiBytes('{"kind":');
const K_PARTICIPANTS = asciiBytes(',"participants":[');
const K_HEADERS = asciiBytes(',"headers":');
const K_BODY = asciiBytes(',"body":');
