// Keeps the turns that controllers take for the keys of their work queues, and finds what can have added a key.

import { BoundedMap } from '../../core/collections/bounded.js';
import type { ObjectRef } from '../api/object-ref.js';
import { type DeliveriesByProcess, type Delivery, deliveriesTo, isSuperseded, recordDelivery } from './deliveries.js';
import type { ObjectState, ObjectStates } from './object-states.js';
import type { TriggerQuery } from './trigger-selection.js';
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
import { FOR_ALL_KEYS, type WorkQueue } from './work-queue-table.js';

interface KeyedTurn {
  readonly key: ObjectState;
  readonly turn: Turn;
}

export class WorkQueues {
  readonly #states: ObjectStates;
  /** By resource: events that add every key of a queue. */
  readonly #forAllKeys = new Map<string, DeliveriesByProcess>();
  /** By namespace: events of objects that are gone, and of Pods that have ended. */
  readonly #removals = new BoundedMap<string, DeliveriesByProcess>(MAX_NAMESPACES);
  /** By participant id of a controller: its last turns, the newest first. */
  readonly #recent = new BoundedMap<number, readonly KeyedTurn[]>(MAX_CONTROLLERS);

  constructor(states: ObjectStates) {
    this.#states = states;
  }

  /** An event was delivered to a process. @param isRemoval of an object of the namespace that is gone, or of a Pod that has ended. */
  delivered(delivery: Delivery, process: number, namespace: string | undefined, isRemoval: boolean): void {
    const { resource = '' } = delivery;
    if (FOR_ALL_KEYS.has(resource))
      this.#forAllKeys.set(resource, recordDelivery(this.#forAllKeys.get(resource) ?? null, process, delivery));
    if (isRemoval && namespace !== undefined)
      this.#removals.set(namespace, recordDelivery(this.#removals.get(namespace) ?? null, process, delivery));
  }

  /** Adds a request about an object to a turn of its client. @returns null: the key is not known. */
  turnOf(object: ObjectRef, client: TriggerQuery, queue: WorkQueue, request: TurnRequest): TakenTurn | null {
    const { writer } = client;
    const related = this.#relatedTurn(object, writer, request.time);
    if (related !== undefined) return { turn: joinTurn(related, request, queue), isCertain: false };
    const key = this.#keyOf(object, queue);
    if (key === undefined) return null;
    const last = key.turns?.get(writer);
    // While a child cannot be created, every notification makes the controller try again.
    const isReplacement = queue.replaces?.includes(request.kind) === true && last?.hasFailed !== true;
    const taken = takeTurn(last, request, queue, this.#notifications(key, object, client, queue, isReplacement));
    if (taken.turn !== last) {
      this.#keep(key, writer, taken.turn);
      const recent = this.#recent.get(writer) ?? NONE;
      this.#recent.set(writer, [{ key, turn: taken.turn }, ...recent.slice(0, MAX_RECENT - 1)]);
    }
    return taken;
  }

  /** A client without a row in the table sends a request about an object. @param seq of the request. @param time ms since the epoch. */
  acted(object: ObjectRef, writer: number, seq: number, time: number, trigger: Trigger | undefined): void {
    const key = this.#states.find(object);
    if (key !== undefined) this.#keep(key, writer, newTurn(seq, time, trigger, key.turns?.get(writer)));
  }

  /** The last turn that a client took for an object. */
  lastTurnOf(object: ObjectRef, writer: number): Turn | undefined {
    return this.#states.find(object)?.turns?.get(writer);
  }

  /** The turn in which a controller sends a request that is about no object: discovery. @param time ms since the epoch. */
  currentTurnOf(writer: number, time: number): Turn | undefined {
    const turn = this.#relatedTurn(NO_OBJECT, writer, time);
    if (turn !== undefined) turn.open += 1;
    return turn;
  }

  #keep(key: ObjectState, writer: number, turn: Turn): void {
    key.turns ??= new BoundedMap(MAX_CONTROLLERS);
    key.turns.set(writer, turn);
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
   * The turn for another object in which a request is sent: for what the owner to be looked up owns, for the claim of a volume. Its
   * worker sends the next request at once.
   */
  #relatedTurn(object: ObjectRef, writer: number, time: number): Turn | undefined {
    const uid = this.#states.find(object)?.uid;
    for (const { key, turn } of this.#recent.get(writer) ?? NONE) {
      if (turn.open > 0 || turn.ended || time - turn.answeredAt > AT_ONCE_MS || key.key === object.key) continue;
      const isAboutIt = object.key === '' || (uid !== undefined && key.owners.includes(uid));
      if (isAboutIt || object.related?.keys.includes(key.key) === true) return turn;
    }
    return undefined;
  }

  /** What can have added a key to a queue, the oldest first. */
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
    const { resources, ignoresStatusWrites, writer } = client;
    const isFitting = ({ resource, ofStatus, writer: by, transition }: Delivery): boolean =>
      (resources === null || resource === undefined || resources.has(resource)) &&
      !(ignoresStatusWrites === true && ofStatus === true && by !== writer) &&
      !(resource !== undefined && resource === queue.deletedOnly && transition !== 'removed');
    add(key.deliveries, isFitting);
    // A controller creates a child in place of one that is deleted, has ended or was released.
    add(isReplacement ? key.removals : key.ownedDeliveries, isFitting);
    add(this.#states.find(object)?.deliveries, isFitting);
    // Selectors tell which Pods are behind a Service.
    if (queue.resource !== 'services')
      for (const uid of object.related?.uids ?? []) add(this.#states.withUid(uid)?.deliveries, isFitting);
    for (const one of object.related?.keys ?? []) add(this.#states.withKey(one)?.deliveries, isFitting);
    if (queue.anyOf !== undefined) add(this.#forAllKeys.get(queue.anyOf), ({ ofStatus }) => ofStatus !== true);
    if (queue.addedBy === 'removals in the namespace') add(this.#removals.get(object.key.split(' ')[1]), () => true);
  }

  /**
   * An object is queued for collection when its owner goes, when an object that it owns is gone or came before its owner was known,
   * or when it goes itself and owns others (pkg/controller/garbagecollector: processGraphChanges).
   */
  #addOfOwners(key: ObjectState, add: Add): void {
    for (const owner of this.#states.withUids(key.owners))
      add(owner.deliveries, ({ transition }) => transition === 'terminating' || transition === 'removed');
    add(key.ownedDeliveries, ({ transition }) => transition === 'added' || transition === 'removed');
    const isOwner = key.ownedDeliveries !== null;
    add(key.deliveries, ({ transition }) => transition === 'added' || (isOwner && transition === 'terminating'));
  }
}

/** Adds the fitting ones of the deliveries of an object. */
type Add = (known: DeliveriesByProcess | null | undefined, isFitting: (one: Delivery) => boolean) => void;

const NO_OBJECT: ObjectRef = { key: '' };
const NONE: readonly KeyedTurn[] = [];
/** Limit: clients that act on one object, and controllers of a cluster. */
const MAX_CONTROLLERS = 256;
/** Limit: namespaces in which something went lately. */
const MAX_NAMESPACES = 1000;
/** Limit: turns of one controller that go on at a time: it has 1 to 20 workers. */
const MAX_RECENT = 32;
