// Models a controller's work queue: a notification adds a key, a worker takes it and sends the requests of one turn, and what arrives
// meanwhile waits for the next turn (client-go util/workqueue: Add, Get, Done).

import type { Delivery } from './deliveries.js';
import type { WorkQueue } from './work-queue-table.js';

/** Why a turn was taken. */
export interface Trigger {
  /** The notification that added the key. */
  readonly delivery: Delivery;
  /** No notification came since the turn before, whose trigger it is: the key was added again (`AddRateLimited`, `AddAfter`). */
  readonly isRequeue: boolean;
  /** No other notification can have added the key since the turn before. */
  readonly isCertain: boolean;
  /** `seq` of the notifications that can have added it as well. */
  readonly others: readonly number[];
}

/** What one worker does for one key, from `Get` to `Done`. */
export interface Turn {
  /** `seq` and time (ms since the epoch) of its first request. */
  readonly began: number;
  readonly beganAt: number;
  /** undefined: no notification of the key was captured. */
  readonly trigger: Trigger | undefined;
  /** Requests without a response yet. */
  open: number;
  /** ms since the epoch: the last response. */
  answeredAt: number;
  /** The request with which turns of this queue end was sent. */
  ended: boolean;
  /** Status of the last failed response, if no write succeeded since; 0: none. */
  failed: number;
  /** One of its requests failed. */
  hasFailed: boolean;
  /** Kinds of its requests: `update deployments/status`. */
  readonly sent: string[];
  /** The turn before; undefined: none, or forgotten. */
  previous: Turn | undefined;
}

/** A request that belongs to a turn. */
export interface TurnRequest {
  readonly seq: number;
  /** ms since the epoch: its first byte. */
  readonly time: number;
  /** `update deployments/status`. */
  readonly kind: string;
  /** `seq` from which on notifications came too late: the request is based on an older version of the object. */
  readonly before: number;
  /** One of the controller's first requests, which waited for its token: notifications waited with them. */
  readonly isStarting: boolean;
  /** Participant id of the client. */
  readonly client: number;
  /** The client's rate limiter may have held the request back. */
  readonly isThrottled: boolean;
}

export interface TakenTurn {
  readonly turn: Turn;
  /** The request cannot be of another turn. */
  readonly isCertain: boolean;
}

/**
 * Adds a request to the last turn for its key, or begins the next one.
 * @param last undefined: none yet. @param notifications that can have added the key, the oldest first.
 */
export function takeTurn(
  last: Turn | undefined,
  request: TurnRequest,
  queue: WorkQueue,
  notifications: readonly Delivery[],
): TakenTurn {
  const inTime = notifications.filter(({ seq }) => seq < request.before);
  const fresh = last === undefined ? inTime : inTime.filter(({ seq }) => seq > last.began);
  if (last !== undefined && goesOn(last, request, queue, fresh.length > 0)) {
    const isCertain = !last.ended && (fresh.length === 0 || last.open > 0 || isAtOnce(last, request));
    return { turn: joinTurn(last, request, queue), isCertain };
  }
  const isFirst = last === undefined || (queue.isOneOfSeveral === true && request.isStarting);
  const trigger = isFirst ? firstTrigger(inTime, request) : nextTrigger(last, request, inTime, fresh);
  const turn = newTurn(request.seq, request.time, trigger, last);
  return { turn: joinTurn(turn, request, queue), isCertain: queue.isOneOfSeveral !== true };
}

/** Adds a request to a turn. */
export function joinTurn(turn: Turn, { kind }: TurnRequest, queue: WorkQueue): Turn {
  turn.open += 1;
  const { sent } = turn;
  const isFirstOfTwo = queue.twiceAfter !== undefined && sent.includes(queue.twiceAfter) && !sent.includes(kind);
  if (queue.follows?.includes(kind) === true) turn.ended = false;
  if (queue.last.includes(kind) && !isFirstOfTwo) turn.ended = true;
  if (!sent.includes(kind)) sent.push(kind);
  return turn;
}

/** @param kind of the request. @param time ms since the epoch: of the response. */
export function turnAnswered(turn: Turn, kind: string, time: number, status: number): void {
  turn.open -= 1;
  turn.answeredAt = time;
  if (status >= 300) {
    turn.failed = status;
    turn.hasFailed = true;
  } else if (!kind.startsWith('get ')) turn.failed = 0;
}

/** @param began `seq` of its first request. @param beganAt ms since the epoch. */
export function newTurn(began: number, beganAt: number, trigger: Trigger | undefined, last: Turn | undefined): Turn {
  // A Kubernetes Event is sent at most one turn after the one that recorded it, so that older turns are not needed.
  if (last !== undefined) last.previous = undefined;
  return {
    began,
    beganAt,
    trigger,
    open: 0,
    answeredAt: beganAt,
    ended: false,
    failed: 0,
    hasFailed: false,
    sent: [],
    previous: last,
  };
}

