// Follows gRPC calls on HTTP/2 (PROTOCOL-HTTP2.md) and decides when their messages are emitted.
//
//   unary       the request, head and message in one, when its message has arrived; the response, head and message in one, at the end
//   streaming   the request with the client's first message, or at the response head if that comes first; the response with its head;
//               each further gRPC message as one message, data or an event

import { BoundedMap, CACHE } from '../core/collections/bounded.js';
import { entryOf } from '../core/collections/series-table.js';
import type { Exchange, ExchangeEvent } from '../http/exchange-event.js';
import { FieldReader } from '../protobuf/wire.js';
import { type ExchangeContext, ExchangeState } from './messages/exchange-context.js';
import type { Protocol } from './messages/message.js';
import { Call, type ItemPart, messagesOf, type RequestPart, type ResponsePart } from './observed/grpc/call.js';
import { criFamily } from './observed/grpc/cri/cri.js';
import { ETCD } from './observed/grpc/etcd/etcd.js';
import { type Method, MethodInferences } from './observed/grpc/method-inference.js';
import { payload, type RpcFamily } from './observed/grpc/payload.js';
import { statusInHead } from './observed/grpc/rpc-labels.js';
import type { ParticipantRecord } from './participants/participant-record.js';
import { RpcMessageBuilder } from './rpc-messages.js';
import type { Trackers } from './trackers.js';

export function isGrpcCall(context: ExchangeContext, exchange: Exchange): boolean {
  const { protocol } = context.role;
  return (protocol === 'etcd' || protocol === 'cri' || protocol === 'grpc') && exchange.stream !== null;
}

const CALLS = new ExchangeState<Call>();

export class RpcInterpreter {
  readonly #builder: RpcMessageBuilder;
  readonly #families = families();
  readonly #inferences = new Map<unknown, MethodInferences>();
  /** By path. */
  readonly #methods = new BoundedMap<string, Method>(MAX_METHODS, CACHE);
  readonly #trackers: Trackers;

  constructor(trackers: Trackers) {
    this.#trackers = trackers;
    this.#builder = new RpcMessageBuilder(trackers);
  }

  feed(event: ExchangeEvent, context: ExchangeContext): void {
    const call = this.#callOf(event.exchange, context, event.at.frame);
    if (event.kind === 'item') this.#item(call, event);
    else if (event.kind === 'request') this.#request(call, event);
    else if (event.kind === 'response') this.#response(call, event);
    else if (event.kind === 'exchange-end') this.#exchangeEnded(call, event);
  }

  clientOf({ exchange, at }: ExchangeEvent, context: ExchangeContext): ParticipantRecord {
    return this.#callOf(exchange, context, at.frame).client;
  }

  #callOf(exchange: Exchange, context: ExchangeContext, frame: number): Call {
    let call = CALLS.of(context);
    if (call !== undefined) return call;
    const family = this.#families[context.role.protocol]!;
    const { table } = family;
    call = new Call(context, family, this.#trackers.rpcClients.of(context, frame));
    const method = this.#methodOf(exchange.request?.target ?? '', family);
    if (method !== null) call.setMethod(method, false);
    else if (table !== null && exchange.request?.target == null) {
      const inferences = entryOf(this.#inferences, family, () => new MethodInferences(table()));
      call.inference = inferences.of(exchange.connection.id, exchange.request);
      call.inferMethod();
    }
    CALLS.set(context, call);
    return call;
  }

  /** null: the path was not captured, or is not `/service/method`. */
  #methodOf(target: string, family: RpcFamily): Method | null {
    const known = this.#methods.get(target);
    if (known !== undefined) return known;
    const path = PATH.exec(target);
    if (path === null) return null;
    const [, service, method] = path;
    const found = { service, name: method, type: family.table?.().method(service, method) };
    this.#methods.set(target, found);
    return found;
  }

