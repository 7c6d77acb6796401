// Tells the turns of a program that the table of controllers does not know, such as an operator: a request goes on from the event or
// the answer that came last before it, of those that have to do with its object.

import { flattenString } from '../../../core/bytes/bytes.js';
import { BoundedMap } from '../../../core/collections/bounded.js';
import type { ObjectRef } from '../../api/object-ref.js';
import type { WorkQueue } from '../controller-table.js';
import { wakesNobody } from '../controllers.js';
import { type Delivery, deliveriesTo, isSuperseded } from '../deliveries.js';
import { type ObjectState, type ObjectStates, rememberTurn } from '../object-states.js';
import type { TriggerQuery } from '../trigger-query.js';
import {
  joinTurn,
  MAX_OTHERS,
  newTurn,
  PAUSE_MS,
  SETTLED_MS,
  type TakenTurn,
  type Turn,
  type TurnRequest,
} from '../turns.js';
import {
  AGAIN,
  ALIKE,
  ANEW,
  BESIDE,
  CONSUMED,
  ENDED,
  GOING,
  HABIT,
  ITSELF,
  isAmong,
  isNamedAfter,
  isOfOther,
  isUnnamed,
  LATE,
  likelihood,
  MOST_CONSUMED,
  OF_CHILD,
  OWN_PROGRESS,
  OWN_WRITE,
  RELATED,
  REPORTED,
  RIVAL,
  relationByName,
  UNLIKE,
  UNLIKELY,
} from './stimuli.js';

/** A turn with what it is about. */
interface ProgramTurn {
  readonly turn: Turn;
  /**
   * Of its work queue, as far as is known: the object that it reports the status of, the owner of the first one that it is about, or
   * that of the event that began it.
   */
  key: string;
  /** Keys and uids of the objects of its requests, of their owners, and of the event that began it. */
  readonly about: Set<string>;
  /** Its requests: `update pods/status pods. default web`. */
  readonly sent: Set<string>;
  /** The last of them, and its time in ms since the epoch. */
  last: string;
  sentAt: number;
  /** Key of the object that it changed last, where controllers end a turn with such a request. */
  done: string | undefined;
}

interface DeliveredEvent {
  readonly delivery: Delivery;
  /** Of the event's object, or of its owner. */
  readonly key: string;
  readonly isOwned: boolean;
}

/** What a request can go on from. */
interface Stimulus {
  /** The higher, the more likely. */
  readonly weight: number;
  readonly from: ProgramTurn | DeliveredEvent;
}

/** A request with what is known of its object. */
interface AskedRequest {
  readonly object: ObjectRef;
  readonly state: ObjectState | undefined;
  /** uids. */
  readonly owners: readonly string[];
  /** Of the object and its owners. */
  readonly keys: readonly string[];
  readonly client: TriggerQuery;
  readonly request: TurnRequest;
  /** The client's last turns, the newest first. */
  readonly turns: readonly ProgramTurn[];
}

