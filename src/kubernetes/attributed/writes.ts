// Describes a write of an object, from its request to the events that tell of it.

import { UNCHANGING_SUBRESOURCES } from '../../core/api-resources.js';
import { flattenString } from '../../core/bytes/bytes.js';
import type { RequestInfo } from '../api/request-info.js';
import type { ExchangeContext } from '../messages/exchange-context.js';
import type { BodyObject } from '../objects/object-info.js';
import type { RequestUser } from '../participants/user.js';
import type { Delivery } from './deliveries.js';

/** A request that changes an object, from its sending to its answer. */
export interface Write {
  readonly seq: number;
  /** Participant id of the writer. */
  readonly writer: number;
  /** Whose request it is. */
  readonly user?: RequestUser | null;
  readonly deletes: boolean;
  /** It created the object; known from its response. */
  creates?: boolean;
  readonly ofStatus?: boolean;
  /** Of a create whose object gets its name from the server: its prefix, and the uids of its owners. */
  readonly generated?: GeneratedObject;
  /** The name that the server chose. */
  chosenName?: string;
  /** Ids of the webhooks that were called for it. */
  reviewedBy?: readonly number[];
  /** An eviction makes two versions: the Pod's status says why, then it is deleted (pkg/registry/core/pod/storage/eviction.go). */
  readonly evicts?: boolean;
  /** The delivery that triggered it, and the process. */
  readonly triggeredBy?: { readonly process: number; readonly by: Delivery };
  state: 'pending' | 'done' | 'failed';
  /** resourceVersion that it made; undefined until answered, and where the response has none. */
  resourceVersion?: string;
  /** The version is that of an event for which other writes were possible. */
  isGuessed?: boolean;
  claimed: boolean;
  /** Its response has an older version: it changed nothing, or removed the last finalizer of a terminating object. */
  unchanged?: boolean;
}

/** What tells apart objects that get their names from the server. */
export interface GeneratedObject {
  readonly generateName: string;
  readonly owners: readonly string[];
}

export function isWrite({ verb, subresource }: RequestInfo): boolean {
  return WRITES.has(verb) && !UNCHANGING_SUBRESOURCES.has(subresource ?? '');
}

export function isSelective({ query }: RequestInfo): boolean {
  return query.has('labelSelector') || query.has('fieldSelector');
}

/** @param by delivery that triggered the write. */
export function writeOf(
  { client, user }: ExchangeContext,
  { verb, subresource }: RequestInfo,
  seq: number,
  by?: Delivery,
  generated?: GeneratedObject,
): Write {
  const deletes = verb === 'delete' || verb === 'deletecollection';
  const trigger = by === undefined ? undefined : { process: client.process.id, by };
  const ofStatus = subresource === 'status';
  const evicts = subresource === 'eviction';
  return {
    seq,
    writer: client.id,
    user,
    deletes,
    evicts,
    ofStatus,
    generated,
    triggeredBy: trigger,
    state: 'pending',
    claimed: false,
  };
}

/** A create without a name. */
export function generatedIn(carried: BodyObject | null): GeneratedObject | undefined {
  const { name, generateName, owners = [] } = carried?.info ?? {};
  if (generateName === undefined || name !== undefined) return undefined;
  return { generateName: flattenString(generateName), owners: owners.map(({ uid }) => uid) };
}

/** The write behind an event, and whether no other write can be; `waits`: a pending response may tell. */
export type EventCause = { readonly write: Write; readonly isOnly?: true } | 'waits' | undefined;

export function addTo(writes: Write[], write: Write): void {
  writes.push(write);
  if (writes.length > MAX_WRITES) writes.shift();
}

/**
 * The write that removed the last finalizer of a terminating object: its response carries the object as it was.
 * @param sweep the deletecollection that requested the deletion.
 */
export function lastFinalizer(writes: readonly Write[], sweep: Write | undefined): EventCause {
  const asked = writes.find(({ deletes, state }) => deletes && state === 'done') ?? sweep;
  if (asked === undefined) return undefined;
  const write = writes.findLast(({ seq, unchanged }) => seq > asked.seq && unchanged === true);
  return write === undefined ? undefined : { write };
}

/** How far the deletion of an event's object is. */
export interface PodTermination {
  /** The first version in which all containers of a Pod have ended. */
  readonly hasEnded: boolean;
  /** Grace period, seconds, of an object that is being deleted. */
  readonly gracePeriod: number | undefined;
}

/** What an event's version is the first to tell: that deletion was requested, that the grace period has expired. */
export interface DeletionTransition {
  readonly requested: boolean;
  readonly graceExpired: boolean;
}

/**
 * The write that made a version besides the one known of it: an eviction makes the version before (the Pod's status says why), a
 * deletion without grace period the version after, in which the object is gone (k8s.io/apiserver, registry/generic/registry:
 * updateForGracefulDeletionAndFinalizers). Of several it may be any.
 */
export function otherVersionOf(
  writes: readonly Write[],
  { requested, graceExpired }: DeletionTransition,
  version: number,
): Write | undefined {
  const [write, ...others] = writes.filter(
    ({ state, evicts, deletes, resourceVersion }) =>
      state === 'done' &&
      ((requested && evicts === true && Number(resourceVersion) < version) ||
        (graceExpired && deletes && Number(resourceVersion) > version)),
  );
  return others.length === 0 ? write : undefined;
}

/** Limit: writes of one object whose events may still come. */
export const MAX_WRITES = 32;
const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection', 'apply']);
