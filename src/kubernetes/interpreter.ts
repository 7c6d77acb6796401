// Turns exchange events, in the order of time, into messages with participants, objects and causes.

import { type Notice, type NoticeCode, notice } from '../core/notice.js';
import type { SocketOwner } from '../core/socket-owner.js';
import type { Stage } from '../core/stage.js';
import type { Exchange, ExchangeEvent } from '../http/exchange-event.js';
import type { Redaction } from '../redaction/redaction.js';
import type { LostTime } from '../tcp/delivery.js';
import type { InitialSequenceNumbers, ServerCertificate, TlsEstablished } from '../tcp/stream-event.js';
import { type ServerRoles, serverRoles } from './api/server-roles.js';
import { CausalityTracker } from './causality/causality.js';
import { Causes } from './causality/cause.js';
import { ControllerRows, type ControllerRule } from './causality/controllers.js';
import { RelatedObjects } from './causality/related-objects.js';
import { Watches } from './causality/watches.js';
import type { ExchangeContext } from './exchange-context.js';
import { LostTimes } from './exchange-times.js';
import { RpcClientIdentity } from './grpc/client-identity.js';
import { isGrpcCall, RpcInterpreter } from './grpc/rpc.js';
import { RpcCausality } from './grpc/rpc-causality.js';
import { Aggregation } from './hops/aggregation.js';
import { ImagePulls } from './hops/image-pulls.js';
import { PodStreams } from './hops/pod-streams.js';
import { Proxies } from './hops/proxies.js';
import { ServedRequests } from './hops/served-requests.js';
import { Webhooks } from './hops/webhooks/webhooks.js';
import { HttpInterpreter } from './http-interpreter.js';
import { Identification } from './identification.js';
import { ClientAuthentication } from './identity/authentication.js';
import { ClientCertificates } from './identity/client-certificates.js';
import { NodeEvidence } from './identity/node-evidence.js';
import { type NamingRule, ParticipantRegistry } from './identity/participant-registry.js';
import { ConnectionUserAgents, ProcessGrouping } from './identity/process-grouping.js';
import { Users } from './identity/users/users.js';
import { Inference } from './inference/inference.js';
import { cutOf, fillEnd } from './messages/end-message.js';
import type { Message } from './messages/message.js';
import { MessageEmitter } from './messages/message-emitter.js';
import { Addresses } from './network/addresses.js';
import type { LegPath } from './network/connection-legs.js';
import { LegMerger, type MergedEvent } from './network/leg-merger.js';
import { SocketOwners } from './network/socket-owners.js';
import { ObjectObserver } from './objects/body-objects.js';
import { openExchange } from './open-exchange.js';

export interface InterpreterOptions {
  /** No text leaves the interpreter without it. */
  readonly redaction: Redaction;
  /** Messages keep what they refer to: their heads and bodies. */
  readonly bodies?: boolean;
  readonly naming?: readonly NamingRule[];
  /** The user's own controllers. */
  readonly controllers?: readonly ControllerRule[];
  /** How long, in ns of capture time, an event may be held for the response that shows its cause; 0 when live. */
  readonly holdNs?: bigint;
}

export interface Interpreter extends Stage<ExchangeEvent, Message | Notice> {
  readonly participants: ParticipantRegistry;
  /** Where a connection begins, before its first exchange: joins it to the same one under other addresses. */
  onInitialSequenceNumbers(numbers: InitialSequenceNumbers): void;
  /** A process on one end of a connection, noted by the capturing program. */
  onSocketOwner(owner: SocketOwner): void;
  /** Which TLS session a connection carries, before its first exchange: joins it to others that carry the same. */
  onTlsEstablished(session: TlsEstablished): void;
  /** Whose certificate a side of a connection showed, before its first exchange. */
  onCertificate(certificate: ServerCertificate): void;
  /** Time that a connection lost, before the response that waited for it. */
  onLostTime(lost: LostTime): void;
  /** It is `now` (ns since the epoch) and nothing more came: what need not wait any longer. */
  settle(now: bigint): readonly (Message | Notice)[];
}

