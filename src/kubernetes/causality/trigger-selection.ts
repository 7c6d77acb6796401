// Selects the watch event that triggered a request, from what its process received about the object, its relatives and its children.

import type { ObjectRef } from '../api/object-ref.js';
import { type DeliveriesByProcess, type Delivery, deliveriesTo, isSuperseded } from './deliveries.js';
import type { ObjectState, ObjectStates } from './object-states.js';

/** The client of a request, and which deliveries trigger it. */
export interface TriggerQuery {
  /** Participant ids of the process: see `ParticipantRecord.ids`. */
  readonly process: readonly number[];
  /** Participant id of the client. */
  readonly writer: number;
  /** Resources whose events trigger it; null: all. */
  readonly resources: ReadonlySet<string> | null;
  /** Its own writes trigger it too. */
  readonly reactsToOwnWrites: boolean;
  /** Its own writes never trigger it, also where it received nothing else. */
  readonly ignoresOwnWrites?: boolean;
  /** The version that its request is based on, where the request carries one: newer events were unknown to it. */
  readonly had?: { readonly resource: string; readonly version: number };
  /** Its request changes or deletes an object, which its cache must still have. */
  readonly needsObject?: boolean;
}

/**
 * The last delivery to the client's process about the object, its owners or its children, of those that trigger the client; one
 * of its own writes only where there is no other. For a Pod that was unschedulable, only events after that decision can
 * trigger its binding: events about the Pod, its volumes, the chosen node, or a Pod deleted from that node
 * (pkg/scheduler/backend/queue). An eviction is triggered by what the evicting program did to the Pod's node. A node's status
 * reports the volumes that were attached since the last report (pkg/controller/volume/attachdetach).
 * @param considered gets the deliveries that can be the trigger.
 */
export function selectTrigger(
  states: ObjectStates,
  object: ObjectRef,
  client: TriggerQuery,
  considered: Delivery[] = [],
): Delivery | undefined {
  const { evictedFrom, node } = object.related ?? {};
  const state = states.find(object);
  if (evictedFrom !== undefined)
    return evictedFrom === null ? undefined : changeOf(states.withKey(evictedFrom), client);
  const since = node === undefined ? 0 : (state?.unschedulableSince ?? 0);
  const delivery = new TriggerCandidates(client, since, considered);
  const certainFrom = delivery.considerBasedOn(state?.deliveries);
  delivery.consider(state?.ownedDeliveries);
  const own = delivery.echo;
  for (const owner of states.ownersOf(object, state)) delivery.consider(owner.deliveries);
  for (const uid of object.related?.uids ?? []) delivery.consider(states.withUid(uid)?.deliveries);
  const attached = lastAttached(states, object.related?.attachments, client);
  for (const key of object.related?.keys ?? []) delivery.consider(states.withKey(key)?.deliveries);
  const { best } = delivery;
  if ((attached?.seq ?? 0) > (delivery.echo?.seq ?? 0)) return attached;
  if (node !== undefined && since > 0) {
    const place = states.withKey(node);
    delivery.consider(place?.removals);
    delivery.considerNode(place?.deliveries);
    return delivery.best;
  }
  if ((best?.seq ?? 0) < certainFrom) return undefined;
  const trigger = best ?? own ?? delivery.echo;
  return trigger === undefined || isSuperseded(trigger) || trigger.seq < delivery.anewSince ? undefined : trigger;
}

/** The last delivery of another program's write to an object's attachments that are not terminating. */
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

/**
 * The last delivery of a Node that the program itself changed: it is drained. The taint manager acts on anybody's taints
 * (pkg/controller/tainteviction); a status is a heartbeat.
 */
function changeOf(
  state: ObjectState | undefined,
  { process, writer, reactsToOwnWrites }: TriggerQuery,
): Delivery | undefined {
  let last: Delivery | undefined;
  for (const delivery of deliveriesTo(state?.deliveries, process)) {
    const isIts = delivery.writer === writer || (reactsToOwnWrites && delivery.writer !== undefined);
    if (isIts && delivery.ofStatus !== true && !isSuperseded(delivery)) last = newer(delivery, last);
  }
  return last;
}

