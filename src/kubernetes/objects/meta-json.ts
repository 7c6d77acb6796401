// Identity of an object in JSON, read in one walk that makes only the strings it needs. Knows the names of ObjectMeta,
// ListMeta, Status and Table.

import { BRACE, BRACKET, JsonCursor } from './json-cursor.js';
import {
  type BodyObject,
  type CarriedDraft,
  carriedDraft,
  completeKind,
  INITIAL_EVENTS_END,
  isEvent,
  type K8sEventInfo,
  k8sEventDraft,
  type Mutable,
  type ObjectKind,
  OWNERS_LIMIT,
  type OwnerInfo,
  type RowInfo,
  rowOf,
  type StatusInfo,
  statusDraft,
} from './object-info.js';

/** @returns null where the text is no object of a kind. What is cut or malformed is read as far as it goes. */
export function jsonObject(bytes: Uint8Array, otherwise: ObjectKind | null = null): BodyObject | null {
  return readObject(new JsonCursor(bytes), bytes, otherwise);
}

/** The same for the present value of a cursor over these bytes; it steps over the value. */
export function readObject(
  cursor: JsonCursor,
  bytes: Uint8Array,
  otherwise: ObjectKind | null = null,
): BodyObject | null {
  cursor.peek();
  const start = cursor.at;
  if (!cursor.enter(BRACE)) {
    cursor.skip();
    return null;
  }
  const carried = carriedDraft('', '');
  const { info } = carried;
  const status = statusDraft();
  while (cursor.nextMember()) readMember(cursor, carried, status);
  if (!completeKind(info, otherwise)) return null;
  if (info.kind === 'Status') carried.status = status;
  if (info.kind !== 'Table') info.rows = undefined;
  if (info.rows !== 1) info.row = undefined;
  if (!info.kind.endsWith('List')) info.items = undefined;
  if (isEvent(info.apiVersion, info.kind)) carried.k8sEvent = readK8sEvent(new JsonCursor(bytes, start, cursor.at));
  return carried;
}

// The kind may come after what it decides about, so all that a kind could mean is read.
function readMember(cursor: JsonCursor, carried: CarriedDraft, status: Mutable<StatusInfo>): void {
  const { info } = carried;
  switch (cursor.key()) {
    case 'apiVersion':
      info.apiVersion = cursor.string();
      break;
    case 'kind':
      info.kind = cursor.string();
      break;
    case 'metadata':
      readMeta(cursor, carried);
      break;
    case 'items':
    case 'groups': // APIGroupList
    case 'resources': // APIResourceList
      info.items = cursor.count();
      break;
    case 'rows':
      readRows(cursor, info);
      break;
    case 'status':
      status.status = cursor.string();
      break;
    case 'reason':
      status.reason = cursor.string();
      break;
    case 'message':
      status.message = cursor.string();
      break;
    case 'code':
      status.code = cursor.number();
      break;
    case 'details':
      readDetails(cursor, status);
      break;
    default:
      cursor.skip();
  }
}

function readMeta(cursor: JsonCursor, carried: CarriedDraft): void {
  const { info } = carried;
  if (!cursor.enter(BRACE)) {
    cursor.skip();
    return;
  }
  while (cursor.nextMember()) {
    switch (cursor.key()) {
      case 'name':
        info.name = cursor.string() || undefined;
        break;
      case 'generateName':
        info.generateName = cursor.string() || undefined;
        break;
      case 'namespace':
        info.namespace = cursor.string() || undefined;
        break;
      case 'uid':
        info.uid = cursor.string() || undefined;
        break;
      case 'resourceVersion':
        info.resourceVersion = cursor.string() || undefined;
        break;
      case 'generation':
        info.generation = cursor.number() || undefined;
        break;
      case 'deletionTimestamp':
        info.deletionTimestamp = cursor.string() || undefined;
        break;
      case 'deletionGracePeriodSeconds':
        info.deletionGracePeriodSeconds = cursor.number();
        break;
      case 'annotations':
        readAnnotations(cursor, carried);
        break;
      case 'ownerReferences':
        info.owners = readOwners(cursor);
        break;
      default:
        cursor.skip();
    }
  }
}

