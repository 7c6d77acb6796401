// Reads which object a body holds (its ObjectMeta or ListMeta), and the words of a Status or an Event.

import { encodingOf, selfNamedCursor } from './encoding.js';
import { openEnvelope } from './envelope.js';
import {
  counted,
  type FieldCursor,
  FieldSet,
  type FieldValues,
  int,
  map,
  message,
  messages,
  readFields,
  string,
  timestamp,
} from './fields.js';
import {
  type BodyObject,
  boundedMessage,
  boundedName,
  type K8sEventInfo,
  METADATA,
  type ObjectInfo,
  type ObjectKind,
  type OwnerInfo,
  type StatusInfo,
  TABLE,
} from './object-info.js';
import { ProtobufCursor } from './protobuf-cursor.js';
import { ValueCursor } from './value-cursor.js';
import { yamlIdentity } from './yaml.js';

/**
 * The identity of the object in a body, read without decoding the rest of it; the words of a Status or an Event.
 *
 * @param bytes the body after content decoding, borrowed; may be cut.
 * @param contentType its media type with parameters; may be wrong or empty, as the bytes count first.
 * @param otherwise kind of the object where it does not name one; null: then it is none.
 * @returns null where there is no object of a kind (patches, raw text).
 */
export function carriedObject(
  bytes: Uint8Array,
  contentType: string,
  otherwise: ObjectKind | null = null,
): BodyObject | null {
  const encoding = encodingOf(bytes, contentType);
  if (encoding === 'protobuf') return protobufObject(bytes);
  const isYaml = encoding === 'yaml';
  const cursor = isYaml ? new ValueCursor(yamlIdentity(bytes)).object() : selfNamedCursor(bytes, contentType);
  return selfNamedObject(cursor, otherwise);
}

/** @returns null where the bytes have no envelope. */
export function protobufObject(bytes: Uint8Array, start = 0, end: number = bytes.length): BodyObject | null {
  const envelope = openEnvelope(bytes, start, end);
  if (envelope === null) return null;
  const { apiVersion, kind } = envelope;
  const fields = readFields(CURSOR.open(bytes, envelope.start, envelope.end), protobufFields(apiVersion, kind));
  // An empty list is not on the wire.
  return bodyObject(apiVersion, kind, fields, 0);
}

/**
 * What a body leaves out of kind and apiVersion comes from its request's path (k8s.io/apimachinery,
 * runtime/serializer/json: gvkWithDefaults).
 *
 * @param cursor over the object; null: there is none.
 */
export function selfNamedObject(cursor: FieldCursor | null, otherwise: ObjectKind | null = null): BodyObject | null {
  if (cursor === null) return null;
  const fields = readFields(cursor, SELF_NAMED);
  const { kind = '', apiVersion = '' } = fields;
  if (kind !== '') return bodyObject(apiVersion, kind, fields);
  return otherwise === null ? null : bodyObject(apiVersion || otherwise.apiVersion, otherwise.kind, fields);
}

/** Does a kind report about others? Only the two built-in ones do. */
function isEvent(apiVersion: string, kind: string): boolean {
  return kind === 'Event' && (apiVersion === 'v1' || apiVersion.startsWith('events.k8s.io/'));
}

/** @param noItems how many items a list has that names none. */
function bodyObject(
  apiVersion: string,
  kind: string,
  fields: FieldValues<typeof ALL_FIELDS>,
  noItems?: number,
): BodyObject {
  const { metadata: meta = {}, rows } = fields;
  const items = fields.items ?? fields.groups ?? fields.resources;
  const isTable = kind === TABLE;
  return {
    info: {
      apiVersion: boundedName(apiVersion),
      kind: boundedName(kind),
      namespace: nonEmpty(meta.namespace),
      name: nonEmpty(meta.name),
      uid: nonEmpty(meta.uid),
      resourceVersion: nonEmpty(meta.resourceVersion),
      generation: meta.generation || undefined,
      deletionTimestamp: meta.deletionTimestamp || undefined,
      deletionGracePeriodSeconds: meta.deletionGracePeriodSeconds,
      owners: ownersOf(meta.ownerReferences),
      items: kind.endsWith('List') ? (items?.count ?? noItems) : undefined,
      rows: isTable ? rows?.count : undefined,
      row: isTable && rows?.count === 1 ? rowOf(rows.first?.object?.metadata) : undefined,
      generateName: nonEmpty(meta.generateName),
    },
    status: kind === 'Status' ? statusOf(fields) : undefined,
    k8sEvent: isEvent(apiVersion, kind) ? k8sEventOf(fields) : undefined,
    initialEventsEnd: meta.annotations?.[INITIAL_EVENTS_END] === 'true',
  };
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : boundedName(text);
}

function ownersOf(owners: readonly FieldValues<typeof OWNER>[] | undefined): readonly OwnerInfo[] | undefined {
  if (owners === undefined || owners.length === 0) return undefined;
  return owners.map(({ kind = '', name = '', uid = '' }) => {
    return { kind: boundedName(kind), name: boundedName(name), uid: boundedName(uid) };
  });
}

