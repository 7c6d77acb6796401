// Models how a controller works through its queue: a notification adds a key, a worker takes the key and sends the requests of one turn,
// and what arrives meanwhile waits for the next turn (client-go util/workqueue/queue.go: Add, Get, Done).

import type { WorkQueue } from './controller-table.js';
import type { Delivery } from './deliveries.js';

/** Why a turn was taken. */
export interface Trigger {
  /** The notification that added the key. */
  readonly delivery: Delivery;
  /** No notification arrived since the turn before: the worker added the key again (`AddRateLimited`, `AddAfter`), for the same trigger. */
  readonly isRequeue: boolean;
  /** Of the notifications since the turn before, only this one can have added the key. */
  readonly isCertain: boolean;
  /** `seq` of the other notifications that can have added the key. */
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
  /** The last request of a turn, by the table of queues, was sent. */
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
  /** `seq` of the first notification that cannot be the trigger: the request is based on an older version of the object. */
  readonly before: number;
  /** One of the controller's first requests: it waited for the controller's token, and its key waited in the queue. */
  readonly isStarting: boolean;
  /** The controller started within the capture: no turn and no notification is older. */
  readonly hasStarted: boolean;
  /** Participant id of the client. */
  readonly client: number;
}

export interface TakenTurn {
  readonly turn: Turn;
  /** The request cannot be of another turn. */
  readonly isCertain: boolean;
}

/**
 * Adds a request to the last turn for its key, or begins the next one.
 * @param last the last turn for the key; undefined: none yet. @param notifications those that can have added the key, the oldest first.
 */
export function takeTurn(
  last: Turn | undefined,
  request: TurnRequest,
  queue: WorkQueue,
  notifications: readonly Delivery[],
): TakenTurn {
  const inTime = notifications.filter(({ seq }) => seq < request.before);
  if (queue.takesNewest === true) return takeNewest(last, request, queue, inTime);
  const fresh = last === undefined ? inTime : inTime.filter(({ seq }) => seq > last.began);
  if (last !== undefined && goesOn(last, request, queue, fresh)) {
    const isCertain = !last.ended && (fresh.length === 0 || last.open > 0 || isAtOnce(last, request));
    return { turn: joinTurn(last, request, queue), isCertain: isCertain && queue.isOneOfSeveral !== true };
  }
  const isFirst = last === undefined || (queue.isOneOfSeveral === true && request.isStarting);
  const trigger = isFirst ? firstTrigger(inTime, request, queue) : nextTrigger(last, request, queue, inTime, fresh);
  const turn = newTurn(request.seq, request.time, trigger, last);
  return { turn: joinTurn(turn, request, queue), isCertain: queue.isOneOfSeveral !== true };
}

/** Adds a request to the turn of the newest notification. A worker that sends requests may not have taken that yet. */
function takeNewest(
  last: Turn | undefined,
  request: TurnRequest,
  queue: WorkQueue,
  inTime: readonly Delivery[],
): TakenTurn {
  const newest = inTime.at(-1);
  const isSame = last !== undefined && newest === last.trigger?.delivery;
  const turn = isSame ? last : newTurn(request.seq, request.time, newestTrigger(last, request, inTime), last);
  const idleSince = Math.max(newest?.time ?? 0, isSame ? last.answeredAt : 0);
  const isAtOnce = queue.hasTimers !== true || request.time - idleSince < SETTLED_MS;
  return { turn: joinTurn(turn, request, queue), isCertain: isAtOnce && queue.isOneOfSeveral !== true };
}

