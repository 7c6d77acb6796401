// Takes the fields of a message from a saved line, which may hold anything: a field that is not of its type is left out.

import { memo } from '../core/collections/memo.js';
import { isRecord } from '../core/record.js';
import { readNames, readOneOf, readText } from '../kubernetes/messages/field-values.js';
import { CAUSE_KINDS, KINDS, PROTOCOLS, type ReadableField } from '../kubernetes/messages/fields.js';
import type { Cause } from '../kubernetes/messages/message.js';
import { NO_FRAMES, NOTHING, READERS, type SavedCopy, type SavedFields } from './saved-fields.js';
import { digitsOf, timeOf } from './saved-time.js';

export type SavedLine = Readonly<Record<string, unknown>>;

/**
 * Fills `into` with the fields of a record.
 * @returns false where the record is no message.
 */
export function readFields(record: SavedLine, into: SavedFields): boolean {
  if (!readBasics(record, into)) return false;
  readPlace(record, into);
  readOptional(record, into.values);
  return true;
}

/** Values that every message has, as a record or a row of a table has them. */
export interface BasicValues {
  readonly seq?: unknown;
  readonly kind?: unknown;
  readonly protocol?: unknown;
  readonly from?: unknown;
  readonly to?: unknown;
  readonly label?: unknown;
  readonly exchange?: unknown;
  readonly connection?: unknown;
  readonly stream?: unknown;
}

/** Fills `into` with them. @returns false where one is missing or not of its type. */
export function readBasicValues(values: BasicValues, into: SavedFields): boolean {
  const { seq, from, to, label, exchange, connection, stream } = values;
  const [kind, protocol] = [readKind(values.kind), readProtocol(values.protocol)];
  if (kind === undefined || protocol === undefined || !isCount(seq) || !isCount(exchange)) return false;
  if (typeof from !== 'string' || typeof to !== 'string' || from === '' || to === '') return false;
  if (typeof label !== 'string' || typeof connection !== 'string' || !isConnection(connection)) return false;
  into.seq = seq;
  into.kind = kind;
  into.protocol = protocol;
  into.from = from;
  into.to = to;
  into.label = label;
  into.exchange = exchange;
  into.connection = connection;
  into.stream = isCount(stream) ? stream : null;
  return true;
}

/** What every message has. */
function readBasics(record: SavedLine, into: SavedFields): boolean {
  const { frames, complete } = record;
  const time = timeOf(record['time']);
  const started = record['started'] === undefined ? time : timeOf(record['started']);
  if (time === null || started === null || !readBasicValues(record, into)) return false;
  into.time = time;
  into.started = started;
  into.digits = digitsOf(record['time'] as string);
  into.frames = isFrames(frames) ? frames : NO_FRAMES;
  into.complete = complete === true;
  return true;
}

/** Where it was captured, what it follows from, and what an export has besides. */
function readPlace(record: SavedLine, into: SavedFields): void {
  const { capture, lastCapture, causedBy, inferred, participants } = record;
  const ids = Array.isArray(participants) ? (participants as readonly unknown[]) : NOTHING;
  into.fromId = ids[0];
  into.toId = ids[1];
  into.viaIds = ids.length > 2 ? ids.slice(2) : NOTHING;
  into.capture = typeof capture === 'string' ? capture : null;
  into.lastCapture = typeof lastCapture === 'string' ? lastCapture : undefined;
  into.causedBy = isCount(causedBy) ? causedBy : undefined;
  into.cause = causeOf(record['cause'], into.causedBy);
  into.inferred = readNames(inferred);
  into.target = readText(record['target']);
  into.userAgent = readText(record['userAgent']);
  into.via = viaOf(record['via']);
  into.translated = copiesOf(record['translated']);
  into.patch = patchOf(record['patch']);
  into.headers = record['headers'];
  into.body = record['body'];
}

/** Fields that depend on no other: one that is not of its row's type is left out. */
function readOptional(record: SavedLine, into: { -readonly [Name in ReadableField]: unknown }): void {
  for (const [name, read] of READERS) into[name] = read(record[name]);
}

/** @param seq that is given besides: another one is none. */
export function causeOf(value: unknown, seq: number | undefined): Cause | undefined {
  if (!isRecord(value) || seq === undefined || value['seq'] !== seq) return undefined;
  return causeWith(seq, value['how'], value['certain'], value['others']);
}

export function causeWith(seq: number, kind: unknown, certain: unknown, others: unknown): Cause | undefined {
  const how = readHow(kind);
  if (how === undefined) return undefined;
  const given = Array.isArray(others) ? others.filter((one) => Number.isSafeInteger(one)) : NOTHING;
  const cause = { seq, how, certain: certain === true };
  return given.length === 0 ? cause : { ...cause, others: given as number[] };
}

/** Names of those whose addresses were translated. */
export function viaOf(via: unknown): readonly string[] | undefined {
  const isList = Array.isArray(via) && via.length > 0 && via.every((one) => typeof one === 'string' && one !== '');
  return isList ? (via as readonly string[]) : undefined;
}

export function copiesOf(copies: unknown): readonly SavedCopy[] | undefined {
  if (!Array.isArray(copies)) return undefined;
  const read = copies.filter(isRecord).flatMap(({ connection, frames, capture }): SavedCopy[] => {
    if (typeof connection !== 'string' || !isConnection(connection) || !isFrames(frames)) return [];
    return [{ connection, capture: typeof capture === 'string' ? capture : null, frames }];
  });
  return read.length === 0 ? undefined : read;
}

export function patchOf(patch: unknown): readonly unknown[] | undefined {
  return Array.isArray(patch) && patch.length > 0 ? patch : undefined;
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

function isFrames(value: unknown): value is readonly [number, number] {
  return Array.isArray(value) && value.length === 2 && value.every(isCount);
}

export const readKind = readOneOf(KINDS);
export const readHow = readOneOf(CAUSE_KINDS);
export const readProtocol = readOneOf(PROTOCOLS);
/** As connections are named: `CLIENTIP:PORT-SERVERIP:PORT`. */
export function isConnection(name: string): boolean {
  return name.length <= LONGEST_CONNECTION && isName(name);
}

/** Limit: texts of which it is remembered whether they name a connection: those of a busy minute, some 100 bytes each. */
const MAX_CONNECTIONS = 8192;
const isName = memo((name) => CONNECTION.test(name), MAX_CONNECTIONS);
const LONGEST_CONNECTION = 2 * (60 + 1 + 5) + 1;
const CONNECTION = /^[0-9a-f.:]{1,60}:\d{1,5}-[0-9a-f.:]{1,60}:\d{1,5}$/;
