// Relates the requests of controllers to the turns of their work queues.

import { flattenString } from '../../core/bytes/bytes.js';
import { BoundedMap } from '../../core/collections/bounded.js';
import { resourceOfKind } from '../api/kinds.js';
import type { ObjectRef } from '../api/object-ref.js';
import type { RequestInfo } from '../api/request-info.js';
import type { Draft } from '../messages/draft.js';
import { type ExchangeContext, ExchangeState } from '../messages/exchange-context.js';
import type { Participant } from '../messages/message.js';
import type { K8sEventInfo } from '../objects/object-info.js';
import type { WorkQueue } from './controller-table.js';
import { controllerSending, workQueueOf } from './controllers.js';
import type { TriggerQuery } from './trigger-query.js';
import { type TakenTurn, type Turn, turnAbandoned, turnAnswered } from './turns.js';
import type { WorkQueues } from './work-queues.js';

/** The turn that a request belongs to, until its response. */
const TURNS = new ExchangeState<Turn>();

/** Takes the turn of a request whose key is not known before its response tells the object's owners. */
const UNDECIDED = new ExchangeState<() => TakenTurn | null>();

/** A controller gets its token before its first request (k8s.io/controller-manager, pkg/clientbuilder). */
interface ControllerStart {
  /** ms since the epoch: the controller manager requested a token for it. */
  readonly tokenAt: number;
  /** ms since the epoch: its first request since then; undefined: none yet. */
  requestAt: number | undefined;
}

export class ControllerTurns {
  readonly #queues: WorkQueues;
  /** By name of a controller. */
  readonly #starts = new BoundedMap<string, ControllerStart>(MAX_CONTROLLERS, 'starts of controllers');
  /** By key of a Kubernetes Event: uid of the object that it reports on. */
  readonly #reported = new BoundedMap<string, string>(MAX_REPORTED, 'objects that Events are about');

  constructor(queues: WorkQueues) {
    this.#queues = queues;
  }

  /** The controller manager requests a token for a controller. @param time ms since the epoch. */
  tokenRequested(controller: string, time: number): void {
    this.#starts.set(controller, { tokenAt: time, requestAt: undefined });
  }

  /**
   * The object that a Kubernetes Event is about. A repeated Event is patched, and the patch does not carry the object (client-go
   * tools/record/events_cache.go).
   * @returns its uid; undefined: not known.
   */
  reportedOn(key: string, k8sEvent: K8sEventInfo | undefined): string | undefined {
    if (k8sEvent === undefined) return this.#reported.get(key);
    this.#reported.set(flattenString(key), k8sEvent.uid);
    return k8sEvent.uid;
  }

  /**
   * The turn of a request about an object.
   * @param controller see `controllerOf`. @param queue its queue; undefined: not known.
   * @param firstAfter returns the `seq` of the first delivery of a newer version of the object than the given one.
   * @returns null: its queue or its key is not known.
   */
  turnOf(
    context: ExchangeContext,
    { seq, started, dryRun }: Draft,
    object: ObjectRef,
    controller: string,
    queue: WorkQueue,
    query: TriggerQuery,
    info: RequestInfo,
    firstAfter: (version: number) => number,
  ): TakenTurn | null {
    const { id } = context.client;
    if (object.related?.evictedFrom !== undefined) return null;
    const time = Number(started) / 1e6;
    const request = {
      seq,
      time,
      kind: dryRun === true ? `dry-run ${kindOf(info)}` : kindOf(info),
      client: id,
      before: query.had === undefined ? Number.POSITIVE_INFINITY : firstAfter(query.had.version),
      isStarting: this.#observeStart(controller, time),
      hasStarted: this.#starts.has(controller),
    };
    const take = (): TakenTurn | null => this.#queues.turnOf(object, query, queue, request);
    const taken = take();
    // Where controllers are not told apart, the next request about the object can be another one's.
    if (taken !== null && queue.takesNewest === true && controller === CONTROLLER_MANAGER) taken.turn.open = 0;
    else if (taken !== null) TURNS.set(context, taken.turn);
    else if (queue.takesNewest !== true) UNDECIDED.set(context, take);
    return taken;
  }

  /** Whether the response to a request may tell its turn. */
  isUndecided(context: ExchangeContext): boolean {
    return UNDECIDED.of(context) !== undefined;
  }

  /** The response came, and what it tells of owners is known. @returns undefined: the turn is still not known. */
  decide(context: ExchangeContext): Turn | undefined {
    const turn = UNDECIDED.of(context)?.()?.turn;
    UNDECIDED.set(context, undefined);
    if (turn !== undefined) TURNS.set(context, turn);
    return turn;
  }

