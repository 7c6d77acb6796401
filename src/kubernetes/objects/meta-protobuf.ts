// Identity of an object in Kubernetes protobuf, read by hand from its metadata without decoding the rest. Knows
// ObjectMeta, ListMeta, Status and Event by their numbers (generated.proto of meta/v1, core/v1 and events/v1).

import { text } from '../../core/bytes/bytes.js';
import { FieldReader, LENGTH_DELIMITED, VARINT } from '../../protobuf/wire.js';
import { openEnvelope } from './envelope.js';
import {
  type BodyObject,
  type CarriedDraft,
  carriedDraft,
  INITIAL_EVENTS_END,
  isEvent,
  type K8sEventInfo,
  k8sEventDraft,
  type Mutable,
  type ObjectInfo,
  OWNERS_LIMIT,
  type OwnerInfo,
  type StatusInfo,
  statusDraft,
} from './object-info.js';
import { wholeSeconds } from './special-types.js';

/** @returns null where the bytes carry no envelope. What is cut or malformed is read as far as it goes. */
export function protobufObject(bytes: Uint8Array, start = 0, end: number = bytes.length): BodyObject | null {
  const envelope = openEnvelope(bytes, start, end);
  if (envelope === null) return null;
  const { apiVersion, kind, start: from, end: to } = envelope;
  const carried = carriedDraft(apiVersion, kind);
  if (kind === 'Status') readStatus(bytes, from, to, carried);
  else if (kind.endsWith('List')) readList(bytes, from, to, carried.info);
  else if (isEvent(apiVersion, kind)) readEvent(bytes, from, to, carried);
  else if (!WITHOUT_METADATA.has(kind) && !kind.endsWith('Options')) readObject(bytes, from, to, carried);
  return carried;
}

function readObject(bytes: Uint8Array, start: number, end: number, carried: CarriedDraft): void {
  const reader = OBJECT.open(bytes, start, end);
  while (reader.next()) {
    if (reader.field === 1 && reader.type === LENGTH_DELIMITED)
      readObjectMeta(bytes, reader.start, reader.end, carried);
  }
}

function readObjectMeta(bytes: Uint8Array, start: number, end: number, carried: CarriedDraft): void {
  const { info } = carried;
  const reader = META.open(bytes, start, end);
  let owners: OwnerInfo[] | undefined;
  while (reader.next()) {
    // Writers put every field that is no pointer on the wire, empty or not.
    if (reader.start === reader.end) continue;
    if (reader.type !== LENGTH_DELIMITED) {
      if (reader.type !== VARINT) continue;
      if (reader.field === 7) info.generation = reader.int() || undefined;
      else if (reader.field === 10) info.deletionGracePeriodSeconds = reader.int();
      continue;
    }
    switch (reader.field) {
      case 1:
        info.name = reader.text();
        break;
      case 2:
        info.generateName = reader.text();
        break;
      case 3:
        info.namespace = reader.text();
        break;
      case 5:
        info.uid = reader.text();
        break;
      case 6:
        info.resourceVersion = reader.text();
        break;
      case 9:
        info.deletionTimestamp = readTime(bytes, reader.start, reader.end);
        break;
      case 12:
        if (isInitialEventsEnd(bytes, reader.start, reader.end)) carried.initialEventsEnd = true;
        break;
      case 13:
        owners ??= [];
        if (owners.length < OWNERS_LIMIT) owners.push(readOwner(bytes, reader.start, reader.end));
        break;
    }
  }
  if (owners !== undefined) info.owners = owners;
}

/** Time: seconds = 1; the JSON of it has no parts of a second. */
function readTime(bytes: Uint8Array, start: number, end: number): string | undefined {
  const reader = ENTRY.open(bytes, start, end);
  let seconds = 0;
  while (reader.next()) if (reader.field === 1 && reader.type === VARINT) seconds = reader.int();
  const whole = wholeSeconds(seconds);
  return whole === null ? undefined : `${whole}Z`;
}

/** OwnerReference: kind = 1, name = 3, uid = 4. */
function readOwner(bytes: Uint8Array, start: number, end: number): OwnerInfo {
  const reader = ENTRY.open(bytes, start, end);
  const owner = { kind: '', name: '', uid: '' };
  while (reader.next()) {
    if (reader.type !== LENGTH_DELIMITED) continue;
    if (reader.field === 1) owner.kind = reader.text();
    else if (reader.field === 3) owner.name = reader.text();
    else if (reader.field === 4) owner.uid = reader.text();
  }
  return owner;
}

//   0a 19 "k8s.io/initial-events-end" 12 04 "true"      an entry of the annotations: key = 1, value = 2
function isInitialEventsEnd(bytes: Uint8Array, start: number, end: number): boolean {
  const keyEnd = start + 2 + INITIAL_EVENTS_END.length;
  if (end - keyEnd !== 2 + 'true'.length) return false;
  return text(bytes, start + 2, keyEnd) === INITIAL_EVENTS_END && text(bytes, keyEnd + 2, end) === 'true';
}