function readAnnotations(cursor: JsonCursor, carried: CarriedDraft): void {
  if (!cursor.enter(BRACE)) {
    cursor.skip();
    return;
  }
  while (cursor.nextMember()) {
    if (cursor.key() === INITIAL_EVENTS_END) carried.initialEventsEnd = cursor.string() === 'true';
    else cursor.skip();
  }
}

/** As many as there are; of the first, whose it is. */
function readRows(cursor: JsonCursor, info: CarriedDraft['info']): void {
  info.rows = 0;
  if (!cursor.enter(BRACKET)) {
    cursor.skip();
    return;
  }
  while (cursor.nextElement()) {
    info.rows += 1;
    if (info.rows > 1 || !cursor.enter(BRACE)) {
      cursor.skip();
      continue;
    }
    while (cursor.nextMember()) {
      if (cursor.key() === 'object') info.row = readRow(cursor);
      else cursor.skip();
    }
  }
}

function readRow(cursor: JsonCursor): RowInfo | undefined {
  const { info } = carriedDraft('', '');
  if (!cursor.enter(BRACE)) {
    cursor.skip();
    return undefined;
  }
  while (cursor.nextMember()) {
    if (cursor.key() === 'metadata') readMeta(cursor, { ...carriedDraft('', ''), info });
    else cursor.skip();
  }
  return rowOf(info);
}

function readOwners(cursor: JsonCursor): readonly OwnerInfo[] | undefined {
  if (!cursor.enter(BRACKET)) {
    cursor.skip();
    return undefined;
  }
  const owners: OwnerInfo[] = [];
  while (cursor.nextElement()) {
    const owner = { kind: '', name: '', uid: '' };
    if (owners.length >= OWNERS_LIMIT || !cursor.enter(BRACE)) {
      cursor.skip();
      continue;
    }
    while (cursor.nextMember()) {
      const key = cursor.key();
      if (key === 'kind' || key === 'name' || key === 'uid') owner[key] = cursor.string();
      else cursor.skip();
    }
    owners.push(owner);
  }
  return owners.length === 0 ? undefined : owners;
}

function readDetails(cursor: JsonCursor, status: Mutable<StatusInfo>): void {
  if (!cursor.enter(BRACE)) {
    cursor.skip();
    return;
  }
  while (cursor.nextMember()) {
    const key = cursor.key();
    if (key === 'kind') status.detailsKind = cursor.string();
    else if (key === 'name') status.detailsName = cursor.string();
    else cursor.skip();
  }
}

function readK8sEvent(cursor: JsonCursor): K8sEventInfo {
  const event = k8sEventDraft();
  if (!cursor.enter(BRACE)) return event;
  while (cursor.nextMember()) {
    switch (cursor.key()) {
      case 'involvedObject':
      case 'regarding':
        readReference(cursor, event);
        break;
      case 'reason':
        event.reason = cursor.string();
        break;
      case 'message':
      case 'note':
        event.message = cursor.string();
        break;
      case 'type':
        event.type = cursor.string();
        break;
      case 'reportingComponent':
      case 'reportingController':
        event.component = cursor.string() || event.component;
        break;
      case 'source':
      case 'deprecatedSource': {
        const component = readComponent(cursor);
        event.component ||= component;
        break;
      }
      default:
        cursor.skip();
    }
  }
  return event;
}

function readReference(cursor: JsonCursor, event: Mutable<K8sEventInfo>): void {
  if (!cursor.enter(BRACE)) {
    cursor.skip();
    return;
  }
  while (cursor.nextMember()) {
    const key = cursor.key();
    if (key === 'kind' || key === 'namespace' || key === 'name' || key === 'uid') event[key] = cursor.string();
    else cursor.skip();
  }
}

function readComponent(cursor: JsonCursor): string {
  let component = '';
  if (!cursor.enter(BRACE)) {
    cursor.skip();
    return component;
  }
  while (cursor.nextMember()) {
    if (cursor.key() === 'component') component = cursor.string();
    else cursor.skip();
  }
  return component;
}