export class ProgramTurns {
  readonly #states: ObjectStates;
  readonly #namesIn: (key: string) => readonly string[];
  /** By participant id of a receiver: the events that it received last, the newest first. */
  readonly #delivered = new BoundedMap<number, DeliveredEvent[]>(MAX_PROGRAMS, 'deliveries to operators');
  /** By participant id of a client: its last turns, the newest first. */
  readonly #turns = new BoundedMap<number, readonly ProgramTurn[]>(MAX_PROGRAMS, 'turns of operators');
  /** By participant id of a client: how many requests of a kind it sent, and how many in turns that events of a resource began. */
  readonly #habits = new BoundedMap<number, BoundedMap<string, number>>(MAX_PROGRAMS, 'habits of operators');
  /** By participant id of a client: its last lists, with the times in ms since the epoch. */
  readonly #lists = new BoundedMap<number, readonly { readonly sent: number; readonly answered: number }[]>(
    MAX_PROGRAMS,
    'lists of operators',
  );

  /** @param namesIn texts of an object that may be names of others, by its key. */
  constructor(states: ObjectStates, namesIn: (key: string) => readonly string[]) {
    this.#states = states;
    this.#namesIn = namesIn;
  }

  /** An event was delivered to a process. @param key of its object. */
  delivered(delivery: Delivery, process: number, key: string): void {
    if (wakesNobody(delivery.resource ?? '')) return;
    const received = this.#delivered.get(process) ?? [];
    this.#delivered.set(process, received);
    received.unshift({ delivery, key, isOwned: false });
    if (received.length > MAX_DELIVERED) received.pop();
  }

  /** Whether events were delivered to it. @param process its participant ids. */
  hasReceived(process: readonly number[]): boolean {
    for (const id of process) if (this.#delivered.has(id)) return true;
    return false;
  }

  /** A program listed a resource, or began a watch. @param sent ms since the epoch. @param answered ms since the epoch. */
  listed(client: number, sent: number, answered: number): void {
    const lists = this.#lists.get(client) ?? [];
    this.#lists.set(client, [...lists.slice(1 - MAX_LISTS), { sent, answered }]);
  }

  /**
   * Adds a request to a turn of its client, or begins the next one.
   * @returns null: nothing is likely to have led to it; it may come by the clock.
   */
  turnOf(object: ObjectRef, client: TriggerQuery, queue: WorkQueue, request: TurnRequest): TakenTurn | null {
    const { writer } = client;
    const turns = this.#turns.get(writer) ?? [];
    const state = this.#states.find(object);
    const owners = object.owners ?? state?.owners ?? NOBODY;
    const keys = [object.key, ...this.#states.withUids(owners).map(({ key }) => key)];
    const asked = { object, state, owners, keys, client, request, turns };
    const possible = [...turns.map((one) => this.#goingOn(one, queue, asked)), ...this.#events(asked)].filter(
      ({ weight }) => weight > UNLIKELY,
    );
    if (possible.length === 0) return null;
    const { from, weight } = possible.reduce((best, one) => (one.weight > best.weight ? one : best));
    const taken = 'turn' in from ? from : this.#begun(from, possible, asked, queue);
    if (taken !== from) this.#turns.set(writer, [taken, ...turns.slice(0, MAX_TURNS - 1)]);
    this.#sent(taken, asked);
    const isOnly = possible.every((one) => one.from === from || !('turn' in one.from) || one.weight < weight - RIVAL);
    return { turn: joinTurn(taken.turn, request, queue), isCertain: queue.isTold === true && isOnly };
  }

  /** The request as the next one of a turn. */
  #goingOn(from: ProgramTurn, queue: WorkQueue, { object, owners, keys, client, request }: AskedRequest): Stimulus {
    const { turn, about, sent, last } = from;
    const { kind, time } = request;
    const asked = `${kind} ${object.key}`;
    const isRepeated = !isUnnamed(object.key) && sent.has(asked);
    const isBeside = turn.open > 0;
    // Requests beside each other are of one loop over alike objects, or of two controllers for one key.
    const isLoop = isBeside && last.startsWith(`${kind} `);
    if (
      (turn.ended && queue.last.length > 0) ||
      (isRepeated && turn.failed === 0 && last === asked && !PROGRESS.test(kind)) ||
      isOfOther(from.key, keys)
    )
      return { weight: UNLIKELY, from };
    const { key, uid = '', related = NOTHING } = object;
    const isRelated = [key, uid, ...owners, ...related.keys, ...related.uids].some((one) => about.has(one));
    const relation = isRelated ? RELATED : relationTo(from, kind, key);
    const pause = isLoop ? time - from.sentAt : this.#pause(client.writer, turn.answeredAt, time);
    const gap = isRepeated && pause < SETTLED_MS ? Math.min(pause, PAUSE_MS) : pause;
    // Habits say nothing of requests that come late.
    const isLate = likelihood(gap) < LATE;
    const isLeft = this.#isCleanedUp(last, key, owners);
    const end = isLeft ? ENDED : isBeside ? (isLoop ? 0 : BESIDE) : endOf(from, kind, key, isRepeated);
    return {
      weight: relation + end + (isLate ? LATE : likelihood(gap) + this.#habit(client, turn.trigger?.delivery, kind)),
      from,
    };
  }

  /** The request as the first one of a turn, by each event that can have begun that. */
  #events({ object, state, owners, keys, client, request, turns }: AskedRequest): Stimulus[] {
    const { process, resources, reactsToOwnWrites, writer } = client;
    const found = new Map<Delivery, { readonly from: DeliveredEvent; readonly relation: number }>();
    const add = (from: DeliveredEvent, relation: number): void => {
      const before = found.get(from.delivery);
      if (before === undefined || before.relation < relation) found.set(from.delivery, { from, relation });
    };
    const addOf = (known: ObjectState | undefined, relation: number, ofOwned: number): void => {
      if (known === undefined) return;
      const { key } = known;
      for (const delivery of deliveriesTo(known.deliveries, process)) add({ delivery, key, isOwned: false }, relation);
      for (const delivery of deliveriesTo(known.ownedDeliveries, process))
        add({ delivery, key, isOwned: true }, ofOwned);
    };
    for (const id of process)
      for (const one of this.#delivered.get(id) ?? [])
        add(one, this.#isNamed(keys, one.key) ? RELATED : relationByName(object.key, one.key));
    addOf(state, ITSELF, CHANGES.test(request.kind) ? OF_CHILD : RELATED);
    for (const owner of this.#states.withUids(owners)) addOf(owner, RELATED, RELATED);
    for (const uid of object.related?.uids ?? NOBODY) addOf(this.#states.withUid(uid), RELATED, ALIKE);
    for (const key of object.related?.keys ?? NOBODY) addOf(this.#states.withKey(key), RELATED, ALIKE);
    const before = Math.min(request.seq, request.before);
    const isKin = (key: string): boolean => keys.includes(key) || object.related?.keys.includes(key) === true;
    return [...found.values()]
      .filter(({ from: { delivery } }) => {
        const { seq, resource = '' } = delivery;
        if (delivery.writer === writer && !reactsToOwnWrites) return false;
        const isListened = resources === null || resource === '' || resources.has(resource);
        const isNew = seq < before && !isSuperseded(delivery);
        return isNew && isListened && !wakesNobody(resource);
      })
      .map(({ from, relation }) => ({
        weight: relation + this.#wakes(from, isKin(from.key), client, request, turns),
        from,
      }));
  }

  /** Whether an object goes because another one does that was deleted and has finalizers: a controller of its own does that. */
  #isCleanedUp(last: string, key: string, owners: readonly string[]): boolean {
    if (!last.startsWith('delete ')) return false;
    const gone = this.#states.withKey(last.split(' ').slice(2).join(' '));
    if (gone?.terminatingSince === undefined || gone.key === key) return false;
    return owners.includes(gone.uid ?? '') || isNamedAfter(key, gone.key);
  }

  /** Whether an event is of an object that one of these names, or that names one of them. */
  #isNamed(keys: readonly string[], event: string): boolean {
    const named = this.#namesIn(event);
    return keys.some((key) => isAmong(event, this.#namesIn(key), key) || isAmong(key, named, event));
  }

  /** How likely an event begins a turn now. @param isKin its object is one of the request's keys: another controller may wait for others. */
  #wakes(
    { delivery, key, isOwned }: DeliveredEvent,
    isKin: boolean,
    client: TriggerQuery,
    { kind, time }: TurnRequest,
    turns: readonly ProgramTurn[],
  ): number {
    const { writer } = client;
    const isAwaited = !isOwned && turns.some((one) => one.done === key && isBack(one, delivery));
    // An event may come before the answer to its write.
    const isOwn =
      delivery.writer === writer ||
      (delivery.writer === undefined && !isOwned && turns.some((one) => hasJustChanged(one, key, delivery.time)));
    const isGoing = isOwn && delivery.transition === 'terminating';
    let consumed = 0;
    let waits = false;
    for (const one of turns) {
      const { turn, about } = one;
      if (turn.trigger?.delivery === delivery) consumed += turn.sent.includes(kind) ? 2 * CONSUMED : CONSUMED;
      else if (about.has(key) && turn.began > delivery.seq) consumed += CONSUMED;
      else if (about.has(key) && (turn.open > 0 || this.#isUnfinished(writer, one, time))) waits = true;
    }
    let at = delivery.time;
    // A worker that was busy takes it when that turn ends.
    for (const { turn, about } of turns.toReversed()) {
      const isOfIt = about.has(key) || turn.trigger?.delivery.resource === delivery.resource;
      if (isOfIt && turn.open === 0 && turn.beganAt < at + PAUSE_MS && turn.answeredAt > at) at = turn.answeredAt;
    }
    const isProgress =
      delivery.ofStatus !== false && this.#habits.get(writer)?.has(`patch ${delivery.resource}/status`) === true;
    const own =
      !isOwn || isAwaited || !(isKin || isOwned) ? 0 : isGoing ? GOING : isProgress ? OWN_PROGRESS : OWN_WRITE;
    // It waits in the queue until the turn for its key ends.
    const less = Math.max(own + consumed + (waits ? CONSUMED : 0), MOST_CONSUMED);
    const pause = likelihood(this.#pause(writer, at, time));
    return less + (pause < LATE ? LATE : pause + this.#habit(client, delivery, kind));
  }

  /** Whether turns for such a key end with a change of its status, and this one has not yet. */
  #isUnfinished(writer: number, { turn, done, key }: ProgramTurn, time: number): boolean {
    if (done !== undefined || time - turn.answeredAt > SETTLED_MS) return false;
    const resource = key.slice(0, key.indexOf('.'));
    const habits = this.#habits.get(writer);
    const reports = habits?.get(`update ${resource}/status`) ?? habits?.get(`patch ${resource}/status`) ?? 0;
    return reports >= FEW;
  }

  /**
   * ms between, without those in which a worker waits for the first list of a resource that it asks its cache for (controller-runtime
   * pkg/cache/internal: informerCache.Get).
   */
  #pause(client: number, from: number, to: number): number {
    let at = from;
    for (const { sent, answered } of this.#lists.get(client) ?? [])
      if (sent >= at && sent < at + SETTLED_MS && answered < to) at = answered;
    return at === from ? to - from : Math.max(1, to - at - SYNC_MS);
  }

  #begun(
    from: DeliveredEvent,
    possible: readonly Stimulus[],
    { client: { writer }, owners, request, turns }: AskedRequest,
    { isTold }: WorkQueue,
  ): ProgramTurn {
    const { delivery } = from;
    const best = Math.max(...possible.map(({ weight }) => weight));
    const others = possible.flatMap(({ from: one }) => ('delivery' in one && one !== from ? [one.delivery.seq] : []));
    const trigger = {
      delivery,
      isRequeue: turns.some(({ turn }) => turn.trigger?.delivery === delivery && turn.failed !== 0),
      isCertain: isTold === true && possible.filter(({ weight }) => weight >= best - RIVAL).length === 1,
      others: [...new Set(others)].sort((a, b) => a - b).slice(-MAX_OTHERS),
    };
    const key = this.#states.withUids(owners)[0]?.key ?? from.key;
    const about = new Set([from.key, this.#states.withKey(from.key)?.uid ?? from.key]);
    const turn = newTurn(request.seq, request.time, trigger, undefined);
    rememberTurn(this.#states.withKey(key), writer, turn);
    return { turn, key, about, sent: new Set(), last: '', sentAt: request.time, done: undefined };
  }

  /** A request of a turn was sent. */
  #sent(taken: ProgramTurn, { object, state, owners, client, request }: AskedRequest): void {
    const { about, sent, turn } = taken;
    const { kind, time } = request;
    const key = flattenString(object.key);
    for (const one of [key, object.uid ?? state?.uid ?? key, ...owners])
      if (!isUnnamed(one) && about.size < MAX_OBJECTS) about.add(one);
    taken.last = `${kind} ${key}`;
    if (sent.size < MAX_OBJECTS) sent.add(taken.last);
    taken.sentAt = time;
    if (isReport(kind)) taken.key = key;
    taken.done =
      (isReport(kind) && !PROGRESS.test(kind)) || (key === taken.key && CHANGES.test(kind)) ? key : undefined;
    const habits = this.#habits.get(client.writer) ?? new BoundedMap(MAX_HABITS, 'habits of operators');
    this.#habits.set(client.writer, habits);
    for (const one of [kind, habitOf(turn.trigger?.delivery, kind)]) habits.set(one, (habits.get(one) ?? 0) + 1);
    for (const one of [state, ...this.#states.withUids(owners)]) rememberTurn(one, client.writer, turn);
  }

  /** The share of the requests of a kind that were in turns that such events began. */
  #habit({ writer }: TriggerQuery, delivery: Delivery | undefined, kind: string): number {
    const habits = this.#habits.get(writer);
    const all = habits?.get(kind) ?? 0;
    return all < FEW ? 0 : ((habits?.get(habitOf(delivery, kind)) ?? 0) / all) * HABIT;
  }
}

/** Whether the last request of a turn changes an object, just before a time. @param time ms since the epoch. */
function hasJustChanged({ last, sentAt }: ProgramTurn, key: string, time: number): boolean {
  return sentAt <= time && time - sentAt < SETTLED_MS && !last.startsWith('get ') && last.endsWith(` ${key}`);
}

function habitOf(delivery: Delivery | undefined, kind: string): string {
  return `${delivery?.resource ?? ''} ${kind}`;
}

/** The weight of a turn that goes on with a request, by the turn's last request and its answer. */
function endOf({ turn, about, last, done }: ProgramTurn, kind: string, key: string, isRepeated: boolean): number {
  const isRead = kind.startsWith('get ');
  if (
    (turn.failed === CONFLICT && isRead && about.has(key)) ||
    (isRepeated && last.startsWith('get ') && last.endsWith(` ${key}`))
  )
    return ANEW;
  // What is not found is made, and what is there already need not be.
  const hasFailed = turn.failed !== 0 && turn.failed !== NOT_FOUND && !last.startsWith('create ');
  if (hasFailed ? isRepeated || isRead : done === undefined) return isRepeated ? AGAIN : 0;
  return isReport(last) && !turn.sent.includes(kind) ? REPORTED : ENDED;
}

/** The relation of a request to a turn that is about none of its objects. */
function relationTo({ turn, about, sent }: ProgramTurn, kind: string, key: string): number {
  if (isUnnamed(key)) return 0;
  const name = key.slice(key.lastIndexOf(' '));
  if (turn.sent.includes(kind))
    return [...sent].some((one) => one.startsWith(`${kind} `) && one.endsWith(name)) ? ALIKE : UNLIKE;
  return [...about].some((one) => isNamedAfter(key, one)) ? ALIKE : 0;
}

/** Whether the change with which a turn ended, or the one that it conflicted with, comes back with an event; a status is no news. */
function isBack({ last, sentAt, turn }: ProgramTurn, { seq, time }: Delivery): boolean {
  return turn.began < seq && time - sentAt < SETTLED_MS && (turn.failed === CONFLICT || !isReport(last));
}

/** @param request its kind, with or without a key. */
function isReport(request: string): boolean {
  return REPORT.test(request);
}

/** A change of an object outside its subresources. */
const CHANGES = /^(?:update|patch|apply) [^/]+$/;
/** Progress of a turn is patched into the status (fluxcd/pkg runtime/patch: SerialPatcher); a status that ends one is updated. */
const PROGRESS = /^patch [^/]+\/status$/;
const REPORT = /^\w+ \w+\/status(?: |$)/;
const CONFLICT = 409;
const NOT_FOUND = 404;
const NOBODY: readonly string[] = [];
const NOTHING = { keys: NOBODY, uids: NOBODY };
/** Fewer requests of a kind show no habit. */
const FEW = 2;
/** Interval at which a worker looks whether its cache is filled, ms (client-go tools/cache/shared_informer.go: syncedPollPeriod). */
const SYNC_MS = 100;
/** Limit: operators of a large cluster. */
const MAX_PROGRAMS = 1000;
/** Limit: what a program received last; its workers are at most so many events behind. */
const MAX_DELIVERED = 64;
/** Limit: turns of a program that may go on: those of all its workers. */
const MAX_TURNS = 32;
/** Limit: objects of one turn that are told from others, and requests: a turn has some ten. */
const MAX_OBJECTS = 256;
/** Limit: lists of a program that its workers may wait for. */
const MAX_LISTS = 16;
/** Limit: kinds of requests of a program, with what they were sent for. */
const MAX_HABITS = 1000;
