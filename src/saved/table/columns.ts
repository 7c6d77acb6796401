// Defines the columns of a table of messages (Parquet), made from the rows of the message fields.

import type { Encoding, SchemaElement } from 'hyparquet';
import { FIELD_ROWS, type Field, type FieldName } from '../../kubernetes/messages/fields.js';
import type { Message, ObjectField } from '../../kubernetes/messages/message.js';
import { jsonText } from '../../render/escape/json-text.js';
import { bodyText } from '../../render/messages/details-json.js';
import { copiesJson } from '../../render/messages/message-json.js';

/** What a row needs beside its message. */
export interface RowContext {
  /** Names of the captures, where there are several. */
  readonly captures: readonly string[] | undefined;
  /** Ids of its sender, its receiver and those that it passed. */
  readonly participants: readonly number[];
}

export interface TableColumn {
  readonly name: string;
  /** The column, followed by its members where it is a group. */
  readonly schema: readonly SchemaElement[];
  /** undefined: a dictionary where values come again. */
  readonly encoding: Encoding | undefined;
  /** Message field that it is of; null: of none. */
  readonly field: FieldName | null;
  /** undefined: the message has none. */
  readonly value: (message: Message, context: RowContext) => unknown;
}

/** @param bodies with heads and bodies. */
export function columnsOf(bodies: boolean): readonly TableColumn[] {
  return bodies ? [...COLUMNS, ...DETAILS] : COLUMNS;
}

/** Names of the columns that hold these fields; null: all. */
export function columnNamesOf(fields: ReadonlySet<FieldName> | null, bodies: boolean): string[] {
  const needed = COLUMNS.filter(({ field }) => field === null || fields === null || fields.has(field));
  return [...needed, ...(bodies ? DETAILS : [])].map(({ name }) => name);
}

type ColumnType = 'int' | 'long' | 'double' | 'bool' | 'text' | 'time' | 'json';

/** Physical and logical types (parquet-format, LogicalTypes.md). */
const TYPES: Readonly<Record<ColumnType, Omit<SchemaElement, 'name'>>> = {
  int: { type: 'INT32' },
  long: { type: 'INT64' },
  double: { type: 'DOUBLE' },
  bool: { type: 'BOOLEAN' },
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  // In UTC; databases show a time that is adjusted to UTC in the zone of the reader, and DuckDB rounds it to microseconds.
  time: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'NANOS' } },
  json: { type: 'BYTE_ARRAY', converted_type: 'JSON' },
};

function element(name: string, type: ColumnType, isRequired = false): SchemaElement {
  return { name, repetition_type: isRequired ? 'REQUIRED' : 'OPTIONAL', ...TYPES[type] };
}

function column(
  field: FieldName | null,
  name: string,
  type: ColumnType,
  value: TableColumn['value'],
  isRequired = false,
): TableColumn {
  const encoding = type === 'int' || type === 'time' ? 'DELTA_BINARY_PACKED' : undefined;
  return { name, field, value, encoding, schema: [element(name, type, isRequired)] };
}

/** Required, as an optional group is an array for each value in the library: without a value all its members are null. */
function group(field: FieldName, members: readonly SchemaElement[], value: TableColumn['value']): TableColumn {
  const root = { name: field, repetition_type: 'REQUIRED', num_children: members.length } as const;
  return { name: field, field, value, encoding: undefined, schema: [root, ...members] };
}

const NO_MEMBERS = {};

const OBJECT_MEMBERS: readonly (readonly [keyof ObjectField, ColumnType])[] = [
  ['kind', 'text'],
  ['apiVersion', 'text'],
  ['namespace', 'text'],
  ['name', 'text'],
  ['uid', 'text'],
  ['resourceVersion', 'text'],
  ['generation', 'double'],
  ['deletionTimestamp', 'text'],
  ['owners', 'json'],
  ['items', 'int'],
  ['rows', 'int'],
  ['row', 'json'],
];

