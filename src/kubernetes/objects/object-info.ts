// Defines the identity of an object, the words of a Status and an Event, and the lengths at which they are cut.

import { flattenString } from '../../core/bytes/bytes.js';

export interface OwnerInfo {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** The object in the only row of a Table, as in an event of `kubectl get --watch`. */
export interface RowInfo {
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
}

/** Identity of an object. */
export interface ObjectInfo {
  readonly apiVersion: string;
  /** As in the body: `PartialObjectMetadata`, `Table`, `Status` and `PodList` too. */
  readonly kind: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  /** RFC 3339: its deletion was requested, and it waits for its finalizers or its grace period. */
  readonly deletionTimestamp?: string;
  /** 0: it is removed at once, or with its last finalizer. */
  readonly deletionGracePeriodSeconds?: number;
  readonly owners?: readonly OwnerInfo[];
  /** Lists: how many. */
  readonly items?: number;
  /** Tables: how many. */
  readonly rows?: number;
  /** Of a Table with one row. */
  readonly row?: RowInfo;
  readonly generateName?: string;
}

/** A Status; texts are empty and the code 0 where it has none. */
export interface StatusInfo {
  /** `Success` or `Failure`. */
  readonly status: string;
  /** Of the API server: `NotFound`, `AlreadyExists`. */
  readonly reason: string;
  readonly message: string;
  readonly code: number;
  /** Resource (or kind) and name of the object that the answer is about. */
  readonly detailsKind: string;
  readonly detailsName: string;
}

/** What an Event (core/v1 or events.k8s.io) reports about another object; texts are empty where it has none. */
export interface K8sEventInfo {
  /** `Normal` or `Warning`. */
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** The reporting component: `kubelet`, `default-scheduler`. */
  readonly component: string;
}

export interface BodyObject {
  readonly info: ObjectInfo;
  /** Of a Status. */
  readonly status: StatusInfo | undefined;
  /** Of an Event. */
  readonly k8sEvent: K8sEventInfo | undefined;
  /** Of a Pod that is new, or is in an answer for the first time: the claims of its volumes and resources. */
  readonly claims?: readonly string[];
  /** No answer had it before; of the kinds whose status can report problems. */
  readonly isFirst?: boolean;
  /** Has the annotation that ends the synthetic start of a streaming list (KEP-3157). */
  readonly initialEventsEnd: boolean;
}

/** The object as a message shows it: lists by kind, count and version; of other objects null is what they do not have. */
export interface ObjectField {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly namespace?: string | null;
  readonly name?: string | null;
  readonly uid?: string | null;
  readonly resourceVersion?: string | null;
  readonly generation?: number;
  readonly deletionTimestamp?: string;
  readonly owners?: readonly OwnerInfo[];
  readonly items?: number;
  readonly rows?: number;
  readonly row?: RowInfo;
}

/** Kinds that an API server answers with in place of the object: a printed row of it, its metadata alone. */
export const TABLE = 'Table';
export const METADATA = 'PartialObjectMetadata';

/** Whether a body says of which kind its object is: a Status, a Table and metadata do not. */
export function tellsKind(kind: string): boolean {
  return kind !== 'Status' && kind !== TABLE && kind !== METADATA;
}

/** Whether a body has the object or its metadata: a Status and a Table do not. */
export function hasObject<Body extends { readonly kind: string }>(object: Body | undefined): object is Body {
  return object !== undefined && object.kind !== 'Status' && object.kind !== TABLE;
}

/** What identifies the object in a body: of a Table, as `kubectl get --watch` receives, its row. */
export function identityOf<Body extends { readonly row?: unknown }>(body: Body): Body | NonNullable<Body['row']> {
  return body.row ?? body;
}

export function objectField(info: ObjectInfo): ObjectField {
  const { apiVersion, kind, generation, deletionTimestamp, owners, items, rows, row } = info;
  const resourceVersion = info.resourceVersion ?? null;
  if (items !== undefined) return { kind, items, resourceVersion };
  const namespace = info.namespace ?? null;
  const name = info.name ?? null;
  const uid = info.uid ?? null;
  return { apiVersion, kind, namespace, name, uid, resourceVersion, generation, deletionTimestamp, owners, rows, row };
}

/** Of an object that does not name its kind. */
export interface ObjectKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** A name, or words that are as short; what is longer ends with `…`. Names are kept, and a body that is inflated can have one of a megabyte. */
export function boundedName(text: string): string {
  return bounded(text, MAX_NAME);
}

export function boundedMessage(text: string): string {
  return bounded(text, MAX_MESSAGE);
}

/** In one piece: a slice would keep the whole. */
function bounded(text: string, length: number): string {
  return text.length <= length ? text : flattenString(`${text.slice(0, length)}…`);
}

/**
 * Limit: characters of a name, kind or version in a body, longer ones are cut: most names have 253 at most (DNS subdomains); those of
 * RBAC are limited by nothing.
 */
const MAX_NAME = 1024;
/** Limit: characters of the message of a Status or an Event: Events have 1,024, and a Status may name each node of a large cluster. */
const MAX_MESSAGE = 65_536;
