// Remote calls over gRPC: one request line a call, its answer, or the messages of its streams. Knows how gRPC puts calls
// on HTTP/2 (PROTOCOL-HTTP2.md); what the messages say is each family's business.
//
//   unary     request = head … message      response = head … message … trailers
//   stream    request = head … 1st message  data, data …     response = head     data, event …

import { fieldValue } from '../../core/fields.js';
import { type Notice, notice } from '../../core/notice.js';
import { earlier, later } from '../../core/origin.js';
import type { Exchange, ExchangeEvent } from '../../http/exchange-event.js';
import { FieldReader } from '../../protobuf/wire.js';
import type { Draft, Part } from '../draft.js';
import type { HoldQueue } from '../hold-queue.js';
import type { Joiner } from '../joiner.js';
import type { Message, MessageKind, Speaker } from '../message.js';
import type { Speakers } from '../speakers.js';
import type { Talk } from '../talk.js';
import { MessageBody, messagesOf } from './body.js';
import { Call, type ItemPart, type RequestPart, type ResponsePart } from './call.js';
import { Clients } from './clients.js';
import { families } from './families.js';
import type { RpcFamily } from './family.js';
import { Guesses, type Method } from './guess.js';
import { Joins, type Settle } from './joins.js';
import { type Said, said, tell } from './said.js';
import { statusCode, statusName } from './status.js';

/** What of the interpreter calls need. */
export interface RpcHost {
  readonly speakers: Speakers;
  readonly joiner: Joiner;
  readonly queue: HoldQueue<Message | Notice>;
  /** How long, in ns of capture time, a request may be held for the answer that tells its method; 0 when live. */
  readonly holdNs: bigint;
  redact(text: string): string;
  draft(kind: MessageKind, event: Part, talk: Talk, from: Speaker, to: Speaker): Draft;
}

/** Does this module make the messages of an exchange? */
export function isCall(talk: Talk, exchange: Exchange): boolean {
  const { protocol } = talk.door;
  return (protocol === 'etcd' || protocol === 'cri' || protocol === 'grpc') && exchange.stream !== null;
}

export class Rpc {
  readonly #host: RpcHost;
  readonly #families = families();
  readonly #guesses = new Map<unknown, Guesses>();
  /** By path. */
  readonly #methods = new Map<string, Method>();
  readonly #calls = new Map<Exchange, Call>();
  readonly #joins: Joins;
  readonly clients: Clients;

  constructor(host: RpcHost) {
    this.#host = host;
    this.#joins = new Joins(host.joiner);
    this.clients = new Clients(host.speakers);
  }

  feed(event: ExchangeEvent, talk: Talk): void {
    const call = this.#callOf(event.exchange, talk);
    if (event.kind === 'item') this.#item(call, event);
    else if (event.kind === 'request') this.#request(call, event);
    else if (event.kind === 'response') this.#response(call, event);
    else if (event.kind === 'over') this.#over(call, event);
  }

