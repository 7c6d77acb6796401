// A few fields of an object, by protobuf number or by JSON name, without decoding the rest of it. Knows how both are
// written; which fields are wanted, and what they mean, is the caller's.

import { FieldReader, LENGTH_DELIMITED } from '../../protobuf/wire.js';
import { openEnvelope } from './envelope.js';
import { BRACE, BRACKET, JsonCursor } from './json-cursor.js';
import { encodingOf } from './meta.js';
import { objectFields } from './object-fields.js';

/** What is wanted of a message: JSON name → number in protobuf, and what it is. */
export interface Wanted {
  readonly [name: string]: readonly [number: number, what: PickKind];
}
/** `time`: seconds since the epoch. A list is one of texts or of messages; of a map, texts by these keys. */
type PickKind =
  | ('text' | 'flag' | 'number' | 'time' | 'texts')
  | { readonly one: Wanted }
  | { readonly many: Wanted }
  | { readonly map: readonly string[] };

/** What was found, by JSON name; what the object does not say is not there. */
export interface Picked {
  readonly [name: string]: string | number | boolean | readonly string[] | Picked | readonly Picked[] | undefined;
}

/**
 * @param bytes a whole object in its envelope, or a text; borrowed; may be cut.
 * @param contentType as for `carriedObject`.
 * @returns null where it cannot be read.
 */
export function pick(bytes: Uint8Array, contentType: string, wanted: Wanted): Picked | null {
  const envelope = openEnvelope(bytes);
  if (envelope !== null) return fromProtobuf(bytes, envelope.start, envelope.end, wanted);
  if (encodingOf(bytes, contentType) === 'json') return fromJson(new JsonCursor(bytes), wanted);
  return fromValue(objectFields(bytes, contentType), wanted);
}

function fromProtobuf(bytes: Uint8Array, start: number, end: number, wanted: Wanted): Picked {
  const out: Record<string, Picked[string]> = {};
  const rows = Object.entries(wanted);
  const reader = new FieldReader(bytes, start, end);
  while (reader.next()) {
    const row = rows.find(([, [number]]) => number === reader.field);
    if (row === undefined) continue;
    const [name, [, what]] = row;
    if (what === 'flag') out[name] = reader.int32() !== 0;
    else if (what === 'number') out[name] = reader.int32();
    else if (reader.type !== LENGTH_DELIMITED) continue;
    else if (what === 'text') out[name] = reader.text();
    else if (what === 'time') out[name] = seconds(bytes, reader.start, reader.end);
    else if (what === 'texts') (listIn(out, name) as string[]).push(reader.text());
    else if ('one' in what) out[name] = fromProtobuf(bytes, reader.start, reader.end, what.one);
    else if ('map' in what) {
      const entry = fromProtobuf(bytes, reader.start, reader.end, ENTRY);
      const key = textIn(entry, 'key');
      if (what.map.includes(key)) out[name] = { ...(out[name] as Picked), [key]: textIn(entry, 'value') };
    } else (listIn(out, name) as Picked[]).push(fromProtobuf(bytes, reader.start, reader.end, what.many));
  }
  return out;
}

/** meta.v1.Time { seconds = 1 }. */
function seconds(bytes: Uint8Array, start: number, end: number): number {
  const reader = new FieldReader(bytes, start, end);
  while (reader.next()) if (reader.field === 1) return reader.int();
  return 0;
}

function listIn(out: Record<string, Picked[string]>, name: string): unknown[] {
  const list = (out[name] ?? []) as unknown[];
  out[name] = list as Picked[string];
  return list;
}

function fromJson(cursor: JsonCursor, wanted: Wanted): Picked {
  const out: Record<string, Picked[string]> = {};
  if (!cursor.enter(BRACE)) {
    cursor.skip();
    return out;
  }
  while (cursor.nextMember()) {
    const name = cursor.key();
    const what = Object.hasOwn(wanted, name) ? wanted[name][1] : null;
    if (what === null) cursor.skip();
    else if (what === 'text') out[name] = cursor.string();
    else if (what === 'number') out[name] = cursor.number();
    else if (what === 'time') out[name] = secondsOf(cursor.string());
    else if (what === 'flag') {
      out[name] = cursor.peek() === LETTER_T;
      cursor.skip();
    } else if (what === 'texts') out[name] = listFrom(cursor, () => cursor.string());
    else if ('one' in what) out[name] = fromJson(cursor, what.one);
    else if ('map' in what) out[name] = fromJson(cursor, Object.fromEntries(what.map.map((key) => [key, TEXT])));
    else out[name] = listFrom(cursor, () => fromJson(cursor, what.many));
  }
  return out;
}

function listFrom<T>(cursor: JsonCursor, element: () => T): T[] {
  const list: T[] = [];
  if (!cursor.enter(BRACKET)) {
    cursor.skip();
    return list;
  }
  while (cursor.nextElement()) list.push(element());
  return list;
}

/** YAML and CBOR are decoded whole: they are rare. */
function fromValue(value: unknown, wanted: Wanted): Picked | null {
  if (typeof value !== 'object' || value === null) return null;
  return fromJson(new JsonCursor(utf8(JSON.stringify(value))), wanted);
}

function secondsOf(time: string): number {
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? 0 : Math.trunc(ms / 1000);
}

function utf8(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}

/** Text of a picked field; empty where it is not there. */
export function textIn(picked: Picked | undefined, name: string): string {
  const value = picked?.[name];
  return typeof value === 'string' ? value : '';
}

const LETTER_T = 0x74;
const TEXT = [0, 'text'] as const;
/** Of a map. */
const ENTRY: Wanted = { key: [1, 'text'], value: [2, 'text'] };
