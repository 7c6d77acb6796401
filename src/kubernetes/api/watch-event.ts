// Reads one event of a watch, its type and its object, in protobuf, JSON and CBOR (meta/v1 WatchEvent).
//
//   protobuf   WatchEvent { type = 1, object = 2 RawExtension { raw = 1: "k8s\0" envelope } }   no magic of its own
//   JSON       {"type": …, "object": …}

import { EMPTY_BYTES, text } from '../../core/bytes/bytes.js';
import { FieldReader, LENGTH_DELIMITED } from '../../protobuf/wire.js';
import { cborValue } from '../objects/cbor.js';
import { encodingOf } from '../objects/encoding.js';
import { hasMagic } from '../objects/envelope.js';
import { JsonCursor } from '../objects/json-cursor.js';
import type { BodyObject, K8sEventInfo, ObjectInfo, StatusInfo } from '../objects/object-info.js';
import { protobufObject, selfNamedObject } from '../objects/object-meta.js';
import { record, textOf, ValueCursor } from '../objects/value-cursor.js';

export interface WatchEvent {
  /** As on the wire: `ADDED`, `MODIFIED`, `DELETED`, `BOOKMARK`, `ERROR` (its object is a Status). */
  readonly type: string;
  /** null: it names no kind. */
  readonly object: ObjectInfo | null;
  /** Of an `ERROR`. */
  readonly status: StatusInfo | undefined;
  /** Of an Event. */
  readonly k8sEvent: K8sEventInfo | undefined;
  /** The object alone, a view into the item: what `carriedObject` and `decodeBody` take. Empty where it has no bytes of its own (CBOR). */
  readonly objectBytes: Uint8Array;
  readonly objectContentType: string;
  /** The bookmark that ends the synthetic start of a streaming list. */
  readonly initialEventsEnd: boolean;
}

/**
 * @param item one event without its length prefix; may be cut.
 * @param contentType media type of the watch's response, parameters and all; empty where its head is not known.
 * @returns null where the item is no watch event.
 */
export function watchEvent(item: Uint8Array, contentType: string): WatchEvent | null {
  // A protobuf event has no magic number, so the media type counts first.
  if (contentType.includes('protobuf')) return protobufEvent(item);
  const encoding = encodingOf(item, contentType);
  if (encoding === 'json') return jsonEvent(item);
  if (encoding === 'cbor') return cborEvent(item);
  return contentType === '' ? headlessEvent(item) : null;
}

/** An event of a watch whose head was before the capture: a known type and an object with its magic number are proof enough. */
function headlessEvent(item: Uint8Array): WatchEvent | null {
  const event = protobufEvent(item);
  const isProven = event !== null && TYPES[event.type.charCodeAt(0)] === event.type && hasMagic(event.objectBytes);
  return isProven ? event : null;
}

function protobufEvent(item: Uint8Array): WatchEvent | null {
  const reader = EVENT.open(item, 0, item.length);
  let type = '';
  let start = -1;
  let end = -1;
  while (reader.next()) {
    if (reader.type !== LENGTH_DELIMITED) continue;
    if (reader.field === 1) type = typeOf(item, reader.start, reader.end);
    else if (reader.field === 2) {
      const raw = RAW.open(item, reader.start, reader.end);
      while (raw.next()) {
        if (raw.field !== 1 || raw.type !== LENGTH_DELIMITED) continue;
        start = raw.start;
        end = raw.end;
      }
    }
  }
  if (type === '') return null;
  if (start < 0) return made(type, null, EMPTY_BYTES, PROTOBUF);
  const objectBytes = item.subarray(start, end);
  const carried = protobufObject(item, start, end);
  if (carried !== null) return made(type, carried, objectBytes, PROTOBUF);
  // RawExtension may hold JSON too (runtime.RawExtension.Raw).
  return made(type, selfNamedObject(new JsonCursor(objectBytes).object()), objectBytes, JSON_TYPE);
}

function jsonEvent(item: Uint8Array): WatchEvent | null {
  const cursor = new JsonCursor(item).object();
  if (cursor === null) return null;
  let type = '';
  let carried: BodyObject | null = null;
  let objectBytes = EMPTY_BYTES;
  while (cursor.nextMember()) {
    const key = cursor.key();
    if (key === 'type') type = cursor.text();
    else if (key === 'object') {
      cursor.peek();
      const start = cursor.at;
      carried = selfNamedObject(cursor.object());
      objectBytes = item.subarray(start, cursor.at);
    } else cursor.skip();
  }
  if (type === '') return null;
  return made(type, carried, objectBytes, JSON_TYPE);
}

function cborEvent(item: Uint8Array): WatchEvent | null {
  const event = record(cborValue(item).value);
  const type = textOf(event['type']);
  if (type === '') return null;
  return made(type, selfNamedObject(new ValueCursor(event['object']).object()), EMPTY_BYTES, 'application/cbor');
}

function made(type: string, carried: BodyObject | null, bytes: Uint8Array, contentType: string): WatchEvent {
  return {
    type,
    object: carried === null ? null : carried.info,
    status: carried === null ? undefined : carried.status,
    k8sEvent: carried === null ? undefined : carried.k8sEvent,
    objectBytes: bytes,
    objectContentType: contentType,
    initialEventsEnd: type === 'BOOKMARK' && carried !== null && carried.initialEventsEnd,
  };
}

/** The five types are recognised by their first letter and length, without making a string for each event. */
function typeOf(bytes: Uint8Array, start: number, end: number): string {
  const known = TYPES[bytes[start]];
  if (known === undefined || known.length !== end - start) return text(bytes, start, end);
  for (let i = 1; i < known.length; i++) if (bytes[start + i] !== known.charCodeAt(i)) return text(bytes, start, end);
  return known;
}

const TYPES: Readonly<Record<number, string>> = {
  65: 'ADDED',
  66: 'BOOKMARK',
  68: 'DELETED',
  69: 'ERROR',
  77: 'MODIFIED',
};

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const JSON_TYPE = 'application/json';

const EVENT = new FieldReader();
const RAW = new FieldReader();