/** Whether a request still belongs to the last turn. @param isNotified a notification arrived after that turn began. */
function goesOn(last: Turn, request: TurnRequest, queue: WorkQueue, isNotified: boolean): boolean {
  const { time, kind, isThrottled } = request;
  if (last.open > 0 || queue.follows?.includes(kind) === true) return true;
  const pause = time - last.answeredAt;
  if (last.ended) {
    if (queue.repeats === 'failures') return last.failed !== 0 && pause < UNFINISHED_MS;
    return queue.repeats === 'conflicts' && last.failed === CONFLICT && pause < PAUSE_MS;
  }
  if (last.failed !== 0 && last.sent.includes(kind)) return false;
  if (pause < PAUSE_MS || !isNotified) return true;
  const isExpected = queue.last.includes(kind) || last.sent.includes(kind);
  return isExpected && (queue.isWhole === true || isThrottled) && pause < UNFINISHED_MS;
}

/** A turn that went well so far goes on without a pause. */
function isAtOnce({ answeredAt, failed }: Turn, { time }: TurnRequest): boolean {
  return failed === 0 && time - answeredAt < AT_ONCE_MS;
}

function firstTrigger(
  inTime: readonly Delivery[],
  { time, isStarting, isThrottled }: TurnRequest,
): Trigger | undefined {
  if (isStarting) return triggerOf(inTime[0], inTime);
  if (isThrottled) return triggerOf(firstSince(inTime, time - THROTTLED_MS), inTime);
  return triggerOf(
    lastBefore(inTime, time),
    inTime.filter((one) => time - one.time < SETTLED_MS),
  );
}

/** Notifications that arrived during the last turn are taken together at its end; an idle worker takes later ones at once. */
function nextTrigger(
  last: Turn,
  { time, client, isThrottled }: TurnRequest,
  inTime: readonly Delivery[],
  fresh: readonly Delivery[],
): Trigger | undefined {
  const meanwhile = fresh.filter((one) => one.time <= last.answeredAt);
  const later = fresh.filter((one) => one.time > last.answeredAt);
  let chosen: Delivery | undefined;
  // Of notifications that are taken together, one of another writer: the controller knows what it wrote itself.
  if (time - last.answeredAt < PAUSE_MS) chosen = meanwhile.find(({ writer }) => writer !== client) ?? fresh[0];
  else if (isThrottled) chosen = firstSince(fresh, time - THROTTLED_MS);
  else chosen = lastBefore(later, time) ?? meanwhile.at(-1);
  const { trigger } = last;
  if (chosen === undefined) return requeued(trigger, inTime);
  // What arrived just before the first request of the last turn may have been too late for that turn.
  const since = trigger?.delivery.seq ?? 0;
  const isSettled = (one: Delivery): boolean => !isThrottled && time - Math.max(one.time, last.answeredAt) > SETTLED_MS;
  return triggerOf(
    chosen,
    inTime.filter((one) => one.seq > since && !isSettled(one)),
  );
}

/** The key is added again for the reason of the turn before, or for an older one that the request still is based on. */
function requeued(trigger: Trigger | undefined, inTime: readonly Delivery[]): Trigger | undefined {
  if (trigger === undefined || inTime.includes(trigger.delivery) || inTime.length === 0)
    return trigger && { ...trigger, isRequeue: true, isCertain: false };
  return { delivery: inTime[inTime.length - 1], isRequeue: true, isCertain: false, others: [] };
}

/** @param possible the notifications that it can have been: idle workers are done with older ones. */
function triggerOf(delivery: Delivery | undefined, possible: readonly Delivery[]): Trigger | undefined {
  if (delivery === undefined) return undefined;
  const others = possible.filter((one) => one !== delivery).map(({ seq }) => seq);
  const isCertain = possible.length === 1 && possible[0] === delivery;
  return { delivery, isRequeue: false, isCertain, others: others.slice(-MAX_OTHERS) };
}

/** The last notification that arrived early enough to be the reason; else the first one. */
function lastBefore(deliveries: readonly Delivery[], time: number): Delivery | undefined {
  return deliveries.findLast((one) => time - one.time >= REACTION_MS) ?? deliveries[0];
}

function firstSince(deliveries: readonly Delivery[], time: number): Delivery | undefined {
  return deliveries.find((one) => one.time >= time) ?? deliveries.at(-1);
}

const CONFLICT = 409;
// Kubernetes has no constants for these times: they are what the recordings of docs/causes.md show, rounded.

/** A worker sends its next request within milliseconds of a response, ms. */
const PAUSE_MS = 5;
/** Time after which an idle worker is done with a notification: it takes the key at once, ms. */
const SETTLED_MS = 100;
/** From a response to the next request of the same turn, ms. */
export const AT_ONCE_MS = 2;
/** A turn that has not sent its last request goes on after a back-off or once its client's rate limiter lets it, ms. */
const UNFINISHED_MS = 500;
/** From a notification to the first request of an idle worker: at least, ms. */
const REACTION_MS = 0.3;
/** Time that a request waits for a token of its client's rate limiter, ms. */
const THROTTLED_MS = 150;
/** Limit: other notifications that a message names; more do not help a reader. */
export const MAX_OTHERS = 8;