function readList(bytes: Uint8Array, start: number, end: number, info: Mutable<ObjectInfo>): void {
  const [metaField, itemField] = ODD_LISTS.get(`${info.apiVersion}/${info.kind}`) ?? USUAL_LIST;
  const reader = OBJECT.open(bytes, start, end);
  let items = 0;
  while (reader.next()) {
    if (reader.type !== LENGTH_DELIMITED) continue;
    if (reader.field === itemField) items += 1;
    else if (reader.field === metaField) readListMeta(bytes, reader.start, reader.end, info);
  }
  info.items = items;
}

/** ListMeta: selfLink = 1, resourceVersion = 2, continue = 3. */
function readListMeta(bytes: Uint8Array, start: number, end: number, info: Mutable<ObjectInfo>): void {
  const reader = META.open(bytes, start, end);
  while (reader.next()) {
    if (reader.field === 2 && reader.type === LENGTH_DELIMITED && reader.end > reader.start)
      info.resourceVersion = reader.text();
  }
}

/** Status: metadata = 1 (ListMeta), status = 2, message = 3, reason = 4, details = 5, code = 6. */
function readStatus(bytes: Uint8Array, start: number, end: number, carried: CarriedDraft): void {
  const status = statusDraft();
  const reader = OBJECT.open(bytes, start, end);
  while (reader.next()) {
    if (reader.type !== LENGTH_DELIMITED) {
      if (reader.field === 6 && reader.type === VARINT) status.code = reader.int32();
    } else if (reader.field === 1) readListMeta(bytes, reader.start, reader.end, carried.info);
    else if (reader.field === 2) status.status = reader.text();
    else if (reader.field === 3) status.message = reader.text();
    else if (reader.field === 4) status.reason = reader.text();
    else if (reader.field === 5) readDetails(bytes, reader.start, reader.end, status);
  }
  carried.status = status;
}

/** StatusDetails: name = 1, kind = 3. */
function readDetails(bytes: Uint8Array, start: number, end: number, status: Mutable<StatusInfo>): void {
  const reader = ENTRY.open(bytes, start, end);
  while (reader.next()) {
    if (reader.type !== LENGTH_DELIMITED) continue;
    if (reader.field === 1) status.detailsName = reader.text();
    else if (reader.field === 3) status.detailsKind = reader.text();
  }
}

function readEvent(bytes: Uint8Array, start: number, end: number, carried: CarriedDraft): void {
  const numbers = carried.info.apiVersion === 'v1' ? CORE_EVENT : EVENTS_EVENT;
  const event = k8sEventDraft();
  const reader = OBJECT.open(bytes, start, end);
  while (reader.next()) {
    if (reader.type !== LENGTH_DELIMITED || reader.start === reader.end) continue;
    const { field } = reader;
    if (field === 1) readObjectMeta(bytes, reader.start, reader.end, carried);
    else if (field === numbers.about) readReference(bytes, reader.start, reader.end, event);
    else if (field === numbers.reason) event.reason = reader.text();
    else if (field === numbers.message) event.message = reader.text();
    else if (field === numbers.type) event.type = reader.text();
    else if (field === numbers.controller) event.component = reader.text();
    else if (field === numbers.source && event.component === '')
      event.component = readFirst(bytes, reader.start, reader.end);
  }
  carried.k8sEvent = event;
}

/** ObjectReference: kind = 1, namespace = 2, name = 3, uid = 4. */
function readReference(bytes: Uint8Array, start: number, end: number, event: Mutable<K8sEventInfo>): void {
  const reader = ENTRY.open(bytes, start, end);
  while (reader.next()) {
    if (reader.type !== LENGTH_DELIMITED) continue;
    if (reader.field === 1) event.kind = reader.text();
    else if (reader.field === 2) event.namespace = reader.text();
    else if (reader.field === 3) event.name = reader.text();
    else if (reader.field === 4) event.uid = reader.text();
  }
}

/** Field 1 of a message: EventSource.component. */
function readFirst(bytes: Uint8Array, start: number, end: number): string {
  const reader = ENTRY.open(bytes, start, end);
  let first = '';
  while (reader.next()) {
    if (reader.field === 1 && reader.type === LENGTH_DELIMITED) first = reader.text();
  }
  return first;
}

// core/v1: involvedObject, reason, message, source, type, reportingComponent.
const CORE_EVENT = { about: 2, reason: 3, message: 4, source: 5, type: 9, controller: 14 };
// events.k8s.io/v1: regarding, reason, note, deprecatedSource, type, reportingController.
const EVENTS_EVENT = { about: 8, reason: 7, message: 10, source: 12, type: 11, controller: 4 };

// Numbers of metadata and items. Discovery's lists have no metadata: 0 is no field's number.
const USUAL_LIST = [1, 2] as const;
const ODD_LISTS: ReadonlyMap<string, readonly [number, number]> = new Map([
  ['v1/APIGroupList', [0, 1]],
  ['v1/APIResourceList', [0, 2]],
  ['meta.k8s.io/v1beta1/PartialObjectMetadataList', [2, 1]],
]);

/** Kinds whose field 1 is something else. */
const WITHOUT_METADATA: ReadonlySet<string> = new Set([
  'AdmissionReview',
  'ConversionReview',
  'APIGroup',
  'APIVersions',
  'SerializedReference',
  'WatchEvent',
]);

// One reader a level, kept: no allocation for walking.
const OBJECT = new FieldReader();
const META = new FieldReader();
const ENTRY = new FieldReader();
