// Keeps the last turn of each controller for each key of its work queue, and finds the notifications that can have added a key.

import { BoundedMap } from '../../core/collections/bounded.js';
import type { ObjectRef } from '../api/object-ref.js';
import { OWN_KEYS, type WorkQueue } from './controller-table.js';
import { FOR_ALL_KEYS } from './controllers.js';
import { type DeliveriesByProcess, type Delivery, deliveriesTo, isSuperseded, recordDelivery } from './deliveries.js';
import { type ObjectState, type ObjectStates, rememberTurn } from './object-states.js';
import { ProgramTurns } from './programs/program-turns.js';
import type { TriggerQuery } from './trigger-query.js';
import { AT_ONCE_MS, joinTurn, type TakenTurn, type Turn, type TurnRequest, takeTurn } from './turns.js';

interface KeyedTurn {
  readonly key: ObjectState;
  readonly turn: Turn;
}

export class WorkQueues {
  readonly #states: ObjectStates;
  /** By resource: events that add every key of a queue, as those of Nodes add every DaemonSet. */
  readonly #forAllKeys = new Map<string, DeliveriesByProcess>();
  /** By namespace: events of deleted objects and of Pods that have ended, for quotas. */
  readonly #removals = new BoundedMap<string, DeliveriesByProcess>(MAX_NAMESPACES, 'objects that were removed');
  /** By participant id of a controller: its last turns for any key, the newest first. */
  readonly #recent = new BoundedMap<number, readonly KeyedTurn[]>(MAX_CONTROLLERS, 'recent turns');

  readonly programs: ProgramTurns;

  /** @param namesIn texts of an object that may be names of others, by its key. */
  constructor(states: ObjectStates, namesIn: (key: string) => readonly string[] = () => []) {
    this.#states = states;
    this.programs = new ProgramTurns(states, namesIn);
  }

  /**
   * An event was delivered to a process. @param isRemoval the event's object was deleted, or is a Pod that has ended.
   * @param keyForOperator key of the event's object; undefined: the process is no operator.
   */
  delivered(
    delivery: Delivery,
    process: number,
    namespace: string | undefined,
    isRemoval: boolean,
    keyForOperator: string | undefined,
  ): void {
    const { resource = '' } = delivery;
    if (keyForOperator !== undefined) this.programs.delivered(delivery, process, keyForOperator);
    if (FOR_ALL_KEYS.has(resource))
      this.#forAllKeys.set(resource, recordDelivery(this.#forAllKeys.get(resource) ?? null, process, delivery));
    if (isRemoval && namespace !== undefined)
      this.#removals.set(namespace, recordDelivery(this.#removals.get(namespace) ?? null, process, delivery));
  }

  /** Adds a request about an object to a turn of its client. @returns null: it is not known what the request is sent for. */
  turnOf(object: ObjectRef, client: TriggerQuery, queue: WorkQueue, request: TurnRequest): TakenTurn | null {
    const { writer } = client;
    if (queue.isLearnt === true) return this.programs.turnOf(object, client, queue, request);
    const related = queue.takesNewest === true ? undefined : this.#relatedTurn(object, writer, request.time);
    if (related !== undefined) return { turn: joinTurn(related, request, queue), isCertain: false };
    const queued = this.#keyOf(object, queue);
    const by = queued === undefined ? OWN_KEYS : queue;
    const key = queued ?? this.#states.find(object);
    const last = key?.turns?.get(writer);
    // Where creating a child failed, each notification makes the controller try again, not only that a child is gone.
    const isReplacement = by.replaces?.includes(request.kind) === true && last?.hasFailed !== true;
    const notifications = this.#notifications(key, object, client, by, isReplacement);
    const earlier = notifications.filter(({ seq }) => seq < request.seq);
    if (key === undefined && earlier.length === 0) return null;
    const taken = takeTurn(last, request, by, earlier);
    if (taken.turn === last || key === undefined) return taken;
    rememberTurn(key, writer, taken.turn);
    if (by.takesNewest === true) return taken;
    const recent = this.#recent.get(writer) ?? NO_TURNS;
    this.#recent.set(writer, [{ key, turn: taken.turn }, ...recent.slice(0, MAX_RECENT - 1)]);
    return taken;
  }

  /** The last turn that a client took for an object. */
  lastTurnOf(object: ObjectRef, writer: number): Turn | undefined {
    return this.#states.find(object)?.turns?.get(writer);
  }

  /** The newest notification about an object that its client received. */
  newest(object: ObjectRef, client: TriggerQuery, queue: WorkQueue): Delivery | undefined {
    return this.#notifications(this.#keyOf(object, queue), object, client, queue, false).at(-1);
  }

