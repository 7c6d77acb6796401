// Tells the turns of a program that the table of controllers does not know, such as an operator: what a request goes on from is the
// event or the answer that came last before it, of those that have to do with its object.

import { BoundedMap } from '../../core/collections/bounded.js';
import type { ObjectRef } from '../api/object-ref.js';
import type { WorkQueue } from './controller-table.js';
import { wakesNobody } from './controllers.js';
import { type Delivery, deliveriesTo, isSuperseded } from './deliveries.js';
import type { ObjectState, ObjectStates } from './object-states.js';
import type { TriggerQuery } from './trigger-selection.js';
import { joinTurn, MAX_OTHERS, newTurn, type TakenTurn, type Turn, type TurnRequest } from './turns.js';

/** A turn with what it is about. */
interface ProgramTurn {
  readonly turn: Turn;
  /** Keys and uids of the objects that its requests are about, of their owners, and of the event that began it. */
  readonly about: Set<string>;
  /** `update pods/status pods. default web`: its requests. */
  readonly sent: Set<string>;
  /** ms since the epoch: its last request. */
  sentAt: number;
  /** The last of `sent`. */
  last: string;
  /** Key of the object that it changed last, where controllers end a turn with such a request: the change comes back to them as an event. */
  done: string | undefined;
  /** Of its work queue, as far as is known: the owner of the first object that it is about, else the object of the event that began it. */
  readonly key: string;
}

interface Received {
  readonly delivery: Delivery;
  /** Of the event's object, or of its owner. */
  readonly key: string;
  readonly isOwned?: boolean;
}

/** What a request can go on from. */
interface Stimulus {
  /** The higher, the more likely. */
  readonly score: number;
  /** Of a turn: it was answered; of an event: it was delivered. */
  readonly from: ProgramTurn | Received;
}

export class ProgramTurns {
  readonly #states: ObjectStates;
  /** By participant id of a receiver: the events that it received last, the newest first. */
  readonly #received = new BoundedMap<number, Received[]>(MAX_PROGRAMS, 'deliveries to operators');
  /** By participant id of a client: its last turns, the newest first. */
  readonly #turns = new BoundedMap<number, ProgramTurn[]>(MAX_PROGRAMS, 'turns of operators');
  /** By participant id of a client: how often requests of a kind were in turns that an event of a resource began. */
  readonly #habits = new BoundedMap<number, BoundedMap<string, number>>(MAX_PROGRAMS, 'habits of operators');

  readonly #namesIn: (key: string) => readonly string[];
  /** By participant id of a client: its last lists, with the times in ms since the epoch. */
  readonly #lists = new BoundedMap<number, { readonly sent: number; readonly answered: number }[]>(MAX_PROGRAMS, 'lists of operators');

  /** @param namesIn texts of an object that may be names of others, by its key. */
  constructor(states: ObjectStates, namesIn: (key: string) => readonly string[]) {
    this.#states = states;
    this.#namesIn = namesIn;
  }

  /** A program listed a resource, or began a watch. @param sent ms since the epoch. @param answered ms since the epoch. */
  listed(client: number, sent: number, answered: number): void {
    const lists = this.#lists.get(client) ?? [];
    this.#lists.set(client, [...lists.slice(-MAX_LISTS + 1), { sent, answered }]);
  }

  /** The time after a stimulus that a worker was not waiting for the first list of a resource (controller-runtime pkg/cache/internal). */
  #pause(client: number, from: number, to: number): number {
    let at = from;
    for (const { sent, answered } of this.#lists.get(client) ?? [])
      if (sent >= at && sent < at + SYNC_MS && answered < to) at = answered;
    return at === from ? to - from : Math.max(1, to - at - SYNC_MS);
  }

  /** An event was delivered to a process. @param key of its object. */
  delivered(delivery: Delivery, process: number, key: string): void {
    if (wakesNobody(delivery.resource ?? '')) return;
    const received = this.#received.get(process) ?? [];
    this.#received.set(process, received);
    received.unshift({ delivery, key });
    if (received.length > MAX_RECEIVED) received.pop();
  }

