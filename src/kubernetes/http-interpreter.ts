// Turns the events of an HTTP exchange into messages: builds each, lets the trackers observe it, resolves its cause, emits it.

import { notice } from '../core/notice.js';
import { contentTypeOf } from './api/failure-text.js';
import { watchEvent } from './api/watch-event.js';
import { type MessageStep, type MessageWork, REQUEST_STEPS, RESPONSE_STEPS } from './message-steps.js';
import type { BodyPart, Draft } from './messages/draft.js';
import type { ExchangeContext } from './messages/exchange-context.js';
import { fillData, fillEvent, fillUndecodable, type RequestPart, type ResponsePart } from './observed/http-messages.js';
import { describePiece, describeProgress } from './observed/stream-data.js';
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
    this.#pass(REQUEST_STEPS, event, context, message);
  }

  #response(event: ResponsePart, context: ExchangeContext): void {
    const message = this.#trackers.emitter.draft('response', event, context, context.server, context.client);
    this.#pass(RESPONSE_STEPS, event, context, message);
  }

  #pass<Part>(steps: readonly MessageStep<Part>[], event: Part, context: ExchangeContext, message: Draft): void {
    const work: MessageWork<Part> = { event, context, message, decoded: null, carried: null };
    for (const one of steps) one.run(work, this.#trackers);
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