/** Keeps the newest delivery that can be the trigger, and apart from it the newest of the client's own writes. */
class TriggerCandidates {
  best: Delivery | undefined;
  echo: Delivery | undefined;
  /** `seq` of the last relist; an older delivery may not be the last. 0: none. */
  anewSince = 0;
  readonly #client: TriggerQuery;
  readonly #since: number;

  /** @param since `seq`: only later deliveries count. @param considered gets all that can be the trigger, as they come. */
  constructor(
    client: TriggerQuery,
    since: number,
    private readonly considered: Delivery[],
  ) {
    this.#client = client;
    this.#since = since;
  }

  consider(deliveries: DeliveriesByProcess | null | undefined): void {
    for (const delivery of deliveriesTo(deliveries, this.#client.process))
      if (isSuperseded(delivery)) this.over(delivery);
      else this.add(delivery);
  }

  /** Deliveries of a node that make room on it, or make it schedulable; its status is a heartbeat. */
  considerNode(deliveries: DeliveriesByProcess | null | undefined): void {
    for (const one of deliveriesTo(deliveries, this.#client.process))
      if (!isSuperseded(one) && one.writer !== undefined && one.ofStatus !== true) this.add(one);
  }

  /** Deliveries before a relist, which repeated them. */
  over({ resource, source }: Delivery): void {
    const { resources } = this.#client;
    if (source === undefined || (resources !== null && resource !== undefined && !resources.has(resource))) return;
    this.anewSince = Math.max(this.anewSince, source.relistedAt);
  }

  /**
   * Deliveries of an object that the client changes, without those newer than the version it had. Later deliveries may have replaced
   * the trigger.
   * @returns `seq` from which on deliveries are certain: that of the event of that version, if it was delivered.
   */
  considerBasedOn(deliveries: DeliveriesByProcess | null | undefined): number {
    const { process, had, resources, needsObject } = this.#client;
    // A turn that begins with a removal does not find the object in its cache; the table says which controllers send the request all the same.
    const ignoresRemoval = needsObject === true && resources === null;
    let isOvertaken = false;
    let at = Number.POSITIVE_INFINITY;
    for (const delivery of deliveriesTo(deliveries, process)) {
      const { version = 0 } = delivery;
      if (isSuperseded(delivery)) {
        this.over(delivery);
        continue;
      }
      if (ignoresRemoval && delivery.transition === 'removed') continue;
      if (had === undefined || version <= had.version || delivery.resource !== had.resource) this.add(delivery);
      else if (!isOwn(delivery, this.#client)) isOvertaken = true;
      if (version === had?.version) at = Math.min(at, delivery.seq);
    }
    return isOvertaken ? at : 0;
  }

  add(delivery: Delivery): void {
    const { resources } = this.#client;
    // Of two controllers of one program, one often deletes an object and the other removes its finalizer, or goes on once it is gone.
    const isRemoval = delivery.ofDelete === true || delivery.transition === 'removed';
    const reactsToOwnWrites = this.#client.reactsToOwnWrites || (resources === null && isRemoval);
    if (delivery.seq <= this.#since) return;
    if (resources !== null && delivery.resource !== undefined && !resources.has(delivery.resource)) return;
    if (isOwn(delivery, this.#client) && !reactsToOwnWrites) {
      if (this.#client.ignoresOwnWrites !== true) this.echo = newer(delivery, this.echo);
    } else {
      this.best = newer(delivery, this.best);
      this.considered.push(delivery);
    }
  }
}

/** Whether the client made the change; the whole process did so on a connection on which it was identified later, too. */
function isOwn({ writer }: Delivery, client: TriggerQuery): boolean {
  if (writer === client.writer) return true;
  const { process: ids } = client;
  return writer !== undefined && ids.length > 1 && ids[0] === client.writer && ids.includes(writer);
}

function newer(delivery: Delivery, than: Delivery | undefined): Delivery {
  return than === undefined || delivery.seq > than.seq ? delivery : than;
}
