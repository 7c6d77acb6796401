// Builds and emits the messages of gRPC calls.

import { fieldValue } from '../core/fields.js';
import { notice } from '../core/notice.js';
import { earlier, later } from '../core/origin.js';
import type { Exchange } from '../http/exchange-event.js';
import { shownName, shownNames } from '../redaction/names.js';
import { sentence } from '../redaction/shown.js';
import { settles } from './attributed/cause.js';
import type { BodyPart, Draft } from './messages/draft.js';
import { type ExchangeContext, latencyOf } from './messages/exchange-context.js';
import type { Resolution } from './messages/message.js';
import { type Call, type ItemPart, MessageBody, type RequestPart, type ResponsePart } from './observed/grpc/call.js';
import { copyPayload, payload, type RpcPayload } from './observed/grpc/payload.js';
import {
  outcome,
  requestLabel,
  safeReason,
  statusCode,
  statusInHead,
  statusName,
  statusOf,
} from './observed/grpc/rpc-labels.js';
import type { Trackers } from './trackers.js';

export class RpcMessageBuilder {
  readonly #trackers: Trackers;

  constructor(trackers: Trackers) {
    this.#trackers = trackers;
  }

  /** The request with its first message. */
  request(call: Call, at: BodyPart['at']): void {
    const { requestHead: head, requestMessage, context } = call;
    if (head === null) return;
    const event: RequestPart = {
      kind: 'request',
      exchange: head.exchange,
      first: head.first,
      last: requestMessage === null ? head.last : later(head.last, requestMessage.last),
      at,
      complete: head.complete && (requestMessage === null ? call.streams : requestMessage.complete),
      body: requestMessage === null ? null : new MessageBody(requestMessage.bytes, requestMessage.complete),
    };
    const message = this.#trackers.emitter.draft('request', event, context, call.client, context.server);
    const { request } = head.exchange;
    message.method = request?.method ?? undefined;
    message.target = context.target;
    message.userAgent = context.userAgent;
    context.requestSeq = message.seq;
    context.requestEnd = event.last.time;
    call.request = message;
    call.requestHead = null;
    call.cause = this.#fillRequest(call);
    if (!isOpen(call) && call.cause === null) {
      this.#trackers.emitter.emit(message);
      call.requestEmitted = true;
      return;
    }
    this.#trackers.emitter.emit(message, (deadlinePassed) => {
      // Another call with the same head may have proved the method.
      if (call.inferMethod()) this.methodInferred(call);
      if (isOpen(call) && !deadlinePassed) return false;
      const done = (call.cause?.(deadlinePassed) ?? true) || deadlinePassed;
      if (done) call.requestEmitted = true;
      return done;
    });
  }

  /** The method of a call was inferred after its request. */
  methodInferred(call: Call): void {
    if (call.request === null) return;
    if (!call.requestEmitted) call.cause = this.#fillRequest(call);
    // The request was printed and stays as it is; reading the response needs its content.
    else if (call.requestMessage?.complete === true) call.family.readRequest(call, call.requestMessage.bytes);
  }

  /** A request without messages. */
  requestHead(call: Call, at: BodyPart['at']): void {
    if (call.request === null && call.requestHead !== null) this.request(call, at);
  }

  /** @returns null: its cause is not pending. */
  #fillRequest(call: Call): Resolution | null {
    const { request: message } = call;
    if (message === null) return null;
    const what = this.#requestPayload(call);
    this.#setMethod(call, message);
    this.#copyPayload(call, message, what);
    message.label = call.known
      ? requestLabel(call, what.words)
      : shownNames(`[RPC] (method not captured) ${what.words}`.trimEnd());
    if (call.known && call.method === 'PullImage') this.#trackers.pulls.observePull(call.context, message, what.image);
    this.#trackers.rpcCausality.requestSent(call, message, what);
    return this.#trackers.causes.of(message, call.context);
  }

  #requestPayload(call: Call): RpcPayload {
    const { requestMessage: first, family } = call;
    if (first?.complete !== true) return payload('');
    return call.known
      ? family.readRequest(call, first.bytes)
      : (family.readUnknownRequest?.(first.bytes) ?? payload(''));
  }

  /** The answer of a call without streams, at its end. */
  answer(call: Call, exchange: Exchange, at: BodyPart['at']): void {
    const { responseHead: head, answerMessage: answer, context } = call;
    const first = head === null ? answer!.first : answer === null ? head.first : earlier(head.first, answer.first);
    const lastSeen = answer?.last ?? head!.last;
    const status = statusOf(exchange);
    // A proxy may answer in plain HTTP.
    const isPlain = head?.exchange.response?.status != null && head.exchange.response.status !== 200;
    const ended = exchange.trailers !== null || status !== undefined || isPlain;
    const missing = answer === null ? !isPlain && (status === undefined || status === 0) : !answer.complete;
    const event: ResponsePart = {
      kind: 'response',
      exchange,
      first,
      last: ended ? later(lastSeen, at) : lastSeen,
      at,
      complete: ended && !missing && (head?.complete ?? false),
      body: answer === null ? null : new MessageBody(answer.bytes, answer.complete),
    };
    const message = this.#trackers.emitter.draft('response', event, context, context.server, call.client);
    const what = call.known && answer?.complete === true ? call.family.readResponse(call, answer.bytes) : payload('');
    this.#finishResponse(call, message, event, status);
    this.#copyPayload(call, message, what);
    this.#trackers.rpcCausality.answered(call, what, answer === null);
    message.label = sentence`[RPC-RESP] ${outcome(exchange, status, ended, what.words)}`;
    this.#emit(message, call.context);
  }

  /** The response of a stream is emitted with its head, before its messages. */
  streaming(call: Call, at: BodyPart['at']): void {
    this.requestHead(call, at);
    const { responseHead: head, answerMessage: answer, context } = call;
    if (head !== null && !call.answered) {
      const event: ResponsePart = { ...head, at, body: null };
      const message = this.#trackers.emitter.draft('response', event, context, context.server, call.client);
      // Its trailers may be there already, as the exchange is read after its assembly.
      const status = statusInHead(head.exchange);
      this.#finishResponse(call, message, event, status);
      message.label =
        status === undefined
          ? sentence`[RPC-RESP] stream, wait for messages...`
          : sentence`[RPC-RESP] ${outcome(head.exchange, status, true, '')}`;
      this.#emit(message, context);
      call.answered = true;
    }
    call.answerMessage = null;
    // The second message proved that it is a stream: the first one was held.
    if (answer !== null) this.streamed(call, answer);
  }

  #finishResponse(call: Call, message: Draft, event: ResponsePart, status: number | undefined): void {
    const { context } = call;
    const { response } = event.exchange;
    this.#setMethod(call, message);
    if (response?.status != null) message.status = response.status;
    message.grpcStatus = status;
    if (context.requestSeq !== undefined) message.latencyMs = latencyOf(context, event.first);
    if (status === undefined || status === 0) return;
    message.reason = statusName(status);
    const why = safeReason(event.exchange, status, call.family.repeated?.has(call.method) === true);
    if (why !== undefined) message.statusMessage = why;
  }

  streamed(call: Call, event: ItemPart): void {
    // In a cut message some fields are missing and others are cut, so none is read.
    if (!call.known || !event.complete) {
      this.#data(call, event, null);
      return;
    }
    for (const what of call.family.readStreamed(call, event.bytes)) this.#data(call, event, what);
  }

  /** A further message of the client. */
  clientMessage(call: Call, event: ItemPart): void {
    this.#data(call, event, call.known && event.complete ? call.family.readRequest(call, event.bytes) : null);
  }

  undecodable({ exchange, last, bytes }: ItemPart): void {
    const detail = `bytes of a remote call that are no message (${bytes.length} bytes)`;
    const where = { origin: last, connection: exchange.connection.name };
    this.#trackers.emitter.emitNotice(notice('kubernetes.undecodable', detail, where));
  }

  /** One message of a stream, or one event of it. */
  #data(call: Call, event: ItemPart, what: RpcPayload | null): void {
    const { context } = call;
    const fromClient = event.from === 'client';
    const kind = what?.kind === 'event' ? 'event' : 'data';
    const message = this.#trackers.emitter.draft(
      kind,
      event,
      context,
      fromClient ? call.client : context.server,
      fromClient ? context.server : call.client,
    );
    this.#setMethod(call, message);
    if (what !== null) this.#copyPayload(call, message, what);
    if (kind === 'data') message.bytes = event.bytes.length;
    const words = what === null || what.words === '' ? `${event.bytes.length} bytes` : what.words;
    message.label =
      fromClient && what !== null && what.words !== ''
        ? requestLabel(call, what.words)
        : shownNames(`[RPC-CHUNK] ${words}`);
    if (kind === 'event' && what !== null)
      this.#trackers.emitter.emit(message, settles(message, this.#trackers.rpcCausality.writeBehind(message, what)));
    else this.#emit(message, context);
  }

  /** The end of a stream, if the server sent its status. */
  end(call: Call, exchange: Exchange, at: BodyPart['at']): void {
    const status = statusCode(fieldValue(exchange.trailers ?? [], 'grpc-status'));
    if (status === undefined) return;
    const event: ItemPart = {
      kind: 'item',
      exchange,
      from: 'server',
      first: at,
      last: at,
      at,
      complete: true,
      bytes: NO_BYTES,
    };
    const message = this.#trackers.emitter.draft('data', event, call.context, call.context.server, call.client);
    this.#setMethod(call, message);
    message.bytes = 0;
    message.grpcStatus = status;
    message.label = sentence`[RPC-CHUNK] end of stream: ${shownName(statusName(status))}`;
    this.#emit(message, call.context);
  }

  #emit(message: Draft, context: ExchangeContext): void {
    this.#trackers.emitter.emit(message, this.#trackers.causes.of(message, context));
  }

  #setMethod(call: Call, message: Draft): void {
    message.service = call.known ? call.service : undefined;
    message.rpcMethod = call.known ? call.method : null;
    if (call.known && call.inferred) message.inferred = INFERRED;
  }

  #copyPayload(call: Call, message: Draft, what: RpcPayload): void {
    copyPayload(message, what);
    this.#trackers.rpcClients.learn(call.context, call.client, what, message.frames[1]);
  }
}

/** Its method may still be concluded. */
function isOpen({ known, inference }: Call): boolean {
  return !known && inference !== null && !inference.settled;
}

const INFERRED = ['service', 'rpcMethod'];
const NO_BYTES = new Uint8Array(0);