  /** Whether events were delivered to it. @param process its participant ids. */
  hasReceived(process: readonly number[]): boolean {
    return process.some((id) => this.#received.has(id));
  }

  /**
   * Adds a request to a turn of its client, or begins the next one.
   * @returns null: neither an event nor an answer can have led to it, as where it comes by the clock.
   */
  turnOf(object: ObjectRef, client: TriggerQuery, queue: WorkQueue, request: TurnRequest): TakenTurn | null {
    const { writer } = client;
    const turns = this.#turns.get(writer) ?? [];
    const state = this.#states.find(object);
    const owners = object.owners ?? state?.owners ?? NOBODY;
    const keys = [object.key, ...this.#states.withUids(owners).map(({ key }) => key)];
    const possible = [
      ...turns.map((one) => this.#goingOn(one, object, owners, keys, queue, request)),
      ...this.#events(object, state, client, queue, request, turns),
    ].filter(({ score }) => score > UNLIKELY);
    if ((globalThis as any)["DBG"]) { const l = (x: Stimulus) => x.score.toFixed(1) + ('turn' in x.from ? ` T${x.from.turn.began}<${x.from.turn.trigger?.delivery.seq}` : ` D${x.from.delivery.seq}`); console.error('DBG', request.seq, request.kind, possible.sort((a,b)=>b.score-a.score).slice(0,5).map(l).join(' | ')); } //DBG
    if (possible.length === 0) return null;
    const best = possible.reduce((a, b) => (b.score > a.score ? b : a));
    const taken = 'turn' in best.from ? best.from : this.#begun(best.from, object, possible, request, turns);
    if (taken !== best.from) this.#turns.set(writer, [taken, ...turns].slice(0, MAX_TURNS));
    for (const one of [object.key, object.uid, state?.uid, ...owners])
      if (one !== undefined && !one.endsWith(' ')) taken.about.add(one);
    taken.last = `${request.kind} ${object.key}`;
    taken.sent.add(taken.last);
    taken.sentAt = request.time;
    taken.done = endsTurn(request.kind, object.key, taken) ? object.key : undefined;
    this.#learn(writer, taken, request.kind);
    for (const one of [state, ...this.#states.withUids(owners)]) keep(one, writer, taken.turn);
    return { turn: joinTurn(taken.turn, request, queue), isCertain: false };
  }

  /** The request as the next one of a turn. */
  #goingOn(
    from: ProgramTurn,
    object: ObjectRef,
    owners: readonly string[],
    keys: readonly string[],
    queue: WorkQueue,
    { kind, time, client }: TurnRequest,
  ): Stimulus {
    const { turn, about, sent } = from;
    // Objects whose names the server makes are several.
    const isNamed = !object.key.endsWith(' ');
    const isRepeated = isNamed && sent.has(`${kind} ${object.key}`);
    if (turn.ended && queue.last.length > 0) return { score: UNLIKELY, from };
    if (isRepeated && turn.failed === 0 && from.last === `${kind} ${object.key}`) return { score: UNLIKELY, from };
    if (isOfOther(from.key, keys)) return { score: UNLIKELY, from };
    const isRelated =
      (isNamed && about.has(object.key)) ||
      owners.some((uid) => about.has(uid)) ||
      (object.uid !== undefined && about.has(object.uid)) ||
      object.related?.keys.some((key) => about.has(key)) === true ||
      object.related?.uids.some((uid) => about.has(uid)) === true;
    const relation = isRelated ? RELATED : this.#relationOf(from, kind, object.key);
    // Requests beside each other are of one loop over alike objects.
    const isBeside = turn.open > 0;
    if (isBeside && !from.last.startsWith(`${kind} `)) return { score: UNLIKELY, from };
    const pause = isBeside ? time - from.sentAt : this.#pause(client, turn.answeredAt, time);
    const gap = isRepeated && pause < 100 ? Math.min(pause, RETRY_MS) : pause;
    const hasFailed = turn.failed !== 0 && turn.failed !== NOT_FOUND && !from.last.startsWith('create ');
    const isOver = hasFailed ? !isRepeated && !kind.startsWith('get ') : from.done !== undefined;
    const isReadAnew = turn.failed === CONFLICT && kind.startsWith('get ') && about.has(object.key);
    const isTriedAnew = isRepeated && from.last.startsWith('get ') === true;
    const end = isBeside ? 0 : isReadAnew || isTriedAnew ? ANEW : isOver ? (/\/status /.test(from.last) && !turn.sent.includes(kind) ? REPORTED : ENDED) : isRepeated ? AGAIN : 0;
    return { score: relation + end + likelihood(gap) + this.#habit(client, turn.trigger?.delivery.resource, kind), from };
  }

  #relationOf({ turn, about, sent }: ProgramTurn, kind: string, key: string): number {
    const name = key.slice(key.lastIndexOf(' '));
    if (name === ' ') return 0;
    if (turn.sent.includes(kind)) return [...sent].some((one) => one.startsWith(`${kind} `) && one.endsWith(name)) ? ALIKE : -1;
    return [...about].some((one) => isNamedAfter(key, one)) ? ALIKE : 0;
  }

  /** The request as the first one of a turn that an event began. */
  #events(
    object: ObjectRef,
    state: ObjectState | undefined,
    client: TriggerQuery,
    queue: WorkQueue,
    request: TurnRequest,
    turns: readonly ProgramTurn[],
  ): Stimulus[] {
    const { process } = client;
    const found = new Map<Delivery, { readonly from: Received; readonly relation: number }>();
    const add = (from: Received, relation: number): void => {
      const before = found.get(from.delivery);
      if (before === undefined || before.relation < relation) found.set(from.delivery, { from, relation });
    };
    const addOf = (known: ObjectState | undefined, relation: number, ofOwned = relation): void => {
      if (known === undefined) return;
      for (const delivery of deliveriesTo(known.deliveries, process)) add({ delivery, key: known.key }, relation);
      for (const delivery of deliveriesTo(known.ownedDeliveries, process)) add({ delivery, key: known.key, isOwned: true }, ofOwned);
    };
    const keys = [object.key, ...this.#states.ownersOf(object, state).map(({ key }) => key)];
    for (const id of process)
      for (const one of this.#received.get(id) ?? []) add(one, this.#mentions(keys, one.key) ? RELATED : relationByName(object.key, one.key));
    addOf(state, ITSELF, CHANGES.test(request.kind) ? ALIKE - 0.5 : RELATED);
    for (const owner of this.#states.ownersOf(object, state)) addOf(owner, RELATED);
    for (const uid of object.related?.uids ?? []) addOf(this.#states.withUid(uid), RELATED, 0);
    for (const key of object.related?.keys ?? []) addOf(this.#states.withKey(key), RELATED, 0);
    const stimuli: Stimulus[] = [];
    for (const { from, relation } of found.values()) {
      const { delivery } = from;
      if (isSuperseded(delivery) || delivery.seq >= Math.min(request.seq, request.before)) continue;
      if (wakesNobody(delivery.resource ?? '')) continue;
      if (client.resources !== null && delivery.resource !== undefined && !client.resources.has(delivery.resource)) continue;
      if (request.time - delivery.time > FORGOTTEN_MS) continue;
      stimuli.push({ score: relation + this.#wakes(from, client, request, turns), from });
    }
    return stimuli;
  }

  /** Whether an event is of an object that one of these names, or that names one of them. */
  #mentions(keys: readonly string[], event: string): boolean {
    const named = this.#namesIn(event);
    return keys.some((key) => isAmong(event, this.#namesIn(key), key) || isAmong(key, named, event));
  }

  /** How likely an event begins a turn now. */
  #wakes({ delivery, key, isOwned }: Received, { writer }: TriggerQuery, request: TurnRequest, turns: readonly ProgramTurn[]): number {
    let at = delivery.time;
    let less = 0;
    const isBack = !isOwned && turns.some(({ done, last, turn }) => done === key && !/\/status /.test(last) && turn.began < delivery.seq);
    if (delivery.writer === writer && !isBack) less = OWN_WRITE;
    for (const one of turns) {
      const { turn, about } = one;
      if (turn.trigger?.delivery === delivery) less += turn.sent.includes(request.kind) ? 2 * CONSUMED : CONSUMED;
      else if (about.has(key) && turn.began > delivery.seq && request.time > turn.beganAt) less += CONSUMED;
      else if (about.has(key) && turn.beganAt < delivery.time && (turn.open > 0 || this.#isUnfinished(writer, one, request.time))) less += CONSUMED;
    }
    // The worker was busy.
    for (const { turn, about } of turns.toReversed())
      if (turn.open === 0 && turn.beganAt < at + RETRY_MS && turn.answeredAt > at && (about.has(key) || turn.trigger?.delivery.resource === delivery.resource))
        at = turn.answeredAt;
    return likelihood(this.#pause(writer, at, request.time)) + Math.max(less, LEAST) + this.#habit(request.client, delivery.resource, request.kind);
  }

  /** Whether turns for such a key end with a change of its status, and this one has not. */
  #isUnfinished(writer: number, { turn, done, key }: ProgramTurn, time: number): boolean {
    if (done !== undefined || time - turn.answeredAt > 100) return false;
    const resource = key.slice(0, key.indexOf('.'));
    const habits = this.#habits.get(writer);
    return (habits?.get(`update ${resource}/status`) ?? habits?.get(`patch ${resource}/status`) ?? 0) >= 2;
  }

  #begun(from: Received, object: ObjectRef, possible: readonly Stimulus[], { seq, time }: TurnRequest, turns: readonly ProgramTurn[]): ProgramTurn {
    const others = possible.flatMap(({ from: one }) => ('delivery' in one && one !== from ? [one.delivery.seq] : []));
    const trigger = {
      delivery: from.delivery,
      isRequeue: turns.some(({ turn }) => turn.trigger?.delivery === from.delivery && turn.failed !== 0),
      isCertain: false,
      others: [...new Set(others)].sort((a, b) => a - b).slice(-MAX_OTHERS),
    };
    const [owner] = this.#states.ownersOf(object);
    const key = owner?.key ?? from.key;
    const about = new Set([from.key]);
    const uid = this.#states.withKey(from.key)?.uid;
    if (uid !== undefined) about.add(uid);
    return { turn: newTurn(seq, time, trigger, undefined), about, sent: new Set(), sentAt: time, done: undefined, last: '', key };
  }

  #learn(writer: number, { turn }: ProgramTurn, kind: string): void {
    const habits = this.#habits.get(writer) ?? new BoundedMap(MAX_HABITS, 'habits of operators');
    this.#habits.set(writer, habits);
    for (const key of [kind, `${turn.trigger?.delivery.resource} ${kind}`]) habits.set(key, (habits.get(key) ?? 0) + 1);
  }

  /** The share of the requests of a kind that were in turns that events of this resource began. */
  #habit(writer: number, resource: string | undefined, kind: string): number {
    const habits = this.#habits.get(writer);
    const all = habits?.get(kind) ?? 0;
    return all < 2 ? 0 : ((habits?.get(`${resource} ${kind}`) ?? 0) / all) * HABIT;
  }
}

/** A status, or the object of the key itself. */
function endsTurn(kind: string, object: string, { key }: ProgramTurn): boolean {
  return kind.endsWith('/status') || (object === key && CHANGES.test(kind));
}

/** Whether a request is about another key of the same resource: a turn is about one; objects of one name are made beside each other. */
function isOfOther(key: string, others: readonly string[]): boolean {
  const [resource, , name] = key.split(' ');
  const alike = others.filter((one) => one.startsWith(`${resource} `));
  return alike.length > 0 && !alike.some((one) => one.endsWith(` ${name}`) || one.endsWith(' '));
}

function keep(state: ObjectState | undefined, writer: number, turn: Turn): void {
  if (state === undefined) return;
  state.turns ??= new BoundedMap(MAX_PROGRAMS, 'turns of an object');
  if (state.turns.get(writer) !== turn) state.turns.set(writer, turn);
}

/** Logarithm of how often a worker sends its next request so long after what led to it, as measured. */
function likelihood(ms: number): number {
  if (ms < 0.1) return -3;
  if (ms <= 2) return 0;
  if (ms <= 5) return -1;
  if (ms <= 20) return -2;
  if (ms <= 100) return -3;
  return ms <= 1100 ? -4.5 : -7;
}

/** Whether names in a text have an object, of the same namespace or of none. */
function isAmong(object: string, names: readonly string[], from: string): boolean {
  if (names.length === 0) return false;
  const [, namespace, name] = object.split(' ');
  return names.includes(name) && (namespace === '' || namespace === from.split(' ')[1]);
}

function relationByName(object: string, event: string): number {
  const [, namespace] = object.split(' ');
  const [resource, , name] = event.split(' ');
  if (resource === 'namespaces.') return namespace === name ? ALIKE : 0;
  return isNamedAfter(object, event) ? ALIKE : 0;
}

/** Whether an object's name has that of another in it, between dashes or dots. */
function isNamedAfter(object: string, other: string): boolean {
  const [, namespace, name] = object.split(' ');
  const [resource, otherNamespace, otherName] = other.split(' ');
  if (name === undefined || otherName === undefined || resource === 'namespaces.') return false;
  const isNear = namespace === otherNamespace || namespace === '' || otherNamespace === '' || name === otherName;
  return (isNear || name.includes(otherNamespace)) && `-${name}-`.replaceAll('.', '-').includes(`-${otherName}-`);
}

/** A change of an object outside its subresources. */
const CHANGES = /^(?:update|patch|apply) [^/]+$/;
const ITSELF = 3.5;
const RELATED = 3;
const ALIKE = 2;
const OWN_WRITE = -2;
const ENDED = -2.5;
const REPORTED = -2;
const AGAIN = -1;
const ANEW = 1.5;
const CONFLICT = 409;
const NOT_FOUND = 404;
const CONSUMED = -1.5;
const LEAST = -4;
const HABIT = 1.5;
const UNLIKELY = -2.5;
const RETRY_MS = 5;
const FORGOTTEN_MS = 1100;
/** Interval in which a cache is looked at until it is filled, ms (client-go tools/cache: syncedPollPeriod). */
const SYNC_MS = 100;
/** Limit: lists of a program that its workers may wait for. */
const MAX_LISTS = 16;
const NOBODY: readonly string[] = [];
/** Limit: operators of a large cluster. */
const MAX_PROGRAMS = 1000;
/** Limit: what a program received last; its worker is at most so many events behind. */
const MAX_RECEIVED = 64;
/** Limit: turns of a program that may go on. */
const MAX_TURNS = 32;
/** Limit: kinds of requests of a program with what they were sent for. */
const MAX_HABITS = 1000;