  #request(call: Call, event: RequestPart): void {
    call.requestHead = event;
    for (const item of itemsOf(event, 'client')) this.#item(call, item);
  }

  #response(call: Call, event: ResponsePart): void {
    call.responseHead = event;
    call.serverFirst = answersFirst(call, event);
    if (call.known && call.streams) this.#builder.streaming(call, event.at);
    for (const item of itemsOf(event, 'server')) this.#item(call, item);
  }

  #item(call: Call, item: ItemPart): void {
    const event = item.complete && call.family.table !== null ? this.#checked(item) : item;
    if (event.from === 'client') this.#clientMessage(call, event);
    else this.#serverMessage(call, event);
  }

  /** A message that is not protobuf counts as one that was cut. */
  #checked(item: ItemPart): ItemPart {
    if (isWellFormed(item.bytes)) return item;
    this.#builder.undecodable(item);
    return { ...item, complete: false };
  }

  #clientMessage(call: Call, event: ItemPart): void {
    call.clientMessages += 1;
    if (call.clientMessages === 2) call.inference?.streams('client');
    if (event.complete) call.inference?.request(event.bytes);
    if (call.inferMethod()) this.#builder.methodInferred(call);
    if (call.request === null && call.requestHead !== null) {
      call.requestMessage = event;
      this.#builder.request(call, event.at);
    } else this.#builder.clientMessage(call, event);
  }

  #serverMessage(call: Call, event: ItemPart): void {
    call.serverMessages += 1;
    if (call.serverMessages === 2) call.inference?.streams('server');
    if (event.complete)
      call.inference?.answer(
        event.bytes,
        call.clientMessages === 1 && call.requestMessage !== null ? call.requestMessage.bytes : null,
      );
    if (call.inferMethod()) this.#builder.methodInferred(call);
    if (!call.streams && call.serverMessages === 1) {
      call.answerMessage = event;
      return;
    }
    this.#builder.streaming(call, event.at);
    this.#builder.streamed(call, event);
  }

  #exchangeEnded(call: Call, { exchange, at }: ExchangeEvent & { readonly kind: 'exchange-end' }): void {
    this.#builder.requestHead(call, at);
    if (call.answered || call.streams) this.#builder.end(call, exchange, at);
    else if (call.responseHead !== null || call.answerMessage !== null) this.#builder.answer(call, exchange, at);
    call.inference = null;
  }
}

/**
 * Whether the server sent its head before the client's first message, so that the call is streaming: a unary handler only runs after its
 * message. A head with an error is none of these.
 */
function answersFirst({ clientMessages, requestHead }: Call, { exchange }: ResponsePart): boolean {
  const isAccepted = exchange.response?.status === 200 && statusInHead(exchange) === undefined;
  return isAccepted && clientMessages === 0 && requestHead !== null;
}

/** gRPC messages of a body that arrived whole, because it was not known to be a stream. */
function itemsOf(event: RequestPart | ResponsePart, from: ItemPart['from']): ItemPart[] {
  if (event.body === null || event.body.length === 0) return [];
  const { exchange, first, last, at, complete } = event;
  return messagesOf(event.body).map((bytes) => ({ kind: 'item', exchange, from, first, last, at, complete, bytes }));
}

/** Whether the top-level protobuf fields end where the message ends. */
function isWellFormed(bytes: Uint8Array): boolean {
  const reader = TOP.open(bytes, 0, bytes.length);
  while (reader.next());
  return reader.fault === null;
}

const TOP = new FieldReader();
const PATH = /^\/([\w.]+)\/(\w+)$/;
/** Limit: paths whose method is remembered, more than the services in one cluster have. */
const MAX_METHODS = 1000;

/** For one interpreter, as families have state. */
export function families(): Readonly<Partial<Record<Protocol, RpcFamily>>> {
  return { etcd: ETCD, cri: criFamily(), grpc: OTHER };
}

/** Any other service: its calls are emitted by name, without content. */
const OTHER: RpcFamily = {
  table: null,
  readRequest: () => payload(''),
  readResponse: () => payload(''),
  readStreamed: () => [payload('')],
};
