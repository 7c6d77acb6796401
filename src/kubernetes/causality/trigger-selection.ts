// Selects the watch event that triggered a request, from what its process received about the object, its relatives and its children.

import type { ObjectRef } from '../api/object-ref.js';
import { type DeliveriesByProcess, type Delivery, deliveriesTo, isSuperseded } from './deliveries.js';
import type { ObjectState, ObjectStates } from './object-states.js';

/** Who asks: what it can have heard, and what of that wakes it. */
export interface TriggerQuery {
  /** Speaker ids of its process and of itself. */
  readonly process: number;
  readonly writer: number;
  /** Resources whose events wake it; null: all. */
  readonly resources: ReadonlySet<string> | null;
  /** Of what its objects own; undefined: the same. */
  readonly ownedResources?: ReadonlySet<string>;
  /** Its own changes wake it too. */
  readonly reactsToOwnWrites: boolean;
  /** So does the event of what it made. */
  readonly reactsToCreatedObjects?: boolean;
  /** What it has acted on since does not wake it again. */
  readonly edgeTriggered?: boolean;
  /** Changes of a status do not wake it. */
  readonly ignoresStatusWrites?: boolean;
  /** Which version of what it changes it had, where its request says so: it did not know what is newer. */
  readonly had?: { readonly resource: string; readonly version: number };
  /** Message that answered a list of its own, of no watch, that has the object: it asks because of that, or of what came after. 0: none. */
  readonly listed?: number;
}

/** What of other objects of the same owner wakes it: that one is gone, or going, or another's by now; or any change. */
export interface Siblings {
  readonly resource: string;
  readonly that: 'went' | 'changed';
}

/**
 * The last event that its process heard about the object, its owners or what it owns, of those that wake it; one that it made
 * itself only where there is no other. What it did last for that object, without having heard anything since, had the same
 * cause. What is done to an object that the program made has no cause from before that: several controllers in one program go
 * on from its own changes. A Pod that no node would do for gets one for what came after that: about itself, its volumes, the
 * node, or a Pod that left there (pkg/scheduler/backend/queue). A Pod that is asked to go is that for what the same program did
 * to its node. A Pod of a DaemonSet is made for that, or for a node that is new or takes Pods again (pkg/controller/daemon).
 * A node's status reports the volumes that were attached since it last did (pkg/controller/volume/attachdetach).
 */
export function selectTrigger(
  states: ObjectStates,
  object: ObjectRef,
  asker: TriggerQuery,
  siblings: Siblings | null,
): Delivery | undefined {
  const { evictedFrom, node } = object.madeOf ?? {};
  const state = states.find(object);
  if (evictedFrom !== undefined)
    return evictedFrom === null ? undefined : didItself(states.withKey(evictedFrom), asker);
  const since = node === undefined ? 0 : (state?.unschedulableSince ?? 0);
  const delivery = new TriggerCandidates(asker, since);
  const weighOwned = (owner: ObjectState | undefined): void => {
    if (siblings !== null && owner !== undefined)
      delivery.consider(siblings.that === 'went' ? owner.removals : owner.ownedDeliveries, siblings.resource);
  };
  const certainFrom = delivery.weighWhatItHad(state?.deliveries);
  delivery.weighOwned(state?.ownedDeliveries);
  const own = delivery.echo;
  for (const owner of states.ownersOf(object, state)) {
    delivery.consider(owner.deliveries);
    weighOwned(owner);
  }
  for (const uid of object.madeOf?.uids ?? []) delivery.consider(states.withUid(uid)?.deliveries);
  const attached = lastAttached(states, object.madeOf?.attachments, asker);
  for (const key of object.madeOf?.keys ?? []) {
    const other = states.withKey(key);
    delivery.consider(other?.deliveries);
    weighOwned(other);
  }
  delivery.weighNode(states.withKey(object.madeOf?.targetNode ?? '')?.deliveries, true);
  const { best } = delivery;
  if ((attached?.seq ?? 0) > (delivery.echo?.seq ?? 0)) return attached;
  if (node !== undefined && since > 0) {
    const place = states.withKey(node);
    delivery.consider(place?.removals);
    delivery.weighNode(place?.deliveries, false);
    return delivery.best;
  }
  if ((best?.seq ?? 0) < certainFrom) return undefined;
  const { lastChildAction = null, created = null } = state ?? {};
  const same =
    lastChildAction?.writer === asker.writer && lastChildAction.seq > (best?.seq ?? 0) ? lastChildAction : null;
  const isDone = asker.edgeTriggered === true && (best?.seq ?? 0) < (delivery.echo?.seq ?? 0);
  if (created?.writer === asker.writer && (best?.seq ?? 0) < created.seq) {
    // Whose handlers are known goes on with what it began.
    const isKnown = asker.resources !== null && asker.reactsToCreatedObjects !== true;
    if (isKnown && created.cause !== undefined && !isSuperseded(created.cause)) return created.cause;
    if (!isKnown && own !== undefined) return own;
  }
  const woke = same?.cause ?? (isDone ? undefined : (best ?? own ?? delivery.echo));
  if (woke === undefined || isSuperseded(woke) || woke.seq < delivery.anewSince) return undefined;
  return woke.seq < (asker.listed ?? 0) && isAbout(state, woke, asker) ? undefined : woke;
}

