// Reads a message from the columns of a row group, which may hold anything: a value that is not of its field's type is left out.

import {
  readNames,
  readNumber,
  readOwners,
  readRow as readRowInfo,
  readText,
} from '../../kubernetes/messages/field-values.js';
import type { ReadableField } from '../../kubernetes/messages/fields.js';
import type { ObjectField } from '../../kubernetes/messages/message.js';
import { causeWith, copiesOf, isCount, patchOf, readBasicValues, viaOf } from '../message-fields.js';
import { NO_FRAMES, NOTHING, READERS, type SavedFields } from '../saved-fields.js';

/** Values of one column by row; a column that is not needed, or that the file does not have, is empty. */
type ColumnValues = ArrayLike<unknown>;

const NO_VALUES: ColumnValues = [];

/** The columns of a row group. A class, so that each access names its column: names in variables would take much longer. */
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
  target = NO_VALUES;
  userAgent = NO_VALUES;
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
  patch = NO_VALUES;
  via = NO_VALUES;
  viaIds = NO_VALUES;
  translated = NO_VALUES;
  headers = NO_VALUES;
  body = NO_VALUES;
  /** Those of the fields that depend on no other, in the order of their rows. */
  readonly #fields: readonly ColumnValues[];

  /** @param columns by name: `object.kind` is `objectKind`. */
  constructor(columns: Readonly<Record<string, ColumnValues>>) {
    const own = this as unknown as Record<string, ColumnValues>;
    for (const name of Object.keys(own)) own[name] = columns[name] ?? NO_VALUES;
    this.#fields = READERS.map(([name]) => columns[name] ?? NO_VALUES);
  }

  /** Fills `into` with the fields that depend on no other. */
  readFields(row: number, into: { -readonly [Name in ReadableField]: unknown }): void {
    for (let i = 0; i < READERS.length; i++) {
      const [name, read] = READERS[i];
      const value = this.#fields[i][row];
      into[name] = value == null ? undefined : read(typeof value === 'bigint' ? Number(value) : value);
    }
    // A call whose method is not known.
    if (into.rpcMethod === '') into.rpcMethod = null;
  }
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
  columns.readFields(row, into.values);
  into.values.object = objectIn(columns, row);
  readPlace(columns, row, captures, into);
  return true;
}

function readBasics(columns: RowGroupColumns, row: number, captures: TableCaptures, into: SavedFields): boolean {
  const time = columns.time[row];
  const started = columns.started[row];
  const values = {
    seq: columns.seq[row],
    kind: columns.kind[row],
    protocol: columns.protocol[row],
    from: columns.from[row],
    to: columns.to[row],
    // A command that needs no labels does not read them.
    label: columns.label === NO_VALUES ? '' : columns.label[row],
    exchange: columns.exchange[row],
    connection: columns.connection[row],
    stream: columns.stream[row],
  };
  if (typeof time !== 'bigint' || !readBasicValues(values, into)) return false;
  into.time = time;
  into.started = typeof started === 'bigint' ? started : time;
  into.digits = captures.digits(columns.capture[row]);
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
  into.cause =
    into.causedBy === undefined
      ? undefined
      : causeWith(into.causedBy, columns.causeHow[row], columns.causeCertain[row], columns.causeOthers[row]);
  into.via = viaOf(columns.via[row]);
  into.translated = copiesOf(columns.translated[row]);
  into.inferred = readNames(columns.inferred[row]);
  into.target = readText(columns.target[row]);
  into.userAgent = readText(columns.userAgent[row]);
  into.patch = patchOf(columns.patch[row]);
  into.headers = jsonIn(columns.headers[row]);
  into.body = jsonIn(columns.body[row]);
}

/** Lists have no name, and of any other object null is what it does not have. */
function objectIn(columns: RowGroupColumns, row: number): ObjectField | undefined {
  const kind = columns.objectKind[row];
  if (typeof kind !== 'string') return undefined;
  const apiVersion = readText(columns.objectApiVersion[row]);
  const resourceVersion = readText(columns.objectResourceVersion[row]) ?? null;
  const items = numberIn(columns.objectItems[row]);
  if (items !== undefined) return { apiVersion, kind, resourceVersion, items };
  return {
    kind,
    apiVersion,
    namespace: readText(columns.objectNamespace[row]) ?? null,
    name: readText(columns.objectName[row]) ?? null,
    uid: readText(columns.objectUid[row]) ?? null,
    resourceVersion,
    generation: numberIn(columns.objectGeneration[row]),
    deletionTimestamp: readText(columns.objectDeletionTimestamp[row]),
    owners: readOwners(columns.objectOwners[row]),
    rows: numberIn(columns.objectRows[row]),
    row: readRowInfo(columns.objectRow[row]),
  };
}

function numberIn(value: unknown): number | undefined {
  return readNumber(typeof value === 'bigint' ? Number(value) : value);
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
