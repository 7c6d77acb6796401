// Keeps the last turn of each controller for each key of its work queue, and finds the notifications that can have added a key.

import { BoundedMap } from '../../core/collections/bounded.js';
import type { ObjectRef } from '../api/object-ref.js';
import type { WorkQueue } from './controller-table.js';
import { FOR_ALL_KEYS } from './controllers.js';
import { type DeliveriesByProcess, type Delivery, deliveriesTo, isSuperseded, recordDelivery } from './deliveries.js';
import { type ObjectState, type ObjectStates, rememberTurn } from './object-states.js';
import { ProgramTurns } from './programs/program-turns.js';
import type { TriggerQuery } from './trigger-query.js';
import {
  AT_ONCE_MS,
  joinTurn,
  newTurn,
  type TakenTurn,
  type Trigger,
  type Turn,
  type TurnRequest,
  takeTurn,
} from './turns.js';

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

  /** Adds a request about an object to a turn of its client. @returns null: the key for which the request is sent is not known. */
  turnOf(object: ObjectRef, client: TriggerQuery, queue: WorkQueue, request: TurnRequest): TakenTurn | null {
    const { writer } = client;
    if (queue.isLearnt === true) return this.programs.turnOf(object, client, queue, request);
    const related = this.#relatedTurn(object, writer, request.time);
    if (related !== undefined) return { turn: joinTurn(related, request, queue), isCertain: false };
    const key = this.#keyOf(object, queue);
    return key === undefined ? null : this.#take(key, object, client, queue, request);
  }

  /** Adds a request to the last turn for its key, or begins the next one. */
  #take(key: ObjectState, object: ObjectRef, client: TriggerQuery, queue: WorkQueue, request: TurnRequest): TakenTurn {
    const { writer } = client;
    const last = key.turns?.get(writer);
    // Where creating a child failed, each notification makes the controller try again, not only that a child is gone.
    const isReplacement = queue.replaces?.includes(request.kind) === true && last?.hasFailed !== true;
    const notifications = this.#notifications(key, object, client, queue, isReplacement);
    const earlier = notifications.filter(({ seq }) => seq < request.seq);
    const taken = takeTurn(last, request, queue, earlier);
    if (taken.turn !== last) {
      rememberTurn(key, writer, taken.turn);
      const recent = this.#recent.get(writer) ?? NONE;
      this.#recent.set(writer, [{ key, turn: taken.turn }, ...recent.slice(0, MAX_RECENT - 1)]);
    }
    return taken;
  }

  /** A client whose queue is not in the table sends a request about an object. @param seq of the request. @param time ms since the epoch. */
  observeRequest(
    object: ObjectRef,
    writer: number,
    seq: number,
    time: number,
    trigger: Trigger | undefined,
  ): Turn | undefined {
    const key = this.#states.find(object);
    if (key === undefined) return undefined;
    const turn = newTurn(seq, time, trigger, key.turns?.get(writer));
    rememberTurn(key, writer, turn);
    return turn;
  }

  /** The last turn that a client took for an object. */
  lastTurnOf(object: ObjectRef, writer: number): Turn | undefined {
    return this.#states.find(object)?.turns?.get(writer);
  }

  /** The turn in which a controller sends a request about no object, such as discovery. @param time ms since the epoch. */
  currentTurnOf(writer: number, time: number): Turn | undefined {
    const turn = this.#relatedTurn(NO_OBJECT, writer, time);
    if (turn !== undefined) turn.open += 1;
    return turn;
  }

  #keyOf(object: ObjectRef, { resource }: WorkQueue): ObjectState | undefined {
    const own = this.#states.find(object);
    const isKey = (key: string): boolean => key.startsWith(`${resource}.`);
    if (resource === '' || isKey(object.key)) return own;
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
    for (const { key, turn } of this.#recent.get(writer) ?? NONE) {
      if (turn.open > 0 || turn.ended || turn.failed !== 0 || key.key === object.key) continue;
      if (time - turn.answeredAt > AT_ONCE_MS) continue;
      const isAboutIt = object.key === '' || (uid !== undefined && key.owners.includes(uid));
      if (isAboutIt || object.related?.keys.includes(key.key) === true) return turn;
    }
    return undefined;
  }

  /** The notifications that can have added a key to a queue, the oldest first. */
  #notifications(
    key: ObjectState,
    object: ObjectRef,
    client: TriggerQuery,
    queue: WorkQueue,
    isReplacement: boolean,
  ): Delivery[] {
    const { process } = client;
    const found = new Set<Delivery>();
    const add = (known: DeliveriesByProcess | null | undefined, isFitting: (one: Delivery) => boolean): void => {
      for (const one of deliveriesTo(known, process)) if (!isSuperseded(one) && isFitting(one)) found.add(one);
    };
    if (queue.addedBy === 'owners') this.#addOfOwners(key, add);
    else this.#addOfObject(key, object, client, queue, isReplacement, add);
    return [...found].sort((a, b) => a.seq - b.seq);
  }

  #addOfObject(
    key: ObjectState,
    object: ObjectRef,
    client: TriggerQuery,
    queue: WorkQueue,
    isReplacement: boolean,
    add: Add,
  ): void {
    const { resources } = client;
    const isFitting = ({ resource, transition }: Delivery): boolean =>
      (resources === null || resource === undefined || resources.has(resource)) &&
      !(resource !== undefined && resource === queue.deletedOnly && transition !== 'removed');
    add(key.deliveries, isFitting);
    // A controller creates a child in place of one that is deleted, has ended or was released.
    add(isReplacement ? key.removals : key.ownedDeliveries, isFitting);
    add(this.#states.find(object)?.deliveries, isFitting);
    // Events of the Pods behind a Service are among those of owned objects, by its selector.
    if (queue.resource !== 'services')
      for (const uid of object.related?.uids ?? []) add(this.#states.withUid(uid)?.deliveries, isFitting);
    for (const one of object.related?.keys ?? []) add(this.#states.withKey(one)?.deliveries, isFitting);
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
const NONE: readonly KeyedTurn[] = [];
/** Limit: controllers of a cluster. */
const MAX_CONTROLLERS = 256;
/** Limit: namespaces in which something was deleted lately. */
const MAX_NAMESPACES = 1000;
/** Limit: turns of one controller that go on at a time: it has 1 to 20 workers. */
const MAX_RECENT = 32;