/** The last that others did to what is attached to an object, and is not about to go. */
function lastAttached(
  states: ObjectStates,
  keys: readonly string[] | undefined,
  { process, writer }: TriggerQuery,
): Delivery | undefined {
  let last: Delivery | undefined;
  for (const key of keys ?? []) {
    const state = states.withKey(key);
    if (state === undefined || state.terminatingSince !== undefined) continue;
    for (const delivery of deliveriesTo(state.deliveries, process))
      if (delivery.writer !== writer && !isSuperseded(delivery)) last = newer(delivery, last);
  }
  return last;
}

function isAbout(state: ObjectState | undefined, event: Delivery, { process }: TriggerQuery): boolean {
  return deliveriesTo(state?.deliveries, process).includes(event);
}

/** The last change of an object that a program made itself, and heard of. */
function didItself(state: ObjectState | undefined, { process, writer }: TriggerQuery): Delivery | undefined {
  let last: Delivery | undefined;
  for (const delivery of deliveriesTo(state?.deliveries, process))
    if (delivery.writer === writer && !isSuperseded(delivery)) last = newer(delivery, last);
  return last;
}

/** The newest of what a program heard, apart from what it made itself. */
class TriggerCandidates {
  best: Delivery | undefined;
  echo: Delivery | undefined;
  /** Message that told anew of something of that; what came before it may not be the last that was told. 0: none. */
  anewSince = 0;
  readonly #asker: TriggerQuery;
  readonly #since: number;

  /** @param since only what came after this message. */
  constructor(asker: TriggerQuery, since: number) {
    this.#asker = asker;
    this.#since = since;
  }

  /** @param resource only this one's. */
  consider(hearers: DeliveriesByProcess | null | undefined, resource?: string): void {
    for (const delivery of deliveriesTo(hearers, this.#asker.process))
      if (resource === undefined || delivery.resource === resource) {
        if (isSuperseded(delivery)) this.over(delivery);
        else this.add(delivery);
      }
  }

  /** What was heard of those that the object owns. */
  weighOwned(hearers: DeliveriesByProcess | null | undefined): void {
    const { process, ownedResources } = this.#asker;
    for (const delivery of deliveriesTo(hearers, process)) {
      if (delivery.resource !== undefined && ownedResources?.has(delivery.resource) === false) continue;
      if (isSuperseded(delivery)) this.over(delivery);
      else this.add(delivery);
    }
  }

  /**
   * What was heard of a node makes room on it, or lets Pods come; its status says from time to time that it lives.
   * @param atOnce who wrote may not be answered yet.
   */
  weighNode(hearers: DeliveriesByProcess | null | undefined, atOnce: boolean): void {
    for (const one of deliveriesTo(hearers, this.#asker.process))
      if (!isSuperseded(one) && (one.writer !== undefined || atOnce) && one.ofStatus !== true) this.add(one);
  }

  /** What it heard before it began anew: that was told anew then. */
  over({ resource, source }: Delivery): void {
    const { resources } = this.#asker;
    if (source === undefined || (resources !== null && resource !== undefined && !resources.has(resource))) return;
    this.anewSince = Math.max(this.anewSince, source.relistedAt);
  }

  /**
   * What it heard of an object that it changes, but for what is newer than the version that it had. What others did then may have
   * taken the place of what woke it.
   * @returns only what came from this message on is certain then: from the event of that version on, if it heard that.
   */
  weighWhatItHad(hearers: DeliveriesByProcess | null | undefined): number {
    const { process, writer, had } = this.#asker;
    let isOvertaken = false;
    let at = Number.POSITIVE_INFINITY;
    for (const delivery of deliveriesTo(hearers, process)) {
      const { version = 0 } = delivery;
      if (isSuperseded(delivery)) {
        this.over(delivery);
        continue;
      }
      if (had === undefined || version <= had.version || delivery.resource !== had.resource) this.add(delivery);
      else if (delivery.writer !== writer) isOvertaken = true;
      if (version === had?.version) at = Math.min(at, delivery.seq);
    }
    return isOvertaken ? at : 0;
  }

  add(delivery: Delivery): void {
    const { writer, resources, ignoresStatusWrites } = this.#asker;
    // Who deletes something and takes its finalizer is often two controllers of one program.
    const reactsToOwnWrites = this.#asker.reactsToOwnWrites || (resources === null && delivery.ofDelete === true);
    if (
      delivery.seq <= this.#since ||
      (ignoresStatusWrites === true && delivery.ofStatus === true && delivery.writer !== writer)
    )
      return;
    if (resources !== null && delivery.resource !== undefined && !resources.has(delivery.resource)) return;
    if (delivery.writer === writer && !reactsToOwnWrites) this.echo = newer(delivery, this.echo);
    else this.best = newer(delivery, this.best);
  }
}

function newer(delivery: Delivery, than: Delivery | undefined): Delivery {
  return than === undefined || delivery.seq > than.seq ? delivery : than;
}