function newestTrigger(
  last: Turn | undefined,
  { time }: TurnRequest,
  inTime: readonly Delivery[],
): Trigger | undefined {
  const newest = inTime.at(-1);
  if (newest === undefined) return undefined;
  const before = last?.trigger?.delivery;
  const others = inTime.filter((one) => one !== newest && one.seq > (before?.seq ?? 0));
  // The worker may still be in the turn before.
  const isBusy =
    last !== undefined && (last.open > 0 || (newest.time <= last.answeredAt && time - last.answeredAt < PAUSE_MS));
  if (before !== undefined && isBusy) others.unshift(before);
  const isKnown = before !== undefined || newest.transition === 'added';
  return {
    delivery: newest,
    isRequeue: false,
    isCertain: isKnown && others.length === 0,
    others: others.slice(-MAX_OTHERS).map(({ seq }) => seq),
  };
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

/** A request of the turn was answered. @param time ms since the epoch: of the response. */
export function turnAnswered(turn: Turn, kind: string, time: number, status: number): void {
  turn.open -= 1;
  turn.answeredAt = time;
  if (status >= 300) {
    turn.failed = status;
    turn.hasFailed = true;
  } else if (!kind.startsWith('get ')) turn.failed = 0;
}

/** A request's exchange ended without a response in the capture: whether the request succeeded is unknown. */
export function turnAbandoned(turn: Turn): void {
  turn.open -= 1;
}

/** @param began `seq` of its first request. @param beganAt ms since the epoch. @param last the turn before. */
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

/** Whether a request still belongs to the last turn. @param fresh notifications that arrived after that turn began. */
function goesOn(last: Turn, request: TurnRequest, queue: WorkQueue, fresh: readonly Delivery[]): boolean {
  const { time, kind } = request;
  if (last.open > 0 || queue.follows?.includes(kind) === true) return true;
  const pause = time - last.answeredAt;
  if (last.ended) {
    if (queue.repeats === 'failures') return last.failed !== 0 && pause < UNFINISHED_MS;
    return queue.repeats === 'conflicts' && last.failed === CONFLICT && pause < PAUSE_MS + (queue.repeatsAfterMs ?? 0);
  }
  if (last.failed !== 0 && last.sent.includes(kind)) return false;
  if (pause < PAUSE_MS) return true;
  if (fresh.length === 0) return pause < UNFINISHED_MS;
  const isExpected = queue.last.includes(kind) || last.sent.includes(kind);
  return isExpected && queue.isWhole === true && pause < UNFINISHED_MS;
}

/** The worker of a turn without failures computes only, and sends the next request at once. */
function isAtOnce({ answeredAt, failed }: Turn, { time }: TurnRequest): boolean {
  return failed === 0 && time - answeredAt < AT_ONCE_MS;
}

function firstTrigger(
  inTime: readonly Delivery[],
  { time, isStarting, hasStarted }: TurnRequest,
  queue: WorkQueue,
): Trigger | undefined {
  if (isStarting) return triggerOf(inTime[0], inTime);
  // The only one that ever came is the reason, however late the worker goes on.
  const unsettled = inTime.length === 1 ? inTime : inTime.filter((one) => time - one.time < settledMs(queue));
  const trigger = triggerOf(lastBefore(inTime, time), unsettled);
  // Where the controller and the object are older than the capture, the turn or its notification may be older, too.
  const isWhole = hasStarted || trigger?.delivery.transition === 'added';
  return trigger && { ...trigger, isCertain: trigger.isCertain && isWhole };
}

/**
 * Notifications that arrive during a turn add the key once, when the turn ends (`dirty` and `processing` in queue.go); an idle worker
 * takes a later one at once.
 */
function nextTrigger(
  last: Turn,
  { time, client }: TurnRequest,
  queue: WorkQueue,
  inTime: readonly Delivery[],
  fresh: readonly Delivery[],
): Trigger | undefined {
  const meanwhile = fresh.filter((one) => one.time <= last.answeredAt);
  const later = fresh.filter((one) => one.time > last.answeredAt);
  let chosen: Delivery | undefined;
  // Of several notifications, one of another writer is more likely to lead to requests: the controller's own writes are no news to it.
  if (time - last.answeredAt < PAUSE_MS) chosen = meanwhile.find(({ writer }) => writer !== client) ?? fresh[0];
  else chosen = lastBefore(later, time) ?? meanwhile.at(-1);
  const { trigger } = last;
  if (chosen === undefined) return requeued(trigger, inTime);
  // A notification that arrived just before the first request of the last turn may have been too late for that turn.
  const since = trigger?.delivery.seq ?? 0;
  const isSettled = (one: Delivery): boolean => time - Math.max(one.time, last.answeredAt) > settledMs(queue);
  return triggerOf(
    chosen,
    inTime.filter((one) => one.seq > since && !isSettled(one)),
  );
}

/** The key was added again: for the trigger of the turn before, or for the last notification that the request can be based on. */
function requeued(trigger: Trigger | undefined, inTime: readonly Delivery[]): Trigger | undefined {
  if (trigger === undefined || inTime.includes(trigger.delivery) || inTime.length === 0)
    return trigger && { ...trigger, isRequeue: true, isCertain: false };
  return { delivery: inTime[inTime.length - 1], isRequeue: true, isCertain: false, others: [] };
}

/** Time after which an idle worker is done with a notification, ms. */
function settledMs({ batchMs = 0 }: WorkQueue): number {
  return SETTLED_MS + batchMs;
}

/** @param possible the notifications that can have added the key. */
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

const CONFLICT = 409;
// "Measured" is: by the three whole recordings of docs/causes.md, whose truth has the turn of each request.

/**
 * A worker sends its next request within this time of a response, ms. A key that is retried comes later: the base delay of
 * DefaultTypedControllerRateLimiter (util/workqueue/default_rate_limiters.go). Measured: 96 % of the requests within a turn.
 */
export const PAUSE_MS = 5;
/** Time from a notification to the first request of an idle worker: at most, ms. Measured: 99.6 % of the turns. */
export const SETTLED_MS = 100;
/** Time from a response to the next request, in which no other turn begins, ms. Measured: 78 % of the requests within a turn. */
export const AT_ONCE_MS = 2;
/**
 * Time after which a turn without its last request does not go on, ms. Measured: at most 298, in which a request waited for six tokens
 * of its client's rate limiter.
 */
const UNFINISHED_MS = 500;
/** Time from a notification to the first request of an idle worker: at least, ms. Measured: 95 % of the turns. */
const REACTION_MS = 0.3;
/** Limit: other notifications that a message names; more do not help a reader. */
export const MAX_OTHERS = 8;
