// What a body tells of the object it carries: who it is, which version, and what it says about others. Knows the
// words, not how they are encoded. What a body does not say is undefined here: every reader fills the same shape.

export interface OwnerInfo {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** Whom the only row of a Table is about: what an event of `kubectl get --watch` tells of. */
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
  /** RFC 3339: somebody deletes it, and it waits for its finalizers or its time to stop. */
  readonly deletionTimestamp?: string;
  /** Seconds that it has to stop then; 0: it goes at once, or with its last finalizer. */
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

/** What a Status says; texts are empty and the code 0 where it says nothing. */
export interface StatusInfo {
  /** `Success` or `Failure`. */
  readonly status: string;
  /** In the API server's word: `NotFound`, `AlreadyExists`. */
  readonly reason: string;
  readonly message: string;
  readonly code: number;
  /** Resource (or kind) and name of what the answer is about. */
  readonly detailsKind: string;
  readonly detailsName: string;
}

/** What an Event (core/v1 or events.k8s.io) reports about another object; empty texts where it says nothing. */
export interface K8sEventInfo {
  /** `Normal` or `Warning`. */
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Who reports: `kubelet`, `default-scheduler`. */
  readonly component: string;
}

export interface BodyObject {
  readonly info: ObjectInfo;
  /** Of a Status. */
  readonly status: StatusInfo | undefined;
  /** Of an Event. */
  readonly k8sEvent: K8sEventInfo | undefined;
  /** Of a Pod that is new, or answered with for the first time: what it asks for. */
  readonly claims?: readonly string[];
  /** Of a Pod that somebody makes: the only node that it may have. */
  readonly node?: string;
  /** No answer carried it before, of the kinds whose status can say that something is wrong. */
  readonly isFirst?: boolean;
  /** Has the annotation that ends the synthetic start of a streaming list (KEP-3157). */
  readonly initialEventsEnd: boolean;
}

/** The object as a message shows it: lists by kind, count and version; for all else, null says that it has none. */
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

export function objectField(info: ObjectInfo): ObjectField {
  const { apiVersion, kind, generation, deletionTimestamp, owners, items, rows, row } = info;
  const resourceVersion = info.resourceVersion ?? null;
  if (items !== undefined) return { kind, items, resourceVersion };
  const namespace = info.namespace ?? null;
  const name = info.name ?? null;
  const uid = info.uid ?? null;
  return { apiVersion, kind, namespace, name, uid, resourceVersion, generation, deletionTimestamp, owners, rows, row };
}

/** @returns undefined where it has no name. */
export function rowOf({ namespace, name, uid }: Partial<RowInfo>): RowInfo | undefined {
  return name === undefined ? undefined : { namespace, name, uid };
}

export type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
export type CarriedDraft = Mutable<Omit<BodyObject, 'info'>> & { readonly info: Mutable<ObjectInfo> };

/** What an object is that does not say it. */
export interface ObjectKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * What a body leaves out of kind and apiVersion is what its request's path says (k8s.io/apimachinery,
 * runtime/serializer/json: gvkWithDefaults).
 *
 * @returns whether the object has a kind then.
 */
export function completeKind(info: CarriedDraft['info'], otherwise: ObjectKind | null): boolean {
  if (info.kind === '') {
    if (otherwise === null) return false;
    info.kind = otherwise.kind;
    info.apiVersion ||= otherwise.apiVersion;
  }
  return true;
}

/** For the readers of each encoding: an object to be filled, all of its fields there from the start. */
export function carriedDraft(apiVersion: string, kind: string): CarriedDraft {
  return {
    info: {
      apiVersion,
      kind,
      namespace: undefined,
      name: undefined,
      uid: undefined,
      resourceVersion: undefined,
      generation: undefined,
      deletionTimestamp: undefined,
      deletionGracePeriodSeconds: undefined,
      owners: undefined,
      items: undefined,
      rows: undefined,
      row: undefined,
      generateName: undefined,
    },
    status: undefined,
    k8sEvent: undefined,
    initialEventsEnd: false,
  };
}

export function statusDraft(): Mutable<StatusInfo> {
  return { status: '', reason: '', message: '', code: 0, detailsKind: '', detailsName: '' };
}

export function k8sEventDraft(): Mutable<K8sEventInfo> {
  return { type: '', reason: '', message: '', kind: '', namespace: '', name: '', uid: '', component: '' };
}

/** Does a kind report about others? Only the two built-in ones do. */
export function isEvent(apiVersion: string, kind: string): boolean {
  return kind === 'Event' && (apiVersion === 'v1' || apiVersion.startsWith('events.k8s.io/'));
}

/** Owners read from one object: those that exist have one or two. */
export const OWNERS_LIMIT = 64;

export const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';
