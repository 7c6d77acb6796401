// Selects the watch event that triggered a request, from what its process received about the object, its relatives and its children.

import type { ObjectRef } from '../api/object-ref.js';
import { type DeliveriesByProcess, type Delivery, deliveriesTo, isSuperseded } from './deliveries.js';
import type { ObjectState, ObjectStates } from './object-states.js';
import type { TriggerQuery } from './trigger-query.js';

/** The delivery that triggered a request, and all that can have done so. */
export interface SelectedTrigger {
  readonly delivery: Delivery;
  readonly possible: readonly Delivery[];
}

/**
 * The last delivery to the client's process about the object, its owners or its children, of those that trigger the client; one
 * of its own writes only where there is no other. For a Pod that was unschedulable, only events after that decision can
 * trigger its binding: events about the Pod, its volumes, the chosen node, or a Pod deleted from that node
 * (pkg/scheduler/backend/queue). An eviction is triggered by what the evicting program did to the Pod's node. A node's status
 * reports the volumes that were attached since the last report (pkg/controller/volume/attachdetach).
 * @returns undefined: none is known, or a later one that was not captured may have replaced it.
 */
export function selectTrigger(
  states: ObjectStates,
  object: ObjectRef,
  client: TriggerQuery,
): SelectedTrigger | undefined {
  const { evictedFrom, node, attachments, uids = NONE, keys = NONE } = object.related ?? {};
  if (evictedFrom !== undefined)
    return evictedFrom === null ? undefined : lastOf(changesOf(states.withKey(evictedFrom), client), NO_DELIVERIES);
  const state = states.find(object);
  const delivered = (of: DeliveriesByProcess | null | undefined): readonly Delivery[] =>
    deliveriesTo(of, client.process);
  const about = delivered(state?.deliveries).filter((one) => !isRemovalIgnored(one, client));
  const later = about.filter((one) => isLaterVersion(one, client));
  const received = [
    ...about.filter((one) => isSuperseded(one) || !isLaterVersion(one, client)),
    ...delivered(state?.ownedDeliveries),
    ...states.ownersOf(object, state).flatMap(({ deliveries }) => delivered(deliveries)),
    ...uids.flatMap((uid) => delivered(states.withUid(uid)?.deliveries)),
    ...keys.flatMap((key) => delivered(states.withKey(key)?.deliveries)),
  ].filter(({ resource }) => isListened(resource, client));
  const since = node === undefined ? 0 : (state?.unschedulableSince ?? 0);
  const current = received.filter((one) => one.seq > since && !isSuperseded(one));
  const possible = current.filter((one) => isNews(one, client));
  const echoes = client.ignoresOwnWrites === true ? [] : current.filter((one) => !possible.includes(one));
  const attached = lastOf(
    (attachments ?? NONE).flatMap((key) => attachedBy(states.withKey(key), client)),
    possible,
  );
  if ((attached?.delivery.seq ?? 0) > (lastOf(echoes)?.delivery.seq ?? 0)) return attached;
  if (node !== undefined && since > 0) {
    const place = states.withKey(node);
    const room = [...delivered(place?.removals), ...delivered(place?.deliveries).filter(isChange)];
    return lastOf([...possible, ...room.filter((one) => one.seq > since && !isSuperseded(one))]);
  }
  const best = lastOf(possible);
  if ((best?.delivery.seq ?? 0) < certainFrom(about, later, client)) return undefined;
  const trigger = best ?? lastOf(echoes, possible);
  // Where the process relisted, the last event may be one of those before.
  const relistedAt = Math.max(0, ...received.filter(isSuperseded).map(({ source }) => source?.relistedAt ?? 0));
  return trigger === undefined || trigger.delivery.seq < relistedAt ? undefined : trigger;
}

/** The newest of some deliveries. */
function lastOf(deliveries: readonly Delivery[], possible = deliveries): SelectedTrigger | undefined {
  let last: Delivery | undefined;
  for (const one of deliveries) if (last === undefined || one.seq > last.seq) last = one;
  return last && { delivery: last, possible };
}

function isListened(resource: string | undefined, { resources }: TriggerQuery): boolean {
  return resources === null || resource === undefined || resources.has(resource);
}

/**
 * A turn that begins with a removal does not find the object in its cache; the table says which controllers send the request all the
 * same.
 */
function isRemovalIgnored({ transition }: Delivery, { needsObject, resources }: TriggerQuery): boolean {
  return needsObject === true && resources === null && transition === 'removed';
}

/** Whether an event is of a newer version than the one that the request is made from. */
function isLaterVersion({ version = 0, resource }: Delivery, { had }: TriggerQuery): boolean {
  return had !== undefined && version > had.version && resource === had.resource;
}

/**
 * `seq` from which on deliveries are certain: where another program has changed the object since the version that the request is made
 * from, that of the event of that version; Infinity: it was not delivered.
 */
function certainFrom(about: readonly Delivery[], later: readonly Delivery[], client: TriggerQuery): number {
  if (!later.some((one) => !isSuperseded(one) && !isOwn(one, client))) return 0;
  const made = about.filter((one) => !isSuperseded(one) && (one.version ?? 0) === client.had?.version);
  return Math.min(...made.map(({ seq }) => seq));
}

/**
 * Whether the client acts on a delivery: not on its own writes, if its row does not say so. Of two controllers of one program, one
 * often deletes an object and the other removes its finalizer, or goes on once it is gone.
 */
function isNews(delivery: Delivery, client: TriggerQuery): boolean {
  const isRemoval = delivery.ofDelete === true || delivery.transition === 'removed';
  return client.reactsToOwnWrites || (client.resources === null && isRemoval) || !isOwn(delivery, client);
}

/** Whether the client made the change; the whole process did so on a connection on which it was identified later, too. */
function isOwn({ writer }: Delivery, client: TriggerQuery): boolean {
  if (writer === client.writer) return true;
  const { process: ids } = client;
  return writer !== undefined && ids.length > 1 && ids[0] === client.writer && ids.includes(writer);
}

/** Whether a delivery of a node makes room on it, or makes it schedulable; its status is a heartbeat. */
function isChange({ writer, ofStatus }: Delivery): boolean {
  return writer !== undefined && ofStatus !== true;
}

/** Deliveries of another program's writes to an attachment that is not terminating. */
function attachedBy(state: ObjectState | undefined, { process, writer }: TriggerQuery): readonly Delivery[] {
  if (state === undefined || state.terminatingSince !== undefined) return NO_DELIVERIES;
  return deliveriesTo(state.deliveries, process).filter((one) => one.writer !== writer && !isSuperseded(one));
}

/**
 * Deliveries of a Node that the program itself changed: it is drained. The taint manager acts on anybody's taints
 * (pkg/controller/tainteviction); a status is a heartbeat.
 */
function changesOf(state: ObjectState | undefined, client: TriggerQuery): readonly Delivery[] {
  return deliveriesTo(state?.deliveries, client.process).filter(
    (one) => isChange(one) && (one.writer === client.writer || client.reactsToOwnWrites) && !isSuperseded(one),
  );
}

const NONE: readonly string[] = [];
const NO_DELIVERIES: readonly Delivery[] = [];