function rowOf(meta: FieldValues<typeof OBJECT_META> = {}): ObjectInfo['row'] {
  const name = nonEmpty(meta.name);
  return name === undefined ? undefined : { namespace: nonEmpty(meta.namespace), name, uid: nonEmpty(meta.uid) };
}

function statusOf({
  status = '',
  reason = '',
  message = '',
  code = 0,
  details = {},
}: FieldValues<typeof STATUS>): StatusInfo {
  return {
    status: boundedName(status),
    reason: boundedName(reason),
    message: boundedMessage(message),
    code,
    detailsKind: boundedName(details.kind ?? ''),
    detailsName: boundedName(details.name ?? ''),
  };
}

function k8sEventOf(event: FieldValues<typeof CORE_EVENT & typeof EVENTS_EVENT>): K8sEventInfo {
  const { kind = '', namespace = '', name = '', uid = '' } = event.involvedObject ?? event.regarding ?? {};
  const source = event.source ?? event.deprecatedSource;
  return {
    type: boundedName(event.type ?? ''),
    reason: boundedName(event.reason ?? ''),
    message: boundedMessage(event.message ?? event.note ?? ''),
    kind: boundedName(kind),
    namespace: boundedName(namespace),
    name: boundedName(name),
    uid: boundedName(uid),
    component: boundedName(event.reportingComponent || event.reportingController || source?.component || ''),
  };
}

/** Limit: owners of one object; those that exist have one or two. */
const OWNERS_LIMIT = 64;
/** Annotation that ends the synthetic start of a streaming list (KEP-3157). */
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

// Numbers as in generated.proto of meta/v1, core/v1 and events/v1.
const OWNER = { kind: string(1), name: string(3), uid: string(4) };
const OBJECT_META = {
  name: string(1),
  generateName: string(2),
  namespace: string(3),
  uid: string(5),
  resourceVersion: string(6),
  generation: int(7),
  deletionTimestamp: timestamp(9),
  deletionGracePeriodSeconds: int(10),
  annotations: map(12, INITIAL_EVENTS_END),
  ownerReferences: messages(13, OWNER, OWNERS_LIMIT),
};
const OBJECT = { metadata: message(1, OBJECT_META) };
const LIST_META = { resourceVersion: string(2) };
const STATUS = {
  metadata: message(1, LIST_META),
  status: string(2),
  message: string(3),
  reason: string(4),
  details: message(5, { name: string(1), kind: string(3) }),
  code: int(6),
};
const REFERENCE = { kind: string(1), namespace: string(2), name: string(3), uid: string(4) };
const SOURCE = { component: string(1) };
const CORE_EVENT = {
  ...OBJECT,
  involvedObject: message(2, REFERENCE),
  reason: string(3),
  message: string(4),
  source: message(5, SOURCE),
  type: string(9),
  reportingComponent: string(14),
};
const EVENTS_EVENT = {
  ...OBJECT,
  reportingController: string(4),
  reason: string(7),
  regarding: message(8, REFERENCE),
  note: string(10),
  type: string(11),
  deprecatedSource: message(12, SOURCE),
};
/** Where an object names its kind after its other fields, those of all kinds have to be read. */
const ALL_FIELDS = {
  ...STATUS,
  ...CORE_EVENT,
  ...EVENTS_EVENT,
  apiVersion: string(0),
  kind: string(0),
  items: counted(0),
  groups: counted(0), // APIGroupList
  resources: counted(0), // APIResourceList
  rows: counted(0, { object: message(0, OBJECT) }), // Table
};

const SELF_NAMED = new FieldSet(ALL_FIELDS);

function protobufFields(apiVersion: string, kind: string): ProtobufFields {
  if (kind === 'Status') return PROTOBUF.status;
  if (kind.endsWith('List')) return ODD_LISTS.get(`${apiVersion}/${kind}`) ?? PROTOBUF.list;
  if (isEvent(apiVersion, kind)) return apiVersion === 'v1' ? PROTOBUF.coreEvent : PROTOBUF.event;
  return WITHOUT_METADATA.has(kind) || kind.endsWith('Options') ? PROTOBUF.nothing : PROTOBUF.object;
}

type ProtobufFields = FieldSet<Partial<typeof ALL_FIELDS>>;
const PROTOBUF = {
  object: new FieldSet(OBJECT),
  list: new FieldSet({ metadata: message(1, LIST_META), items: counted(2) }),
  status: new FieldSet(STATUS),
  coreEvent: new FieldSet(CORE_EVENT),
  event: new FieldSet(EVENTS_EVENT),
  nothing: new FieldSet({}),
};
/** Discovery's lists have no metadata. */
const ODD_LISTS: ReadonlyMap<string, ProtobufFields> = new Map<string, ProtobufFields>([
  ['v1/APIGroupList', new FieldSet({ items: counted(1) })],
  ['v1/APIResourceList', new FieldSet({ items: counted(2) })],
  [`meta.k8s.io/v1beta1/${METADATA}List`, new FieldSet({ metadata: message(2, LIST_META), items: counted(1) })],
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

/** Kept, as one is read at once. */
const CURSOR = new ProtobufCursor();
