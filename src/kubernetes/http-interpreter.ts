// Turns the events of an HTTP exchange into messages: builds each, lets the trackers observe it, resolves its cause, emits it.

import { notice } from '../core/notice.js';
import { contentTypeOf } from './api/failure-text.js';
import { watchEvent } from './api/watch-event.js';
import type { ExchangeContext } from './exchange-context.js';
import { droppedUpgrade } from './hops/proxies.js';
import { describeUser, learnUser } from './identity/users/describe-user.js';
import type { BodyPart, Draft } from './messages/draft.js';
import {
  describeLease,
  fillData,
  fillEvent,
  fillResponse,
  fillUndecodable,
  labelResponse,
  opensWatch,
  type RequestPart,
  type ResponsePart,
} from './messages/http-messages.js';
import { describePiece, describeProgress } from './messages/stream-data.js';
import { listedUids } from './objects/object-facts.js';
import { observeReport, REQUEST_STEPS, type RequestWork } from './request-steps.js';
import type { Trackers } from './trackers.js';

export class HttpInterpreter {
  readonly #trackers: Trackers;
  #hasNotifiedForgotten = false;

  constructor(trackers: Trackers) {
    this.#trackers = trackers;
  }

  /** Notices: `kubernetes.undecodable`, `limit.decompressed`, `limit.correlation`. */
  feed(event: BodyPart, context: ExchangeContext): void {
    if (event.kind === 'request') this.#request(event, context);
    else if (event.kind === 'response') this.#response(event, context);
    else if (event.kind === 'item') this.#item(event, context);
    else if (event.kind === 'tunnel') this.#data(event, context, event.bytes.length);
    else if (event.kind === 'channel')
      describePiece(this.#data(event, context, event.size), event, this.#trackers.redaction);
  }

  #request(event: RequestPart, context: ExchangeContext): void {
    const message = this.#trackers.emitter.draft('request', event, context, context.client, context.server);
    context.requestSeq = message.seq;
    context.requestEnd = event.last.time;
    const work: RequestWork = { event, context, message, decoded: null, carried: null };
    for (const one of REQUEST_STEPS) one.run(work, this.#trackers);
    this.#emit(message, context);
  }

  #response(event: ResponsePart, context: ExchangeContext): void {
    const { emitter, bodyObjects, causality, watches, inference, webhooks } = this.#trackers;
    const { users, certificates, served, nodeEvidence } = this.#trackers;
    const message = emitter.draft('response', event, context, context.server, context.client);
    const { response } = event.exchange;
    const isWatch = opensWatch(event, context);
    const verb = context.info?.verb ?? '';
    const isKubernetes = context.role.protocol === 'kubernetes';
    const decoded = bodyObjects.decoded(event);
    // The response to a delete may still hold what is gone.
    const frame = isKubernetes && !DELETES.has(verb) ? event.last.frame : null;
    const carried = bodyObjects.of(event, decoded, frame, null, verb === 'create');
    fillResponse(message, event, context, carried);
    message.times = this.#trackers.lostTimes.take(message.connection, context.requestEnd, event);
    const fault = isKubernetes
      ? (certificates.faultOf(event.exchange, message.status, message.time) ??
        droppedUpgrade(served, event.exchange, message.statusMessage) ??
        (event.isEarly === true && (message.status ?? 0) >= 400 ? EARLY : undefined))
      : undefined;
    const said = message.statusMessage?.replace(/\.$/, '');
    if (fault !== undefined) message.statusMessage = said === undefined ? fault : `${said}; ${fault}`;
    // A repeated Event is a patch of its count, so that the whole Event is only in the response.
    if (REPEATS.has(verb)) observeReport({ message, context, carried }, this.#trackers);
    if (context.user !== null) learnUser(users, context, event.body, carried, message.status ?? 0);
    describeUser(message, context);
    message.problems = bodyObjects.statusProblems(event, context.info, carried);
    const isPartial = isKubernetes && (response?.partial.length ?? 0) > 0;
    if (context.isMidSession || isPartial) inference.inferFromResponse(context, message, event);
    nodeEvidence.observeResponse(context, message.status, event.last.frame);
    if (context.isMidSession) causality.observeInferredRequest(context);
    if (verb === 'get' || verb === 'patch') describeLease(message, event.body, context.info);
    labelResponse(message, context, isWatch);
    webhooks.observeResponse(context, message, event.body);
    // A kubelet answers when the stream to its runtime is open.
    if (context.role.protocol === 'kubelet') served.exchangeEnded(context);
    watches.observeVersion(context, message);
    causality.observeResponse(context, message.status ?? null, carried, decoded?.complete === true, message.time);
    if (decoded !== null && context.info?.verb === 'deletecollection')
      causality.observeCollectionDeleted(context, listedUids(decoded.bytes, event.body?.contentType ?? ''));
    this.#emit(message, context);
  }

  #item(event: BodyPart & { kind: 'item' }, context: ExchangeContext): void {
    const { emitter, bodyObjects, causality, watches, inference, rpcClients, redaction, live } = this.#trackers;
    const { protocol } = context.role;
    const contentType = contentTypeOf(event.exchange, event.bytes);
    const decoded = event.complete ? watchEvent(event.bytes, contentType) : null;
    if (event.from === 'client' || (decoded === null && protocol !== 'kubernetes')) {
      const data = this.#data(event, context, event.bytes.length);
      if (protocol === 'docker' && event.complete) describeProgress(data, event.bytes, redaction);
      return;
    }
    const message = emitter.draft('event', event, context, context.server, context.client);
    if (decoded === null) {
      fillUndecodable(message);
      const where = { origin: event.last, connection: message.connection };
      const why = event.complete ? 'bytes of a watch event that are none' : 'a watch event of which bytes are missing';
      this.#emit(message, context);
      emitter.emitNotice(notice('kubernetes.undecodable', `${why} (${event.bytes.length} bytes)`, where));
      return;
    }
    message.claims = bodyObjects.watched(decoded, event.last.frame);
    fillEvent(message, decoded, context);
    const { object } = decoded;
    context.hasFailed = decoded.type === 'ERROR';
    context.client.find().receivesEvents = true;
    if (context.isMidSession) inference.inferFromEvent(context, decoded);
    if (object !== null && context.client.isMidSession) context.client.watchedKind ??= object.kind;
    rpcClients.observeDelivery(message, context);
    watches.observeVersion(context, message);
    const hasEnded = decoded.type === 'MODIFIED' && bodyObjects.hasEnded(object);
    causality.observeEvent(message, context, { hasEnded, gracePeriod: object?.deletionGracePeriodSeconds }, live);
    this.#emit(message, context);
    this.#notifyForgotten();
  }

  #data(event: BodyPart & { from: 'client' | 'server' }, context: ExchangeContext, bytes: number): Draft {
    const { client, server } = context;
    const [from, to] = event.from === 'client' ? [client, server] : [server, client];
    const message = this.#trackers.emitter.draft('data', event, context, from, to);
    fillData(message, bytes);
    this.#emit(message, context);
    return message;
  }

  /** A message waits, within bounds, for what shows its cause and its client. */
  #emit(message: Draft, context: ExchangeContext): void {
    const { emitter, inference, causes } = this.#trackers;
    const resolution = causes.of(message, context);
    emitter.emit(message, context.isAnonymous ? inference.hold(message, context, resolution) : resolution);
  }

  #notifyForgotten(): void {
    const { causality, emitter } = this.#trackers;
    if (causality.forgotten === 0 || this.#hasNotifiedForgotten) return;
    this.#hasNotifiedForgotten = true;
    const detail = 'causes of the objects seen longest ago are not followed any more';
    emitter.emitNotice(notice('limit.correlation', detail));
  }
}

/** Of a status from 400 on: the server did not read what it refused. */
const EARLY = "sent before the request's body had ended";
const REPEATS = new Set(['patch', 'update']);
const DELETES = new Set(['delete', 'deletecollection']);