export function interpreter(options: InterpreterOptions): Interpreter {
  return new SerialInterpreter(options);
}

class SerialInterpreter implements Interpreter {
  readonly participants: ParticipantRegistry;
  readonly #redaction: Redaction;
  readonly #serverRoles: ServerRoles;
  readonly #legMerger: LegMerger;
  readonly #identification: Identification;
  readonly #socketOwners = new SocketOwners();
  readonly #lostTimes = new LostTimes();
  readonly #authentication: ClientAuthentication;
  readonly #certificates = new ClientCertificates();
  readonly #users: Users;
  readonly #nodeEvidence: NodeEvidence;
  readonly #emitter: MessageEmitter;
  readonly #rpc: RpcInterpreter;
  readonly #http: HttpInterpreter;
  /** Trackers that remember exchanges until they end. */
  readonly #trackers: readonly { exchangeEnded(context: ExchangeContext): void }[];
  #exchanges = 0;

  constructor({ redaction, bodies, naming, controllers, holdNs = DEFAULT_HOLD_NS }: InterpreterOptions) {
    const live = holdNs === 0n;
    const participants = new ParticipantRegistry(naming);
    const addresses = new Addresses({
      nextId: () => participants.newId(),
      isHost: (address) => participants.isHost(address),
      onNode: (node, address, frame) => participants.nodeIsAt(node, address, frame),
    });
    const relatedObjects = new RelatedObjects();
    const causality = new CausalityTracker(relatedObjects, new ControllerRows(controllers), (program) =>
      participants.watcherBeside(program),
    );
    const watches = new Watches(causality.reflectors);
    const served = new ServedRequests();
    const pulls = new ImagePulls(participants, served);
    const inference = new Inference(participants, holdNs);
    const users = new Users();
    const authentication = new ClientAuthentication();
    const webhooks = new Webhooks(causality, users, redaction);
    const aggregation = new Aggregation(participants, served);
    const proxies = new Proxies(participants, served);
    const streams = new PodStreams(served);
    const rpcClients = new RpcClientIdentity(participants, aggregation);
    const rpcCausality = new RpcCausality(causality, streams);
    const nodeEvidence = new NodeEvidence(participants, authentication);
    const emitter = new MessageEmitter(holdNs, redaction, bodies === true);
    const bodyObjects = new ObjectObserver(addresses, webhooks, relatedObjects, emitter);
    const userAgents = new ConnectionUserAgents();
    const processes = new ProcessGrouping();
    const causes = new Causes(watches, causality);
    this.participants = participants;
    this.#redaction = redaction;
    this.#serverRoles = serverRoles((address) => addresses.isWorkload(address));
    this.#legMerger = new LegMerger({ isService: (address) => addresses.isService(address), live });
    this.#authentication = authentication;
    this.#users = users;
    this.#nodeEvidence = nodeEvidence;
    this.#emitter = emitter;
    this.#trackers = [inference, watches, served, causality];
    const hops = { webhooks, aggregation, proxies, streams };
    this.#identification = new Identification({
      ...hops,
      participants,
      authentication,
      users,
      userAgents,
      processes,
      inference,
      addresses,
      socketOwners: this.#socketOwners,
    });
    this.#rpc = new RpcInterpreter({ rpcCausality, rpcClients, pulls, emitter, causes });
    this.#http = new HttpInterpreter({
      ...hops,
      emitter,
      causes,
      bodyObjects,
      nodeEvidence,
      causality,
      watches,
      inference,
      served,
      pulls,
      users,
      certificates: this.#certificates,
      rpcClients,
      lostTimes: this.#lostTimes,
      redaction,
      live,
    });
  }

  onInitialSequenceNumbers(numbers: InitialSequenceNumbers): void {
    this.#legMerger.onInitialSequenceNumbers(numbers);
  }

  onSocketOwner(owner: SocketOwner): void {
    this.#socketOwners.learn(owner);
  }

  onLostTime(lost: LostTime): void {
    this.#lostTimes.add(lost);
  }

  onTlsEstablished(tls: TlsEstablished): void {
    this.#legMerger.onTlsEstablished(tls);
    this.#lostTimes.onTlsEstablished(tls);
    this.#authentication.onTlsEstablished(tls);
    this.#users.onTlsEstablished(tls);
    this.#certificates.onTlsEstablished(tls);
    this.#socketOwners.onTlsEstablished(tls);
  }

  onCertificate(certificate: ServerCertificate): void {
    this.#authentication.onCertificate(certificate);
    this.#users.onCertificate(certificate);
    this.#certificates.onCertificate(certificate);
  }

  feed(event: ExchangeEvent): readonly (Message | Notice)[] {
    const merged = this.#legMerger.feed(event);
    if (merged === null) this.#on(event, event.exchange, null);
    else this.#onMerged(merged);
    return this.#emitter.release(this.#legMerger.passedUntil(event.at.time));
  }

  settle(now: bigint): readonly (Message | Notice)[] {
    this.#onMerged(this.#legMerger.settle(now));
    return this.#emitter.release(this.#legMerger.passedUntil(now));
  }

  end(): readonly (Message | Notice)[] {
    this.#onMerged(this.#legMerger.end());
    for (const one of this.#legMerger.notices()) this.#emitter.emitNotice(one);
    return this.#emitter.releaseAll();
  }

  #onMerged(merged: readonly MergedEvent[]): void {
    for (const { event, of, path, copies } of merged) {
      this.#emitter.copies = copies;
      this.#on(event, of, path);
    }
    this.#emitter.copies = null;
  }

  /** From an event to its messages: each is built, observed by the trackers, given its cause, and emitted. */
  #on(event: ExchangeEvent, exchange: Exchange, path: LegPath | null): void {
    const context = contextOf(exchange) ?? this.#open(event, exchange, path);
    if (isGrpcCall(context, event.exchange)) this.#rpc.feed(event, context);
    else if (event.kind !== 'exchange-end') this.#http.feed(event, context);
    if (event.kind === 'exchange-end') this.#end(event);
  }

  #open(event: ExchangeEvent, exchange: Exchange, path: LegPath | null): ExchangeContext {
    this.#exchanges += 1;
    const open = openExchange(event, this.#exchanges, path, this.#serverRoles, this.#redaction);
    const context = this.#identification.identify(open, event, path);
    this.#nodeEvidence.observeRequest(context, event.kind === 'exchange-end' ? event.at.frame : event.first.frame);
    exchange.context = context;
    return context;
  }

  #end(event: ExchangeEvent & { kind: 'exchange-end' }): void {
    const { exchange } = event;
    const context = contextOf(exchange);
    if (context !== undefined) {
      for (const tracker of this.#trackers) tracker.exchangeEnded(context);
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
    const message = this.#emitter.draft(
      'end',
      { exchange, at, first: at, last: at, complete: true },
      context,
      from,
      to,
    );
    fillEnd(message, cut, event, context);
    this.#emitter.emit(message);
  }

  #half(code: NoticeCode, detail: string, { exchange, at }: ExchangeEvent & { kind: 'exchange-end' }): void {
    const stream = exchange.stream === null ? null : { stream: exchange.stream };
    this.#emitter.emitNotice(notice(code, detail, { origin: at, connection: exchange.connection.name, ...stream }));
  }
}

/** undefined: the exchange is not open. */
function contextOf(exchange: Exchange): ExchangeContext | undefined {
  return exchange.context as ExchangeContext | undefined;
}

/**
 * Limit in ns: capture time that an event waits for the response that has its cause: a write's response and its events leave the API
 * server within milliseconds; a second covers a busy one.
 */
const DEFAULT_HOLD_NS = 1_000_000_000n;
