// Identity of an object that was decoded already (CBOR). Knows the names of ObjectMeta.

import {
  type BodyObject,
  carriedDraft,
  completeKind,
  INITIAL_EVENTS_END,
  isEvent,
  type K8sEventInfo,
  type ObjectKind,
  OWNERS_LIMIT,
  type OwnerInfo,
  type RowInfo,
  rowOf,
} from './object-info.js';

/** @returns null where the value is no object of a kind. */
export function valueObject(value: unknown, otherwise: ObjectKind | null = null): BodyObject | null {
  const object = record(value);
  const carried = carriedDraft(textOf(object['apiVersion']), textOf(object['kind']));
  const { info } = carried;
  if (!completeKind(info, otherwise)) return null;
  const { apiVersion, kind } = info;
  const meta = record(object['metadata']);
  info.namespace = textOf(meta['namespace']) || undefined;
  info.name = textOf(meta['name']) || undefined;
  info.generateName = textOf(meta['generateName']) || undefined;
  info.uid = textOf(meta['uid']) || undefined;
  info.resourceVersion = textOf(meta['resourceVersion']) || undefined;
  info.generation = numberOf(meta['generation']) || undefined;
  info.deletionTimestamp = textOf(meta['deletionTimestamp']) || undefined;
  if (meta['deletionGracePeriodSeconds'] != null)
    info.deletionGracePeriodSeconds = numberOf(meta['deletionGracePeriodSeconds']);
  info.owners = ownersOf(meta['ownerReferences']);
  const items = object['items'] ?? object['groups'] ?? object['resources'];
  if (kind.endsWith('List') && Array.isArray(items)) info.items = items.length;
  if (kind === 'Table' && Array.isArray(object['rows'])) {
    info.rows = object['rows'].length;
    if (info.rows === 1) info.row = rowIn(object['rows'][0]);
  }
  carried.initialEventsEnd = record(meta['annotations'])[INITIAL_EVENTS_END] === 'true';
  if (kind === 'Status') {
    const details = record(object['details']);
    carried.status = {
      status: textOf(object['status']),
      reason: textOf(object['reason']),
      message: textOf(object['message']),
      code: numberOf(object['code']),
      detailsKind: textOf(details['kind']),
      detailsName: textOf(details['name']),
    };
  }
  if (isEvent(apiVersion, kind)) carried.k8sEvent = k8sEventOf(object);
  return carried;
}

function rowIn(row: unknown): RowInfo | undefined {
  const { namespace, name, uid } = record(record(record(row)['object'])['metadata']);
  return rowOf({
    namespace: textOf(namespace) || undefined,
    name: textOf(name) || undefined,
    uid: textOf(uid) || undefined,
  });
}

function ownersOf(value: unknown): readonly OwnerInfo[] | undefined {
  const owners = listOf(value)
    .slice(0, OWNERS_LIMIT)
    .map((owner) => {
      const { kind, name, uid } = record(owner);
      return { kind: textOf(kind), name: textOf(name), uid: textOf(uid) };
    });
  return owners.length === 0 ? undefined : owners;
}

function k8sEventOf(event: Readonly<Record<string, unknown>>): K8sEventInfo {
  const about = record(event['involvedObject'] ?? event['regarding']);
  const source = record(event['source'] ?? event['deprecatedSource']);
  return {
    type: textOf(event['type']),
    reason: textOf(event['reason']),
    message: textOf(event['message'] ?? event['note']),
    kind: textOf(about['kind']),
    namespace: textOf(about['namespace']),
    name: textOf(about['name']),
    uid: textOf(about['uid']),
    component: textOf(event['reportingComponent'] ?? event['reportingController']) || textOf(source['component']),
  };
}

/** The value as an object to look into; an empty one where it is none. */
export function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : NOTHING_INSIDE;
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

const NOTHING_INSIDE: Readonly<Record<string, unknown>> = Object.freeze(Object.create(null) as object) as never;
