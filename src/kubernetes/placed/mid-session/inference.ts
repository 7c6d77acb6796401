// Infers the requests and clients of connections that began before the capture, from bodies, responses and the habits of Kubernetes'
// programs. What was read is never overwritten.

import { entryOf } from '../../../core/collections/series-table.js';
import { fieldValue } from '../../../core/fields.js';
import type { Origin } from '../../../core/origin.js';
import type { Exchange, ExchangeEvent } from '../../../http/exchange-event.js';
import type { RequestHead, ResponseHead } from '../../../http/http-event.js';
import type { Connection } from '../../../tcp/stream-event.js';
import { isClusterScoped } from '../../api/kinds.js';
import { responseLabel } from '../../api/labels.js';
import type { WatchEvent } from '../../api/watch-event.js';
import type { Draft } from '../../messages/draft.js';
import { type ExchangeContext, ExchangeState } from '../../messages/exchange-context.js';
import { fillRequest, infer, statusByAnswer } from '../../observed/inference/concluded.js';
import { type PseudoSlots, RequestSlots, ResponseSlots } from '../../observed/inference/head-slots.js';
import {
  type InferredRequest,
  inferFromBody,
  inferFromEvent,
  inferFromResponse,
} from '../../observed/inference/inferred-request.js';
import { type Program, programByAnswer, programByRequest } from '../../observed/inference/programs.js';
import { type BodyShape, type Carrying, carryingOf, shapeOf } from '../../observed/inference/shapes.js';
import { addressOf } from '../../participants/hosts.js';
import { proven } from '../../participants/participant-record.js';
import type { ParticipantRegistry } from '../identity/participant-registry.js';
import type { LegPath } from '../network/connection-legs.js';
import { AnonymousClient } from './anonymous-client.js';

/** A connection of which the beginning, or a piece, was not seen. */
export interface MidSessionConnection {
  readonly client: AnonymousClient;
  /** ns: when it was first seen so. */
  readonly since: bigint;
  /** The last request for an object that was not found, in a namespace that is not known. */
  absent: PendingRequestInference | null;
}

interface HeadSlots {
  readonly requests: RequestSlots;
  readonly responses: ResponseSlots;
}

/** A request whose meaning is to be concluded, until it is or is printed. */
export interface PendingRequestInference {
  readonly message: Draft;
  readonly head: RequestHead;
  readonly slots: PseudoSlots;
  readonly known: RequestSlots;
  readonly body: Carrying;
  readonly shape: BodyShape;
  readonly inferred: InferredRequest;
  /** Its answer, of which the label may have to change. */
  answer: Draft | null;
  /** Nothing more can be learnt. */
  settled: boolean;
}

/** An exchange on such a connection, until it ends. */
interface MidSessionExchange {
  readonly connection: MidSessionConnection;
  /** What is still to be inferred of its request; null: nothing. */
  pending: PendingRequestInference | null;
}

const NOT_INFERRED = { connection: null, pending: null } as const;

const EXCHANGES = new ExchangeState<MidSessionExchange>();

export class Inference {
  readonly #participants: ParticipantRegistry;
  readonly #holdNs: bigint;
  /** By connection, or by the path of several that are one. */
  readonly #late = new WeakMap<Connection | LegPath, MidSessionConnection>();
  /** Tables of heads are those of the connection that a head came on, though others may be one with it. */
  readonly #slotsOf = slotsByConnection();
  /** Printed messages are never changed. */
  readonly #printed = new WeakSet<Draft>();
  #lastId = 0;

  /** @param holdNs how long a message may wait for what infers it, ns; 0: it is printed with what is known. */
  constructor(participants: ParticipantRegistry, holdNs: bigint) {
    this.#participants = participants;
    this.#holdNs = holdNs;
  }