  /**
   * The last change of a Node by the program that evicts its Pods: it is drained. The taint manager acts on anybody's taints
   * (pkg/controller/tainteviction).
   */
  changeOfDrained(node: string, { process, writer, reactsToOwnWrites }: TriggerQuery): Delivery | undefined {
    return deliveriesTo(this.#states.withKey(node)?.deliveries, process).find(
      (one) => isChange(one) && (reactsToOwnWrites || one.writer === writer) && !isSuperseded(one),
    );
  }

  /** The turn in which a controller sends a request about no object, such as discovery. @param time ms since the epoch. */
  currentTurnOf(writer: number, time: number): Turn | undefined {
    const turn = this.#relatedTurn(NO_OBJECT, writer, time);
    if (turn !== undefined) turn.open += 1;
    return turn;
  }

  /** The object whose key is queued, of which a request may be about another. @returns undefined: not known. */
  #keyOf(object: ObjectRef, { resource }: WorkQueue): ObjectState | undefined {
    const own = this.#states.find(object);
    const isKey = (key: string): boolean => key.startsWith(`${resource}.`);
    if (resource === '' || isKey(own?.key ?? object.key)) return own;
    const owner = this.#states.ownersOf(object, own).find(({ key }) => key === '' || isKey(key));
    if (owner !== undefined) return owner;
    const related = object.related?.keys.find(isKey);
    return related === undefined ? undefined : this.#states.withKey(related);
  }

  /**
   * The turn for another key in which a request about this object is sent: the collector looks up the owner of the key's object, the
   * volume binder the claim of a volume. The worker does so at once after a response, unless that failed: then it is done with the key.
   */
  #relatedTurn(object: ObjectRef, writer: number, time: number): Turn | undefined {
    const uid = this.#states.find(object)?.uid;
    for (const { key, turn } of this.#recent.get(writer) ?? NO_TURNS) {
      if (turn.open > 0 || turn.ended || turn.failed !== 0 || key.key === object.key) continue;
      if (time - turn.answeredAt > AT_ONCE_MS) continue;
      const isAboutIt = object === NO_OBJECT || (uid !== undefined && key.owners.includes(uid));
      if (isAboutIt || object.related?.keys.includes(key.key) === true) return turn;
    }
    return undefined;
  }

  /** The notifications that can have added a key to a queue, the oldest first. */
  #notifications(
    key: ObjectState | undefined,
    object: ObjectRef,
    client: TriggerQuery,
    queue: WorkQueue,
    isReplacement: boolean,
  ): readonly Delivery[] {
    const { process } = client;
    const found = new Set<Delivery>();
    let relistedAt = 0;
    const add = (known: DeliveriesByProcess | null | undefined, isFitting: (one: Delivery) => boolean): void => {
      for (const one of deliveriesTo(known, process))
        if (isFitting(one))
          if (isSuperseded(one)) relistedAt = Math.max(relistedAt, one.source?.relistedAt ?? 0);
          else found.add(one);
    };
    if (queue.addedBy !== 'owners') this.#addOfObject(key, object, client, queue, isReplacement, add);
    else if (key !== undefined) this.#addOfOwners(key, add);
    const all = [...found].sort((a, b) => a.seq - b.seq);
    return queue.takesNewest === true ? this.#untilNewest(all, relistedAt, object, client, queue) : all;
  }

  /**
   * The notifications up to the newest that can be the reason. Where the process relisted, that one may be older than the list.
   * @param relistedAt `seq` of the last list that took the place of others; 0: none did.
   */
  #untilNewest(
    all: readonly Delivery[],
    relistedAt: number,
    object: ObjectRef,
    client: TriggerQuery,
    { ignoresOwnWrites }: WorkQueue,
  ): readonly Delivery[] {
    const news = all.filter((one) => isNews(one, client));
    const attached = this.#attached(object, client);
    if (attached !== undefined && attached.seq > (all.findLast((one) => !news.includes(one))?.seq ?? 0))
      return [...news.filter(({ seq }) => seq < attached.seq), attached];
    const isOwnNoNews = ignoresOwnWrites === true || this.#unschedulableSince(object) > 0;
    const possible = news.length > 0 || isOwnNoNews ? news : all;
    return (possible.at(-1)?.seq ?? 0) < relistedAt ? NO_DELIVERIES : possible;
  }

  /** `seq` of the report that no node fits a Pod that is bound now; 0: none. */
  #unschedulableSince(object: ObjectRef): number {
    return object.related?.node === undefined ? 0 : (this.#states.find(object)?.unschedulableSince ?? 0);
  }

  /** What tells that a volume was attached to a node, whose status reports that (pkg/controller/volume/attachdetach). */
  #attached({ related }: ObjectRef, client: TriggerQuery): Delivery | undefined {
    let last: Delivery | undefined;
    for (const key of related?.attachments ?? NO_TEXTS) {
      const state = this.#states.withKey(key);
      if (state?.terminatingSince !== undefined) continue;
      for (const one of deliveriesTo(state?.deliveries, client.process))
        if (one.writer !== client.writer && !isSuperseded(one) && one.seq > (last?.seq ?? 0)) last = one;
    }
    return last;
  }

  #addOfObject(
    key: ObjectState | undefined,
    object: ObjectRef,
    client: TriggerQuery,
    queue: WorkQueue,
    isReplacement: boolean,
    add: Add,
  ): void {
    const { resources } = client;
    const { node, uids = NO_TEXTS, keys = NO_TEXTS } = object.related ?? {};
    // A Pod that no node fitted is tried again for what came after that: also for its node (pkg/scheduler/backend/queue).
    const since = this.#unschedulableSince(object);
    const isFitting = ({ seq, resource, transition }: Delivery): boolean =>
      seq > since &&
      (resources === null || resource === undefined || resources.has(resource)) &&
      !(resource !== undefined && resource === queue.deletedOnly && transition !== 'removed');
    add(key?.deliveries, isFitting);
    // A controller creates a child in place of one that is deleted, has ended or was released.
    add(isReplacement ? key?.removals : key?.ownedDeliveries, isFitting);
    const own = this.#states.find(object);
    add(own?.deliveries, isFitting);
    // Events of the Pods behind a Service are among those of owned objects, by its selector.
    if (queue.resource !== 'services') for (const uid of uids) add(this.#states.withUid(uid)?.deliveries, isFitting);
    for (const one of keys) add(this.#states.withKey(one)?.deliveries, isFitting);
    if (queue.takesNewest === true)
      for (const owner of this.#states.ownersOf(object, own)) add(owner.deliveries, isFitting);
    if (node !== undefined && since > 0) {
      const place = this.#states.withKey(node);
      add(place?.removals, isFitting);
      add(place?.deliveries, (one) => isChange(one) && isFitting(one));
    }
    if (queue.anyOf !== undefined) add(this.#forAllKeys.get(queue.anyOf), ({ ofStatus }) => ofStatus !== true);
    if (queue.addedBy === 'removals in the namespace') add(this.#removals.get(namespaceInKey(object)), () => true);
  }

  /**
   * An object is queued for collection when its owner goes, when an object that it owns is gone or came before the owner was known,
   * or when it goes itself and owns others. A new object is queued itself only where its owner may be another than its reference
   * names (pkg/controller/garbagecollector/graph_builder.go: processGraphChanges, addDependentToOwners).
   */
  #addOfOwners(key: ObjectState, add: Add): void {
    const owners = this.#states.withUids(key.owners);
    for (const owner of owners)
      add(owner.deliveries, ({ transition }) => transition === 'terminating' || transition === 'removed');
    add(key.ownedDeliveries, ({ transition }) => transition === 'added' || transition === 'removed');
    const isUnsure =
      owners.length < key.owners.length || (isNamespaced(key) && owners.some((owner) => !isNamespaced(owner)));
    const isOwner = key.ownedDeliveries !== null;
    add(
      key.deliveries,
      ({ transition }) => (isUnsure && transition === 'added') || (isOwner && transition === 'terminating'),
    );
  }
}

/**
 * Whether a client acts on a delivery: not on its own writes, if its row does not say so. Of two controllers of one program, one
 * often deletes an object and the other removes its finalizer, or goes on once it is gone. The whole process made the change on a
 * connection on which it was identified later.
 */
function isNews({ writer, ofDelete, transition }: Delivery, client: TriggerQuery): boolean {
  if (client.reactsToOwnWrites || (client.resources === null && (ofDelete === true || transition === 'removed')))
    return true;
  const { process: ids, writer: own } = client;
  return writer !== own && (writer === undefined || ids[0] !== own || !ids.includes(writer));
}

/** Whether a delivery of a Node tells more than a heartbeat. */
function isChange({ writer, ofStatus }: Delivery): boolean {
  return writer !== undefined && ofStatus !== true;
}

/** The namespace of an object's key. */
function namespaceInKey({ key }: Pick<ObjectState, 'key'>): string {
  return key.split(' ')[1] ?? '';
}

function isNamespaced(object: ObjectState): boolean {
  return namespaceInKey(object) !== '';
}

/** Adds those deliveries of an object that fit. */
type Add = (known: DeliveriesByProcess | null | undefined, isFitting: (one: Delivery) => boolean) => void;

const NO_OBJECT: ObjectRef = { key: '' };
const NO_TURNS: readonly KeyedTurn[] = [];
const NO_TEXTS: readonly string[] = [];
const NO_DELIVERIES: readonly Delivery[] = [];
/** Limit: controllers of a cluster. */
const MAX_CONTROLLERS = 256;
/** Limit: namespaces in which something was deleted lately. */
const MAX_NAMESPACES = 1000;
/** Limit: turns of one controller that go on at a time: it has 1 to 20 workers. */
const MAX_RECENT = 32;