  /** The turn in which a controller sends a request about no object, such as discovery. @returns undefined: no turn goes on. */
  turnOfDiscovery(context: ExchangeContext, { started }: Draft): Turn | undefined {
    const turn = this.#queues.currentTurnOf(context.client.id, Number(started) / 1e6);
    TURNS.set(context, turn);
    return turn;
  }

  /**
   * The turn in which a Kubernetes Event was recorded: for the object that the Event is about, the last turn or the one before, by the
   * time in the Event's name.
   * @returns null: not known.
   */
  turnOfReport(
    { client }: ExchangeContext,
    { name = '', started }: Draft,
    object: ObjectRef,
    verb: string,
    queue: WorkQueue,
  ): TakenTurn | null {
    const { component } = client;
    // Events of other clients, as the kubelet's, report on what happens between their requests as well; of a client with several
    // queues it is not known which one an Event is of.
    if (queue.isOneOfSeveral === true || (queue.takesNewest === true && queue.reportsInTurn !== true)) return null;
    const last = this.#queues.lastTurnOf(object, client.id);
    // A controller's first request may be an Event.
    this.#observeStart(component, Number(started) / 1e6);
    const recorded = verb === 'create' ? recordedAt(name) : undefined;
    if (last === undefined) return null;
    if (recorded !== undefined && last.beganAt > recorded && last.previous !== undefined)
      return { turn: last.previous, isCertain: false };
    return { turn: last, isCertain: recorded !== undefined && recorded >= last.beganAt };
  }

  /** A response. @param time ns since the epoch. */
  observeResponse(context: ExchangeContext, status: number, time: bigint): void {
    const turn = turnOver(context);
    if (turn !== undefined) turnAnswered(turn, kindOf(context.info), Number(time) / 1e6, status);
  }

  /** Ends a request that got no response. */
  exchangeEnded(context: ExchangeContext): void {
    const turn = turnOver(context);
    if (turn !== undefined) turnAbandoned(turn);
  }

  /** A controller sends a request. @returns whether the request waited for the token: all workers go on as soon as it is there. */
  #observeStart(component: string, time: number): boolean {
    const start = this.#starts.get(component);
    if (start === undefined || time - start.tokenAt > STARTING_MS) return false;
    start.requestAt ??= time;
    return time - start.requestAt < TOGETHER_MS;
  }
}

/** The turn of a request that ends. Most exchanges have none, and setting one takes room. */
function turnOver(context: ExchangeContext): Turn | undefined {
  const turn = TURNS.of(context);
  if (turn !== undefined) TURNS.set(context, undefined);
  return turn;
}

/**
 * The controller that sends a request. Requests of a controller manager whose User-Agent is not known, as in a capture that begins
 * within their connection, are told apart by what they are about, Kubernetes Events by the component that they name.
 * @param owner kind of the owner of the request's object.
 */
export function controllerOf(
  { component }: Participant,
  info: RequestInfo,
  k8sEvent: K8sEventInfo | undefined,
  owner: string | undefined,
): string {
  if (component !== CONTROLLER_MANAGER) return component;
  const named = k8sEvent?.component ?? controllerSending(kindOf(info), owner && resourceOfKind(owner));
  return named !== undefined && workQueueOf(named) !== undefined ? named : component;
}

/** `update deployments/status`. */
function kindOf(info: RequestInfo | null): string {
  const { verb = '', resource = '', subresource } = info ?? {};
  return subresource === undefined ? `${verb} ${resource}` : `${verb} ${resource}/${subresource}`;
}

/** When an Event was recorded, ms since the epoch; undefined: its name does not end with the time (tools/record/event.go: makeEvent). */
function recordedAt(name: string): number | undefined {
  const hex = RECORDED.exec(name)?.[1];
  return hex === undefined ? undefined : Number.parseInt(hex, 16) / 1e6;
}

const CONTROLLER_MANAGER = 'kube-controller-manager';
/** A time in ns in 16 hexadecimal digits, of the years 2006 to 2043. */
const RECORDED = /\.(1[0-9a-f]{15})$/;
/** Time from the request for a token to the first request with it, ms. Measured by the recordings of docs/causes.md: at most 53. */
const STARTING_MS = 1000;
/** Time between the first requests that waited for one token, ms. Measured: most within 10; later requests may be of later turns. */
const TOGETHER_MS = 10;
/** Limit: controllers of a cluster. */
const MAX_CONTROLLERS = 256;
/** Limit: Kubernetes Events that may be repeated. */
const MAX_REPORTED = 4096;
