// Describes a write of an object, from its request to the events that tell of it.

import type { RequestUser } from '../identity/users/user.js';
import type { Delivery } from './deliveries.js';

/** A request that changes an object, from its sending to its answer. */
export interface Write {
  readonly seq: number;
  /** Speaker id of who wrote. */
  readonly writer: number;
  /** Whose request it is. */
  readonly user?: RequestUser | null;
  readonly deletes: boolean;
  /** It made the object; known from its answer. */
  creates?: boolean;
  readonly ofStatus?: boolean;
  /** An eviction makes two versions: the Pod's status says why, then it is deleted (pkg/registry/core/pod/storage/eviction.go). */
  readonly evicts?: boolean;
  /** What woke its writer, in which process. */
  readonly triggeredBy?: { readonly process: number; readonly by: Delivery };
  state: 'pending' | 'done' | 'failed';
  /** resourceVersion that it made; undefined until answered and where the answer does not say. */
  resourceVersion?: string;
  claimed: boolean;
  /** Its answer has a version that was there before: it changed nothing, or took the last finalizer of what is to be deleted. */
  unchanged?: boolean;
}

/** The write behind an event; `waits`: an answer that is still out may tell. */
export type EventCause = { readonly write: Write } | 'waits' | undefined;

export function addTo(writes: Write[], write: Write): void {
  writes.push(write);
  if (writes.length > MAX_WRITES) writes.shift();
}

/**
 * Which write let an object go whose deletion waited for it: it is answered with the object as it was.
 * @param sweep that asked it to go, with others.
 */
export function lastFinalizer(writes: readonly Write[], sweep: Write | undefined): EventCause {
  const asked = writes.find(({ deletes, state }) => deletes && state === 'done') ?? sweep;
  if (asked === undefined) return undefined;
  const write = writes.findLast(({ seq, unchanged }) => seq > asked.seq && unchanged === true);
  return write === undefined ? undefined : { write };
}

/** What an event's object says of its end. */
export interface PodTermination {
  /** Its version is the first in which all that a Pod ran has ended. */
  readonly hasEnded: boolean;
  /** Seconds that it has to stop, where it is being deleted. */
  readonly gracePeriod: number | undefined;
}

/** What an event's version is the first one to say: that the object is being deleted, that it has no time left to stop. */
export interface DeletionTransition {
  readonly requested: boolean;
  readonly graceExpired: boolean;
}

/**
 * Which write made a version besides the one that is known of it: an eviction, the one before (the Pod's status says why); a
 * deletion without time to stop, the one behind, in which the object is gone (k8s.io/apiserver, registry/generic/registry:
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

/** Writes of one object that can still be waiting for their events. */
export const MAX_WRITES = 32;
