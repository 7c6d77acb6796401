// Turns exchange events, in the order of time, into messages with participants, objects and causes.

import { type Notice, type NoticeCode, notice } from '../core/notice.js';
import type { SocketOwner } from '../core/socket-owner.js';
import type { Stage } from '../core/stage.js';
import type { Exchange, ExchangeEvent } from '../http/exchange-event.js';
import type { LostTime } from '../tcp/delivery.js';
import type { InitialSequenceNumbers, PeerCertificate, TlsEstablished } from '../tcp/stream-event.js';
import { HttpInterpreter } from './http-interpreter.js';
import { Identification } from './identification.js';
import type { ExchangeContext } from './messages/exchange-context.js';
import type { Message } from './messages/message.js';
import { cutOf, fillEnd } from './observed/end-message.js';
import type { LegPath } from './placed/network/connection-legs.js';
import { LegMerger, type MergedEvent } from './placed/network/leg-merger.js';
import { isGrpcCall, RpcInterpreter } from './rpc-interpreter.js';
import { type InterpreterOptions, type Trackers, trackersOf } from './trackers.js';

export interface Interpreter extends Stage<ExchangeEvent, Message | Notice> {
  /** Where a connection begins, before its first exchange: joins it to the same one under other addresses. */
  onInitialSequenceNumbers(numbers: InitialSequenceNumbers): void;
  /** A process on one end of a connection, noted by the capturing program. */
  onSocketOwner(owner: SocketOwner): void;
  /** Which TLS session a connection carries, before its first exchange: joins it to others that carry the same. */
  onTlsEstablished(session: TlsEstablished): void;
  /** Whose certificate a side of a connection showed, before its first exchange. */
  onCertificate(certificate: PeerCertificate): void;
  /** Time that a connection lost, before the response that waited for it. */
  onLostTime(lost: LostTime): void;
  /** It is `now` (ns since the epoch) and nothing more came: what need not wait any longer. */
  settle(now: bigint): readonly (Message | Notice)[];
}

export function interpreter(options: InterpreterOptions): Interpreter {
  return new SerialInterpreter(options);
}

class SerialInterpreter implements Interpreter {
  readonly #trackers: Trackers;
  readonly #legMerger: LegMerger;
  readonly #identification: Identification;
  readonly #rpc: RpcInterpreter;
  readonly #http: HttpInterpreter;

  constructor(options: InterpreterOptions) {
    const trackers = trackersOf(options);
    const { addresses, live } = trackers;
    this.#trackers = trackers;
    this.#legMerger = new LegMerger({ isService: (address) => addresses.isService(address), live });
    this.#identification = new Identification(trackers);
    this.#rpc = new RpcInterpreter(trackers);
    this.#http = new HttpInterpreter(trackers);
  }

  onInitialSequenceNumbers(numbers: InitialSequenceNumbers): void {
    this.#legMerger.onInitialSequenceNumbers(numbers);
  }

  onSocketOwner(owner: SocketOwner): void {
    this.#trackers.socketOwners.learn(owner);
  }

  onLostTime(lost: LostTime): void {
    this.#trackers.lostTimes.add(lost);
  }

  onTlsEstablished(tls: TlsEstablished): void {
    const { lostTimes, authentication, users, certificates, socketOwners } = this.#trackers;
    for (const one of [this.#legMerger, lostTimes, authentication, users, certificates, socketOwners])
      one.onTlsEstablished(tls);
  }

  onCertificate(certificate: PeerCertificate): void {
    const { authentication, users, certificates } = this.#trackers;
    for (const one of [authentication, users, certificates]) one.onCertificate(certificate);
  }

  feed(event: ExchangeEvent): readonly (Message | Notice)[] {
    const merged = this.#legMerger.feed(event);
    if (merged === null) this.#on(event, event.exchange, null);
    else this.#onMerged(merged);
    return this.#trackers.emitter.release(this.#legMerger.passedUntil(event.at.time));
  }

  settle(now: bigint): readonly (Message | Notice)[] {
    this.#onMerged(this.#legMerger.settle(now));
    return this.#trackers.emitter.release(this.#legMerger.passedUntil(now));
  }

  end(): readonly (Message | Notice)[] {
    this.#onMerged(this.#legMerger.end());
    for (const one of this.#legMerger.notices()) this.#trackers.emitter.emitNotice(one);
    return this.#trackers.emitter.releaseAll();
  }

  #onMerged(merged: readonly MergedEvent[]): void {
    for (const { event, of, path, copies } of merged) {
      this.#trackers.emitter.copies = copies;
      this.#on(event, of, path);
    }
    this.#trackers.emitter.copies = null;
  }

  /** From an event to its messages: each is built, observed by the trackers, given its cause, and emitted. */
  #on(event: ExchangeEvent, exchange: Exchange, path: LegPath | null): void {
    const context = contextOf(exchange) ?? this.#identification.open(event, exchange, path);
    if (isGrpcCall(context, event.exchange)) this.#rpc.feed(event, context);
    else if (event.kind !== 'exchange-end') this.#http.feed(event, context);
    if (event.kind === 'exchange-end') this.#end(event);
  }

  #end(event: ExchangeEvent & { kind: 'exchange-end' }): void {
    const { exchange } = event;
    const context = contextOf(exchange);
    if (context !== undefined) {
      const { inference, watches, served, causality } = this.#trackers;
      for (const tracker of [inference, watches, served, causality]) tracker.exchangeEnded(context);
      this.#cut(event, context);
    }
    if (!event.responseSeen && event.cut === undefined)
      this.#half('exchange.no-response', 'a request whose answer is not in the capture', event);
    else if (event.responseSeen && !event.requestSeen)
      this.#half('exchange.no-request', 'an answer whose request is not in the capture', event);
    exchange.context = undefined;
  }

  #cut(event: ExchangeEvent & { kind: 'exchange-end' }, context: ExchangeContext): void {
    const cut = cutOf(event, context);
    if (cut === undefined) return;
    const { exchange, at } = event;
    const client = isGrpcCall(context, exchange) ? this.#rpc.clientOf(event, context) : context.client;
    const server = (cut.isProxys === true ? context.via?.[0] : undefined) ?? context.server;
    const [from, to] = cut.by === 'client' ? [client, server] : [server, client];
    const message = this.#trackers.emitter.draft(
      'end',
      { exchange, at, first: at, last: at, complete: true },
      context,
      from,
      to,
    );
    fillEnd(message, cut, event, context);
    this.#trackers.emitter.emit(message);
  }

  #half(code: NoticeCode, detail: string, { exchange, at }: ExchangeEvent & { kind: 'exchange-end' }): void {
    const stream = exchange.stream === null ? null : { stream: exchange.stream };
    this.#trackers.emitter.emitNotice(
      notice(code, detail, { origin: at, connection: exchange.connection.name, ...stream }),
    );
  }
}

/** undefined: the exchange is not open. */
function contextOf(exchange: Exchange): ExchangeContext | undefined {
  return exchange.context as ExchangeContext | undefined;
}