  /**
   * The state of an exchange's connection; null where it was seen from its beginning.
   * @param path of several connections that are one. @param isSeveral its client is one of several components, and nothing shows which.
   */
  connectionOf(
    { connection, request, stream }: Exchange,
    path: LegPath | null,
    at: Origin,
    isSeveral: boolean,
  ): MidSessionConnection | null {
    const key = path ?? connection;
    const known = this.#lastId === 0 ? undefined : this.#late.get(key);
    if (known !== undefined) return known;
    const isLate =
      request === null
        ? stream !== null
        : request.partial.length > 0 || request.method === null || request.target === null;
    if (!isLate && !isSeveral) return null;
    this.#lastId -= 1;
    const late: MidSessionConnection = {
      // Negative: no other participant's.
      client: new AnonymousClient(this.#lastId, addressOf(key.client), at.frame),
      since: at.time,
      absent: null,
    };
    this.#late.set(key, late);
    return late;
  }

  /** An exchange opened on such a connection. */
  opened(context: ExchangeContext, connection: MidSessionConnection): void {
    EXCHANGES.set(context, { connection, pending: null });
  }

  /** Many programs may send over its connection. */
  isShared(context: ExchangeContext): boolean {
    return EXCHANGES.of(context)?.connection.client.mayBeShared === true;
  }

  /** A request: infers it from its body and from earlier requests. */
  inferFromRequest(context: ExchangeContext, message: Draft, event: ExchangeEvent & { kind: 'request' }): void {
    const head = event.exchange.request;
    const known = EXCHANGES.of(context);
    if (head === null || known === undefined) return;
    const body = carryingOf(event.body);
    const requests = this.#slotsOf(event.exchange.connection).requests;
    if (head.method === null || head.target === null) {
      const shape = shapeOf(body);
      const slots = requests.pseudoSlots(head);
      const method = head.method ?? requests.methodOf(slots) ?? null;
      const inferred = inferFromBody(method, shape, body);
      add(inferred, requests.inferredBefore(head, slots, inferred.method ?? method));
      known.pending = {
        message,
        head,
        slots,
        known: requests,
        body,
        shape,
        inferred,
        answer: null,
        settled: false,
      };
      this.#fill(context, known.pending);
    } else requests.pseudoSlots(head);
    this.#isThere(known.connection, message);
    this.#identify(known.connection, context, programByRequest(message, body), event.last.frame);
  }

  /** A response: infers its own status and Audit-Id, and its request. */
  inferFromResponse(context: ExchangeContext, message: Draft, event: ExchangeEvent & { kind: 'response' }): void {
    const head = event.exchange.response;
    const { pending: pendingInference, connection: late } = EXCHANGES.of(context) ?? NOT_INFERRED;
    const answer = carryingOf(event.body);
    if (head !== null) this.#head(this.#slotsOf(event.exchange.connection).responses, message, head, context, answer);
    const at = head === null ? event.at.time : saidAt(head, event.at.time);
    const status = message.status ?? null;
    if (pendingInference !== null) {
      pendingInference.answer = message;
      if (event.body !== null) {
        const method = pendingInference.inferred.method ?? pendingInference.head.method;
        add(
          pendingInference.inferred,
          inferFromResponse(
            method,
            pendingInference.shape,
            pendingInference.body,
            answer,
            status,
            at,
            managerOf(context),
          ),
        );
      } else if (isWatchType(head)) add(pendingInference.inferred, { verb: 'watch' });
      this.#fill(context, pendingInference);
      pendingInference.settled = event.body !== null;
      if (late !== null && status === 404 && isNamespaceOpen(pendingInference)) {
        if (late.absent !== null) late.absent.settled = true;
        late.absent = pendingInference;
        pendingInference.settled = false;
      }
    }
    if (late?.client.open === true && context.info !== null && didWrite(context, pendingInference, answer))
      this.#identify(late, context, programByAnswer(answer, at), event.last.frame);
  }

  /** An event of a watch whose request was not captured. */
  inferFromEvent(context: ExchangeContext, event: WatchEvent): void {
    const pendingInference = EXCHANGES.of(context)?.pending ?? null;
    if (pendingInference === null || pendingInference.settled || pendingInference.head.target !== null) return;
    const { object } = event;
    add(
      pendingInference.inferred,
      object === null || event.type === 'ERROR' ? { verb: 'watch' } : inferFromEvent(object.apiVersion, object.kind),
    );
    this.#fill(context, pendingInference);
    pendingInference.settled = true;
    const { answer } = pendingInference;
    if (answer !== null && !this.#printed.has(answer)) answer.label = responseLabel(answer.status ?? null, true);
  }

  /** Nothing more will come of an exchange. */
  exchangeEnded(context: ExchangeContext): void {
    const known = EXCHANGES.of(context);
    if (known?.pending != null) known.pending.settled = true;
  }

  /**
   * Lets a message wait, within the bound, for what may still be inferred.
   * @param settle what it waits for besides. @returns when it is complete; null: it is.
   */
  hold(
    message: Draft,
    context: ExchangeContext,
    settle: ((final: boolean) => boolean) | null,
  ): ((final: boolean) => boolean) | null {
    if (this.#holdNs === 0n) {
      this.#print(message, context);
      return settle;
    }
    const { pending: pendingInference, connection: late } = EXCHANGES.of(context) ?? NOT_INFERRED;
    const isRequest = pendingInference !== null && pendingInference.message === message;
    const needsClient = late !== null && message.time < late.since + this.#holdNs;
    let settled = settle === null;
    return (final) => {
      settled ||= settle?.(final) ?? true;
      const isOpen = !settled || (isRequest && !pendingInference.settled) || (needsClient && late.client.open);
      if (isOpen && !final) return false;
      this.#print(message, context);
      return true;
    };
  }

  /** From here on a message does not change. */
  #print(message: Draft, context: ExchangeContext): void {
    this.#printed.add(message);
    if (context.client.isConcluded) infer(message, message.from === context.client ? 'from' : 'to');
  }

  #fill(context: ExchangeContext, { message, head, slots, known, inferred }: PendingRequestInference): void {
    known.learn(head, slots, head.method === null ? inferred : { ...inferred, method: head.method });
    if (this.#printed.has(message)) return;
    const info = fillRequest(message, inferred, head.method, head.target);
    if (info !== null) context.info = info;
  }

  #head(
    responses: ResponseSlots,
    message: Draft,
    head: ResponseHead,
    context: ExchangeContext,
    answer: Carrying,
  ): void {
    if (head.partial.length === 0) return;
    if (head.status === null) {
      const status =
        responses.status(head) ??
        statusByAnswer(context.info?.verb, EXCHANGES.of(context)?.pending?.body ?? null, answer);
      if (status !== undefined) {
        message.status = status;
        responses.learnStatus(head, status);
        infer(message, 'label');
        infer(message, 'status');
      }
    }
    if (message.auditId !== undefined) return;
    const auditId = responses.auditId(head);
    if (auditId === undefined) return;
    message.auditId = auditId;
    infer(message, 'auditId');
  }