/** Fields that are made of several facts, or are more than one column. */
const SPECIAL: Readonly<Partial<Record<FieldName, readonly TableColumn[]>>> = {
  started: [column('started', 'started', 'time', ({ time, started }) => (started === time ? undefined : started))],
  from: [
    column('from', 'from', 'text', ({ from, fromName }) => fromName ?? from.name, true),
    column(null, 'fromId', 'int', (_, { participants }) => participants[0], true),
  ],
  to: [
    column('to', 'to', 'text', ({ to, toName }) => toName ?? to.name, true),
    column(null, 'toId', 'int', (_, { participants }) => participants[1], true),
  ],
  stream: [column('stream', 'stream', 'int', ({ stream }) => stream)],
  frames: [
    column('frames', 'firstFrame', 'int', ({ frames }) => frames[0], true),
    column('frames', 'lastFrame', 'int', ({ frames }) => frames[1], true),
  ],
  capture: [column(null, 'capture', 'int', ({ capture }) => capture, true)],
  lastCapture: [column('lastCapture', 'lastCapture', 'int', ({ lastCapture }) => lastCapture)],
  cause: [
    group(
      'cause',
      [element('how', 'text'), element('certain', 'bool'), element('others', 'json')],
      ({ cause }) => cause ?? NO_MEMBERS,
    ),
  ],
  object: [
    group(
      'object',
      OBJECT_MEMBERS.map(([name, type]) => element(name, type)),
      ({ object }) => object ?? NO_MEMBERS,
    ),
  ],
  via: [
    column('via', 'via', 'json', ({ via, viaNames }) => via && (viaNames ?? via.map(({ name }) => name))),
    column(null, 'viaIds', 'json', ({ via }, { participants }) => via && participants.slice(2)),
  ],
  translated: [
    column('translated', 'translated', 'json', ({ translated = [] }, { captures }) =>
      translated.length === 0 ? undefined : copiesJson(translated, captures),
    ),
  ],
  bytes: [column('bytes', 'bytes', 'long', ({ bytes }) => wholeOf(bytes))],
  exitCode: [column('exitCode', 'exitCode', 'long', ({ exitCode }) => wholeOf(exitCode))],
  grpcStatus: [column('grpcStatus', 'grpcStatus', 'long', ({ grpcStatus }) => wholeOf(grpcStatus))],
  // Of a call, null is a method that is not known; of another message the column is empty.
  rpcMethod: [column('rpcMethod', 'rpcMethod', 'text', ({ rpcMethod }) => (rpcMethod === null ? '' : rpcMethod))],
};

/** A count that a client may have chosen. */
function wholeOf(value: number | undefined): bigint | undefined {
  return value === undefined || !Number.isSafeInteger(value) ? undefined : BigInt(value);
}

/** Columns of a field that stands for itself. */
function plain(name: FieldName, row: Field): TableColumn {
  const type = typeOf(row);
  const of = (message: Message): unknown => message[name as keyof Message];
  const isCall = row.section === 'Remote calls';
  const isRequired = row.required === true;
  if (row.line === 'given' || row.line === 'unless empty')
    return column(name, name, type, (message) => of(message) || undefined);
  if (isCall) return column(name, name, type, (message) => (message.rpcMethod === undefined ? undefined : of(message)));
  return column(name, name, type, of, isRequired);
}

function typeOf({ cel }: Field): ColumnType {
  if (cel === 'int') return 'int';
  if (cel === 'double') return 'double';
  if (cel === 'bool') return 'bool';
  if (cel === 'google.protobuf.Timestamp') return 'time';
  return cel === 'string' ? 'text' : 'json';
}

/** Of a path that names no resource, the verb and all else of the API are left out, as on a line. */
const OF_THE_API: ReadonlySet<FieldName> = new Set([
  ...(['verb', 'apiGroup', 'apiVersion', 'resource', 'subresource', 'namespace', 'name'] as const),
]);

function ofTheApi(one: TableColumn): TableColumn {
  const { value } = one;
  return {
    ...one,
    value: (message, context) =>
      message.verb === undefined && message.resource === undefined ? undefined : value(message, context),
  };
}

const COLUMNS: readonly TableColumn[] = FIELD_ROWS.flatMap(([name, row]) => {
  const special = SPECIAL[name];
  if (special !== undefined) return special;
  return OF_THE_API.has(name) ? [ofTheApi(plain(name, row))] : [plain(name, row)];
});

const DETAILS: readonly TableColumn[] = [
  column(null, 'headers', 'text', ({ details }) => {
    const fields = details?.fields() ?? [];
    return fields.length === 0 ? undefined : jsonText(fields);
  }),
  column(null, 'body', 'text', ({ details }) => {
    const body = details?.body();
    return body === undefined ? undefined : bodyText(body);
  }),
];