  #callOf(exchange: Exchange, talk: Talk): Call {
    let call = this.#calls.get(exchange);
    if (call !== undefined) return call;
    const family = this.#families[talk.door.protocol]!;
    call = new Call(talk, exchange.connection, family, this.clients.of(exchange.connection, talk));
    const method = this.#methodOf(exchange.request?.target ?? '', family);
    if (method !== null) name(call, method, false);
    else if (family.table !== null && exchange.request?.target == null) {
      let guesses = this.#guesses.get(family);
      if (guesses === undefined) {
        guesses = new Guesses(family.table());
        this.#guesses.set(family, guesses);
      }
      call.guess = guesses.of(exchange.connection.id, exchange.request);
      conclude(call);
    }
    this.#calls.set(exchange, call);
    return call;
  }

  /** null: the path is not known, or no call's. */
  #methodOf(target: string, family: RpcFamily): Method | null {
    const known = this.#methods.get(target);
    if (known !== undefined) return known;
    const path = PATH.exec(target);
    if (path === null) return null;
    const [, service, method] = path;
    const found = { service, name: method, type: family.table?.().method(service, method) };
    if (this.#methods.size >= MAX_METHODS) this.#methods.clear();
    this.#methods.set(target, found);
    return found;
  }

  // ── what comes ──

  #request(call: Call, event: RequestPart): void {
    call.requestHead = event;
    for (const item of itemsOf(event, 'client')) this.#item(call, item);
  }

  #response(call: Call, event: ResponsePart): void {
    call.responseHead = event;
    if (call.known && call.streams) this.#sayStreaming(call, event.at);
    for (const item of itemsOf(event, 'server')) this.#item(call, item);
  }

  #item(call: Call, item: ItemPart): void {
    const event = item.complete && call.family.table !== null ? this.#checked(item) : item;
    if (event.from === 'client') this.#asked(call, event);
    else this.#told(call, event);
  }

  /** Bytes that are no message are as good as cut ones. */
  #checked(item: ItemPart): ItemPart {
    if (isWellFormed(item.bytes)) return item;
    const where = { origin: item.last, connection: item.exchange.connection.name };
    const detail = `bytes of a remote call that are no message (${item.bytes.length} bytes)`;
    this.#host.queue.push(notice('kubernetes.undecodable', detail, where), 0n, null);
    return { ...item, complete: false };
  }

  #asked(call: Call, event: ItemPart): void {
    call.clientMessages += 1;
    if (call.clientMessages === 2) call.guess?.streams('client');
    if (event.complete) call.guess?.request(event.bytes);
    conclude(call);
    if (call.request === null && call.requestHead !== null) {
      call.asked = event;
      this.#sayRequest(call, event.at);
    } else this.#sayData(call, event, call.known && event.complete ? call.family.asked(call, event.bytes) : null);
  }

  #told(call: Call, event: ItemPart): void {
    call.serverMessages += 1;
    if (call.serverMessages === 2) call.guess?.streams('server');
    if (event.complete)
      call.guess?.answer(event.bytes, call.clientMessages === 1 && call.asked !== null ? call.asked.bytes : null);
    conclude(call);
    if (!call.streams && call.serverMessages === 1) {
      call.answer = event;
      return;
    }
    this.#sayStreaming(call, event.at);
    this.#sayStreamed(call, event);
  }

  #over(call: Call, { exchange, at }: ExchangeEvent & { readonly kind: 'over' }): void {
    this.#calls.delete(exchange);
    this.#sayRequestHead(call, at);
    if (call.answered || call.streams) this.#sayEnd(call, exchange, at);
    else if (call.responseHead !== null || call.answer !== null) this.#sayAnswer(call, exchange, at);
    call.guess = null;
  }

  // ── what is said ──

  /** The request with its first message. */
  #sayRequest(call: Call, at: Part['at']): void {
    const { requestHead: head, asked, talk } = call;
    if (head === null) return;
    const event: RequestPart = {
      kind: 'request',
      exchange: head.exchange,
      first: head.first,
      last: asked === null ? head.last : later(head.last, asked.last),
      at,
      complete: head.complete && (asked === null ? call.streams : asked.complete),
      body: asked === null ? null : new MessageBody(asked.bytes, asked.complete),
    };
    const message = this.#host.draft('request', event, talk, call.client, talk.server);
    const { request } = head.exchange;
    message.method = request?.method ?? undefined;
    message.target = talk.target;
    message.userAgent = talk.userAgent;
    talk.requestSeq = message.seq;
    talk.requestEnd = event.last.time;
    call.request = message;
    call.requestHead = null;
    let cause = this.#fillRequest(call);
    if (!isOpen(call) && cause === null) {
      this.#host.queue.push(message, 0n, null);
      return;
    }
    this.#hold(message, (final) => {
      if (isOpen(call) && !final) return false;
      // What was not known when it was sent is known now.
      if (call.inferred && message.rpcMethod === null) cause = this.#fillRequest(call);
      return cause?.(final) ?? true;
    });
  }

  #hold(message: Draft, settle: Settle): void {
    const { holdNs, queue } = this.#host;
    queue.push(message, message.time + holdNs, settle);
  }

  /** A request of which no message came. */
  #sayRequestHead(call: Call, at: Part['at']): void {
    if (call.request === null && call.requestHead !== null) this.#sayRequest(call, at);
  }

  /** @returns what its cause waits for; null: nothing. */
  #fillRequest(call: Call): Settle | null {
    const { request: message, asked } = call;
    if (message === null) return null;
    const what = call.known && asked?.complete === true ? call.family.asked(call, asked.bytes) : said('');
    this.#name(call, message);
    this.#tell(call, message, what);
    message.label = call.known ? requestLabel(call, what) : '[RPC] (method not captured)';
    return this.#joins.asked(call, message, what);
  }

  /** The answer of a call without streams, when nothing more comes. */
  #sayAnswer(call: Call, exchange: Exchange, at: Part['at']): void {
    const { responseHead: head, answer, talk } = call;
    const first = head === null ? answer!.first : answer === null ? head.first : earlier(head.first, answer.first);
    const seen = answer?.last ?? head!.last;
    const status = statusOf(exchange);
    // Something between the two may answer in plain HTTP.
    const isPlain = head?.exchange.response?.status != null && head.exchange.response.status !== 200;
    const ended = exchange.trailers !== null || status !== undefined || isPlain;
    const missing = answer === null ? !isPlain && (status === undefined || status === 0) : !answer.complete;
    const event: ResponsePart = {
      kind: 'response',
      exchange,
      first,
      last: ended ? later(seen, at) : seen,
      at,
      complete: ended && !missing && (head?.complete ?? false),
      body: answer === null ? null : new MessageBody(answer.bytes, answer.complete),
    };
    const message = this.#host.draft('response', event, talk, talk.server, call.client);
    const what = call.known && answer?.complete === true ? call.family.answered(call, answer.bytes) : said('');
    this.#finishResponse(call, message, event, status);
    this.#tell(call, message, what);
    this.#joins.answered(call, what, answer === null);
    message.label = `[RPC-RESP] ${outcome(exchange, status, ended, what.words)}`;
    this.#host.queue.push(message, 0n, null);
  }

  /** A stream is answered with its head: its messages follow. */
  #sayStreaming(call: Call, at: Part['at']): void {
    this.#sayRequestHead(call, at);
    const { responseHead: head, answer, talk } = call;
    if (head !== null && !call.answered) {
      const event: ResponsePart = { ...head, at, body: null };
      const message = this.#host.draft('response', event, talk, talk.server, call.client);
      const status = statusOf(head.exchange);
      this.#finishResponse(call, message, event, status);
      message.label =
        status === undefined
          ? '[RPC-RESP] stream, wait for messages...'
          : `[RPC-RESP] ${outcome(head.exchange, status, true, '')}`;
      this.#host.queue.push(message, 0n, null);
      call.answered = true;
    }
    call.answer = null;
    // Its second message told that it is a stream: the first one waits.
    if (answer !== null) this.#sayStreamed(call, answer);
  }

  #finishResponse(call: Call, message: Draft, event: ResponsePart, status: number | undefined): void {
    const { talk } = call;
    const { response, trailers } = event.exchange;
    this.#name(call, message);
    if (response?.status != null) message.status = response.status;
    message.grpcStatus = status;
    if (talk.requestSeq !== undefined) {
      message.latencyMs = Number(event.first.time - talk.requestEnd) / 1e6;
      message.causedBy = talk.requestSeq;
    }
    if (status === undefined || status === 0) return;
    message.reason = statusName(status);
    const why = fieldValue(trailers ?? [], 'grpc-message') ?? fieldValue(response?.fields ?? [], 'grpc-message');
    if (why !== undefined && why !== '' && TELLABLE.has(status))
      message.statusMessage = this.#host.redact(percentDecoded(why));
  }

  #sayStreamed(call: Call, event: ItemPart): void {
    // Of a cut message some fields are missing and others are cut: it is not read at all.
    if (!call.known || !event.complete) {
      this.#sayData(call, event, null);
      return;
    }
    for (const what of call.family.streamed(call, event.bytes)) this.#sayData(call, event, what);
  }

  /** One message of a stream, or one event of it. */
  #sayData(call: Call, event: ItemPart, what: Said | null): void {
    const { talk } = call;
    const fromClient = event.from === 'client';
    const kind = what?.kind === 'event' ? 'event' : 'data';
    const message = this.#host.draft(
      kind,
      event,
      talk,
      fromClient ? call.client : talk.server,
      fromClient ? talk.server : call.client,
    );
    this.#name(call, message);
    if (what !== null) this.#tell(call, message, what);
    if (kind === 'data') {
      message.bytes = event.bytes.length;
      message.causedBy = talk.requestSeq;
    }
    const words = what === null || what.words === '' ? `${event.bytes.length} bytes` : what.words;
    message.label =
      fromClient && what !== null && what.words !== '' ? requestLabel(call, what) : `[RPC-CHUNK] ${words}`;
    const cause = kind === 'event' && what !== null ? this.#joins.told(message, what) : null;
    if (cause === null) this.#host.queue.push(message, 0n, null);
    else this.#hold(message, cause);
  }

  /** How a stream ended, where the server said so. */
  #sayEnd(call: Call, exchange: Exchange, at: Part['at']): void {
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
    const message = this.#host.draft('data', event, call.talk, call.talk.server, call.client);
    this.#name(call, message);
    message.bytes = 0;
    message.grpcStatus = status;
    message.causedBy = call.talk.requestSeq;
    message.label = `[RPC-CHUNK] end of stream: ${statusName(status)}`;
    this.#host.queue.push(message, 0n, null);
  }

  #name(call: Call, message: Draft): void {
    message.service = call.known ? call.service : undefined;
    message.rpcMethod = call.known ? call.method : null;
    if (call.known && call.inferred) message.inferred = INFERRED;
  }

  #tell(call: Call, message: Draft, what: Said): void {
    tell(message, what, this.#host.redact);
    if (what.words !== '') what.words = this.#host.redact(what.words);
    this.clients.learn(call.talk, call.connection, call.client, what, message.frames[1]);
  }
}