  /** A client that finds no object and then creates it, creates it where it looked. */
  #isThere(late: MidSessionConnection, { verb, resource, namespace, name, apiGroup, apiVersion }: Draft): void {
    const { absent } = late;
    if (absent === null || verb !== 'create') return;
    const { inferred } = absent;
    if (resource !== inferred.resource || name !== inferred.name || apiGroup !== inferred.apiGroup) return;
    late.absent = null;
    absent.settled = true;
    add(inferred, { namespace, apiVersion });
    if (!this.#printed.has(absent.message))
      fillRequest(absent.message, inferred, absent.head.method, absent.head.target);
  }

  #identify(
    late: MidSessionConnection,
    { connection: { id } }: ExchangeContext,
    program: Program | null,
    frame: number,
  ): void {
    if (program === null || !late.client.open) return;
    const { component, node, why } = program;
    const evidence = proven(why, frame);
    const onAddress = this.#participants.concludedAs(component, late.client.record.address, evidence);
    const participant = this.#participants.onConnection(onAddress, id);
    if (node !== undefined) this.#participants.learnNode(participant, node, evidence, id);
    late.client.learn(participant);
  }
}

function slotsByConnection(): (connection: Connection) => HeadSlots {
  const all = new WeakMap<Connection, HeadSlots>();
  return (connection) => {
    return entryOf(all, connection, () => ({ requests: new RequestSlots(), responses: new ResponseSlots() }));
  };
}

/** Adds what is not known yet; nothing that contradicts it. */
function add(inferred: InferredRequest, more: InferredRequest | undefined): void {
  if (more === undefined) return;
  if (inferred.resource !== undefined && more.resource !== undefined && inferred.resource !== more.resource) return;
  if (inferred.verb !== undefined && more.verb !== undefined && inferred.verb !== more.verb) return;
  for (const key of Object.keys(more) as (keyof InferredRequest)[]) inferred[key] ??= more[key];
}

/** A program writes under its own name, unless it is configured otherwise, as people's programs are. */
function managerOf({ client }: ExchangeContext): string | undefined {
  const { component, tier, isAnonymous } = client.process;
  return tier === 'people' || isAnonymous ? undefined : component;
}

/** The answer carries the object as the write left it, and the write changed it. */
function didWrite(
  { info }: ExchangeContext,
  pendingInference: PendingRequestInference | null,
  { carried }: Carrying,
): boolean {
  if (carried === null || carried.status !== undefined || info === null) return false;
  if (info.verb === 'create') return carried.info.uid !== undefined;
  const before = pendingInference?.body.carried?.info.resourceVersion;
  return info.verb === 'update' && before !== undefined && before !== carried.info.resourceVersion;
}

function isNamespaceOpen({ inferred, head }: PendingRequestInference): boolean {
  const { resource, apiGroup, name, namespace } = inferred;
  if (head.target !== null || namespace !== undefined || name === undefined || resource === undefined) return false;
  return !isClusterScoped(resource, apiGroup);
}

function isWatchType(head: ResponseHead | null): boolean {
  return head !== null && (fieldValue(head.fields, 'content-type') ?? '').includes('stream=watch');
}

/** Time of a response by the server's own clock (Date), ns. */
function saidAt(head: ResponseHead, captured: bigint): bigint {
  const date = Date.parse(fieldValue(head.fields, 'date') ?? '');
  return Number.isNaN(date) ? captured : BigInt(date) * 1_000_000n;
}
