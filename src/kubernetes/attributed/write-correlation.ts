// Correlates API writes with the watch events they produce, by uid, resourceVersion and name, and records which watch events each
// process has received. Where two writes are possible there is no cause.

import { BoundedMap, RecentMap } from '../../core/collections/bounded.js';
import type { ObjectRef } from '../api/object-ref.js';
import { CollectionDeletes } from './collection-deletes.js';
import { type Delivery, deliveriesTo, eachOfVersion, isSuperseded, recordDelivery } from './deliveries.js';
import { type ObjectState, ObjectStates } from './object-states.js';
import { PendingDependencies } from './pending-dependencies.js';
import type { TriggerQuery } from './trigger-query.js';
import {
  addTo,
  type DeletionTransition,
  type EventCause,
  lastFinalizer,
  MAX_WRITES,
  otherVersionOf,
  type Write,
} from './writes.js';

export class WriteCorrelator {
  readonly #states: ObjectStates;
  readonly #sweeps = new CollectionDeletes();
  readonly #nameless = new RecentMap<string, Write[]>(MAX_PLACES);
  readonly #waiting = new PendingDependencies();
  /** By process: the unschedulable Pod that it received last. */
  readonly #unplaced = new BoundedMap<number, { readonly pod: ObjectState; readonly delivered: Delivery }>(
    MAX_PROGRAMS,
    'deliveries of Pods without a node',
  );

  constructor(states = new ObjectStates()) {
    this.#states = states;
  }

  /** Objects whose causes are not followed any more. */
  get forgotten(): number {
    return this.#states.forgotten;
  }

  /** A write was sent. */
  observeWrite(object: ObjectRef, write: Write): void {
    addTo(this.#states.of(object).writes, write);
  }

  /** A create whose object gets its name from the server: `prefix` is the key up to the name. */
  observeNamelessWrite(prefix: string, write: Write): void {
    const open = (this.#nameless.get(prefix) ?? []).filter((one) => one.state === 'pending');
    open.push(write);
    this.#nameless.set(prefix, open.slice(-MAX_WRITES));
  }

  /** A whole collection is being deleted: `prefix` is the key of its objects up to the name. @param takesAll it selects none. */
  collectionDeleteRequested(prefix: string, write: Write, takesAll: boolean): void {
    this.#sweeps.requested(prefix, write, takesAll);
  }

  /** Its response. @param uids of the objects that it deletes. */
  collectionDeleted(write: Write, uids: readonly string[]): void {
    this.#sweeps.deleted(write, uids);
  }

  /** A write was answered. `object` undefined: the response does not carry the object (a binding's does not). */
  observeResponse(target: ObjectRef, write: Write, ok: boolean, object: ObjectRef | undefined): void {
    write.state = ok ? 'done' : 'failed';
    if (!ok || object === undefined) return;
    const { uid, owners, resourceVersion } = object;
    const state = this.#states.of({ ...target, uid, owners, resourceVersion });
    // A controller that deletes a child creates the next before the deletion is delivered.
    if (write.triggeredBy !== undefined)
      for (const owner of this.#leftIn(state, resourceVersion))
        owner.removals = recordDelivery(owner.removals, write.triggeredBy.process, write.triggeredBy.by);
    // A new object under the name of an older one.
    if (!state.writes.includes(write)) addTo(state.writes, write);
    // A write that changed nothing is answered with a version that an event had before: it produces no event.
    const version = Number(resourceVersion);
    if (
      write.creates !== true &&
      version <= state.newest &&
      !state.writes.some((one) => one !== write && one.state === 'pending')
    ) {
      if (this.#hasWriter(state, resourceVersion, write) || this.#wasSwept(state, resourceVersion, write)) {
        write.claimed = true;
        write.unchanged = true;
        return;
      }
    }
    write.resourceVersion = resourceVersion;
    // Events of the object may still be held.
    if (version <= state.newest)
      eachOfVersion(state.deliveries, version, (delivered) => {
        delivered.writer ??= write.writer;
        delivered.ofStatus ??= write.ofStatus;
        delivered.ofDelete ??= write.deletes;
      });
  }

  /** Pending writes that can be the reason for a change of an object in the store. */
  carriedOut(object: ObjectRef, creates: boolean): readonly Write[] {
    const named = (this.#states.find(object)?.writes ?? []).filter((write) => write.state === 'pending');
    if (named.length > 0) return named;
    const prefix = prefixOf(object);
    if (creates) return (this.#nameless.get(prefix) ?? []).filter((write) => write.state === 'pending');
    return this.#sweeps.pending(prefix).map(({ write }) => write);
  }

  /** The write that produced an event. @param seq of the event: later writes did not produce it. */
  causeOfEvent(
    object: ObjectRef,
    deleted: boolean,
    seq = Number.POSITIVE_INFINITY,
    going: DeletionTransition = STAYS,
  ): EventCause {
    const all = this.#writesOf(object);
    const exact = all.find(
      (write) => write.resourceVersion !== undefined && write.resourceVersion === object.resourceVersion,
    );
    if (exact !== undefined) {
      // The delete made a version in which the object still exists: with a grace period, or finalizers.
      if (exact.deletes && !deleted) exact.claimed = true;
      return { write: exact };
    }
    const writes = all.filter((write) => write.seq < seq);
    if (writes.length === 0) return this.#withoutWrites(object, deleted || going.requested);
    const candidates = writes.filter(
      (write) =>
        write.state !== 'failed' &&
        !write.claimed &&
        (write.resourceVersion === undefined || (deleted && (write.deletes || write.evicts === true))),
    );
    // An object with a grace period or finalizers is gone with the last delete or update, not with the first delete.
    if (deleted && candidates.length > 1 && candidates.every((write) => write.state === 'done')) {
      return { write: candidates[candidates.length - 1] };
    }
    if (candidates.some((write) => write.state === 'pending')) return 'waits';
    if (candidates.length === 1) return { write: candidates[0], isOnly: true };
    if (candidates.length > 0) return undefined;
    if (!deleted)
      return this.#otherVersion(writes, object, going) ?? (going.requested ? this.#sweepOf(object) : undefined);
    return lastFinalizer(writes, this.#sweeps.of(object.uid)) ?? this.#sweepOf(object);
  }

  #otherVersion(writes: readonly Write[], { resourceVersion }: ObjectRef, going: DeletionTransition): EventCause {
    const write = otherVersionOf(writes, going, Number(resourceVersion));
    if (write === undefined) return undefined;
    // The write that reports the Pod's containers as stopped completes its deletion.
    if (write.evicts === true && !going.graceExpired) write.claimed = true;
    return { write };
  }

  /** Writes under the object's name too, where it is known by its uid alone: a watch without kinds was first. */
  #writesOf(object: ObjectRef): readonly Write[] {
    const state = this.#states.find(object);
    const named = state === undefined || state.isNamed ? undefined : this.#states.withKey(object.key);
    const own = state?.writes ?? [];
    return named === undefined || named.uid !== undefined ? own : [...named.writes, ...own];
  }

  #withoutWrites(object: ObjectRef, deleted: boolean): EventCause {
    if (this.#nameless.size > 0) {
      const open = this.#nameless.get(prefixOf(object));
      if (open?.some((write) => write.state === 'pending') === true) return 'waits';
    }
    return deleted ? this.#sweepOf(object) : undefined;
  }

  #sweepOf(object: ObjectRef): EventCause {
    const sweep = this.#sweeps.of(object.uid);
    if (sweep !== undefined) return { write: sweep };
    return this.#sweeps.pending(prefixOf(object)).length === 0 ? undefined : 'waits';
  }

  /** The only write that can have produced an event, once no more responses are waited for. */
  onlyPending(object: ObjectRef, deleted: boolean, seq = Number.POSITIVE_INFINITY): Write | undefined {
    const open = this.#writesOf(object).filter(
      (write) => write.state !== 'failed' && !write.claimed && write.resourceVersion === undefined && write.seq < seq,
    );
    if (open.length > 0 || !deleted) return open.length === 1 ? open[0] : undefined;
    const [only, ...others] = this.#sweeps.pending(prefixOf(object));
    return only?.takesAll === true && others.length === 0 ? only.write : undefined;
  }

  /** An event was delivered to a process. */
  observeDelivery(
    object: ObjectRef,
    process: number,
    delivered: Delivery,
    selecting: readonly string[] = NO_KEYS,
  ): void {
    for (const key of selecting) {
      const state = this.#states.withKey(key);
      if (state !== undefined) state.ownedDeliveries = recordDelivery(state.ownedDeliveries, process, delivered);
    }
    const state = this.#states.of(object);
    state.newest = Math.max(state.newest, Number(object.resourceVersion) || 0);
    state.deliveries = recordDelivery(state.deliveries, process, delivered);
    if (state.unschedulableSince > 0 && !state.isBound) this.#unplaced.set(process, { pod: state, delivered });
    for (const waits of this.#states.withUids(this.#waiting.came(object.key, process)))
      waits.deliveries = recordDelivery(waits.deliveries, process, delivered);
    for (const owner of this.#states.withUids(state.owners))
      owner.ownedDeliveries = recordDelivery(owner.ownedDeliveries, process, delivered);
    for (const owner of this.#leftIn(state, object.resourceVersion)) {
      owner.ownedDeliveries = recordDelivery(owner.ownedDeliveries, process, delivered);
      owner.removals = recordDelivery(owner.removals, process, delivered);
    }
  }

  /** Former owners of an object: the event that releases it is delivered to them, too (replicaset: updatePod). */
  #leftIn({ left }: ObjectState, version: string | undefined): readonly ObjectState[] {
    return left === null || left.version !== version ? NOBODY : this.#states.withUids(left.owners);
  }

  /** A process reports that an object lacks another: the next event about that one counts as one about the object. */
  observeMissing(uid: string, process: number, key: string): void {
    this.#waiting.lacks(uid, process, key);
  }

  /** An event by which an object was deleted or began to terminate: the owner's controller may replace it. */
  observeRemoval(object: ObjectRef, process: number, delivered: Delivery): void {
    for (const owner of this.#states.ownersOf(object))
      owner.removals = recordDelivery(owner.removals, process, delivered);
  }

  /** An event of an object that is being deleted. @param isAtOnce without a grace period. @returns what it is the first to tell. */
  terminating(object: ObjectRef, isAtOnce: boolean): DeletionTransition {
    const { resourceVersion } = object;
    if (resourceVersion === undefined) return STAYS;
    const state = this.#states.of(object);
    state.terminatingSince ??= resourceVersion;
    if (isAtOnce) state.graceExpiredSince ??= resourceVersion;
    return {
      requested: state.terminatingSince === resourceVersion,
      graceExpired: state.graceExpiredSince === resourceVersion,
    };
  }

  /** A Pod was bound. */
  observeBinding(object: ObjectRef): void {
    this.#states.of(object).isBound = true;
  }

  /** The scheduler found no node for a Pod. */
  noteUnschedulable(object: ObjectRef, seq: number): void {
    const state = this.#states.find(object);
    if (state !== undefined) state.unschedulableSince = seq;
  }

  /** A Pod left its node, and the event was delivered to a process. */
  podLeftNode(node: string, process: number, delivered: Delivery): void {
    const state = this.#states.of({ key: node });
    state.removals = recordDelivery(state.removals, process, delivered);
  }

  /**
   * The event that triggers a program to create a node: its last delivery about a Pod that is unschedulable and has no node yet
   * (karpenter, pkg/controllers/provisioning: all such Pods of the last second or more are taken together).
   */
  causeOfNodeClaim(process: number): Delivery | undefined {
    const last = this.#unplaced.get(process);
    return last === undefined || last.pod.isBound || isSuperseded(last.delivered) ? undefined : last.delivered;
  }

  isBound(object: ObjectRef): boolean {
    return this.#states.find(object)?.isBound === true;
  }

  knows(key: string): boolean {
    return this.#states.withKey(key) !== undefined;
  }

  /** `seq` of the first event of a newer version of an object that was delivered to a process; Infinity: none. */
  firstAfter(object: ObjectRef, { process }: TriggerQuery, than: number): number {
    let first = Number.POSITIVE_INFINITY;
    for (const { seq, version = 0 } of deliveriesTo(this.#states.find(object)?.deliveries, process))
      if (version > than) first = Math.min(first, seq);
    return first;
  }

  /** Whether an event is the version in which a deletecollection marked an object with finalizers. */
  #wasSwept(
    { uid, terminatingSince }: ObjectState,
    resourceVersion: string | undefined,
    { seq, deletes }: Write,
  ): boolean {
    const sweep = this.#sweeps.of(uid);
    return !deletes && sweep !== undefined && sweep.seq < seq && terminatingSince === resourceVersion;
  }

  #hasWriter(state: ObjectState, resourceVersion: string | undefined, but: Write): boolean {
    return (
      state.writes.some((one) => one !== but && one.resourceVersion === resourceVersion) ||
      Number(resourceVersion) < state.newest
    );
  }
}

/** The key without the name. */
function prefixOf({ key }: ObjectRef): string {
  return key.slice(0, key.lastIndexOf(' ') + 1);
}

const NO_KEYS: readonly string[] = [];
const NOBODY: readonly ObjectState[] = [];
/** Of objects that are not being deleted. */
export const STAYS: DeletionTransition = { requested: false, graceExpired: false };
/** Limit: collections with pending creates that have no name yet. */
const MAX_PLACES = 1000;
/** Limit: processes that watch Pods, of which the unschedulable Pod that they received last is remembered. */
const MAX_PROGRAMS = 256;