/** Its method may still be concluded. */
function isOpen({ known, guess }: Call): boolean {
  return !known && guess !== null && !guess.settled;
}

/** The method of a call that its messages have given away. */
function conclude(call: Call): void {
  const found = call.known ? null : (call.guess?.method ?? null);
  if (found !== null) name(call, found, true);
}

function name(call: Call, { service, name: method, type }: Method, inferred: boolean): void {
  call.service = service;
  call.method = method;
  call.inferred = inferred;
  call.type = type;
}

function requestLabel({ service, method }: Call, { words }: Said): string {
  const short = service.slice(service.lastIndexOf('.') + 1);
  return words === '' ? `[RPC] ${short}/${method}` : `[RPC] ${short}/${method} ${words}`;
}

/** @param details what the answer says, beginning with `, ` or ` (`. */
function outcome({ response }: Exchange, status: number | undefined, ended: boolean, details: string): string {
  if (status !== undefined) return `${statusName(status)}${details}`;
  if (response?.status != null && response.status !== 200) return `HTTP ${response.status}`;
  if (!ended) return '(cut off)';
  return details === '' ? '(status not captured)' : details.replace(/^(?:, | )/, '');
}

/** A call that fails at once has its status among the fields of its head. */
function statusOf({ response, trailers }: Exchange): number | undefined {
  return (
    statusCode(fieldValue(trailers ?? [], 'grpc-status')) ??
    statusCode(response === null ? undefined : fieldValue(response.fields, 'grpc-status'))
  );
}

/** Messages of a body that was not known to be a stream. */
function itemsOf(event: RequestPart | ResponsePart, from: ItemPart['from']): ItemPart[] {
  if (event.body === null || event.body.length === 0) return [];
  const { exchange, first, last, at, complete } = event;
  return messagesOf(event.body).map((bytes) => ({ kind: 'item', exchange, from, first, last, at, complete, bytes }));
}

/** grpc-message is percent-encoded UTF-8 (PROTOCOL-HTTP2.md). */
function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The fields of a message, at its top, end where it ends. */
function isWellFormed(bytes: Uint8Array): boolean {
  const reader = TOP.open(bytes, 0, bytes.length);
  while (reader.next());
  return reader.fault === null;
}

const TOP = new FieldReader();
const PATH = /^\/([\w.]+)\/(\w+)$/;
const INFERRED = ['service', 'rpcMethod'];
/** Statuses whose text names what is missing or not known: NOT_FOUND, UNIMPLEMENTED. Others may repeat what was sent. */
const TELLABLE = new Set([5, 12]);
/** Methods of the services that one cluster speaks. */
const MAX_METHODS = 1000;
const NO_BYTES = new Uint8Array(0);
