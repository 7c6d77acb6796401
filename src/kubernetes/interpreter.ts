// What exchanges mean: each request, response and watch event becomes one message with its speakers, its object and its
// cause. The one serial machine over all connections: finds the talk that an event belongs to, and hands both to who makes
// messages of such (http-teller.ts, rpc/); what it remembers of connections is bounded in doors, speakers and causes. Takes
// exchange events in the order of time; knows nothing of files, pictures or terminals.

import { CLIENT_LEFT, type Notice, type NoticeCode, notice, SERVER_LEFT } from '../core/notice.js';
import type { Stage } from '../core/stage.js';
import type { Exchange, ExchangeEvent } from '../http/exchange-event.js';
import type { Redaction } from '../redaction/redaction.js';
import type { InitialSequenceNumbers, ServerCertificate, TlsEstablished } from '../tcp/stream-event.js';
import { serverRoles } from './api/server-roles.js';
import { CausalityTracker } from './causality/causality.js';
import { RelatedObjects } from './causality/related-objects.js';
import { type ContextDependencies, createContext, type ExchangeContext } from './exchange-context.js';
import { isCall, Rpc } from './grpc/rpc.js';
import { Aggregation } from './hops/aggregation.js';
import { ImagePulls } from './hops/image-pulls.js';
import { Proxies } from './hops/proxies.js';
import { RuntimeStreams } from './hops/runtime-streams.js';
import { Webhooks } from './hops/webhooks/webhooks.js';
import { ClientAuthentication } from './identity/authentication.js';
import { ConnectionUserAgents } from './identity/connection-user-agents.js';
import {
  type NamingRule,
  participantRegistry as newSpeakers,
  type ParticipantRegistry,
} from './identity/participant-registry.js';
import { ProcessGrouping } from './identity/process-grouping.js';
import { Users } from './identity/users/users.js';
import { Inference } from './inference/inference.js';
import { HttpMessageBuilder } from './messages/http-messages.js';
import type { Message } from './messages/message.js';
import { MessageEmitter } from './messages/message-emitter.js';
import { Addresses } from './network/addresses.js';
import type { LegPath } from './network/connection-legs.js';
import { LegMerger, type MergedEvent } from './network/leg-merger.js';
import { ObjectObserver } from './objects/body-objects.js';

export interface InterpreterOptions {
  /** No text leaves the interpreter without it. */
  readonly redaction: Redaction;
  /** Messages keep what they refer to: their heads and bodies. */
  readonly bodies?: boolean;
  readonly naming?: readonly NamingRule[];
  /** How long, in ns of capture time, an event may be held for the answer that tells its cause; 0 when live. */
  readonly holdNs?: bigint;
}

export interface Interpreter extends Stage<ExchangeEvent, Message | Notice> {
  readonly participants: ParticipantRegistry;
  /** Where a connection begins, before its first exchange: joins it to the same one under other addresses. */
  onInitialSequenceNumbers(numbers: InitialSequenceNumbers): void;
  /** Which TLS session a connection carries, before its first exchange: joins it to others that carry the same. */
  onTlsEstablished(onTlsEstablished: TlsEstablished): void;
  /** Whose certificate a side of a connection showed, before its first exchange. */
  onCertificate(certificate: ServerCertificate): void;
  /** It is `now` (ns since the epoch) and nothing more came: what need not wait any longer. */
  settle(now: bigint): readonly (Message | Notice)[];
}

export function interpreter(options: InterpreterOptions): Interpreter {
  return new SerialInterpreter(options);
}

class SerialInterpreter implements Interpreter {
  readonly participants: ParticipantRegistry;
  readonly #legMerger: LegMerger;
  readonly #known: ContextDependencies;
  readonly #contexts = new Map<Exchange, ExchangeContext>();
  readonly #pulls: ImagePulls;
  readonly #emitter: MessageEmitter;
  readonly #rpc: Rpc;
  readonly #http: HttpMessageBuilder;
  #exchanges = 0;

  constructor({ redaction, bodies, naming, holdNs = DEFAULT_HOLD_NS }: InterpreterOptions) {
    const live = holdNs === 0n;
    const participants = newSpeakers(naming);
    const addresses = new Addresses({
      nextId: participants.newId,
      isHost: participants.isHost,
      onNode: participants.nodeIsAt,
    });
    const relations = new RelatedObjects();
    const causality = new CausalityTracker(relations);
    const pulls = new ImagePulls(participants);
    const inference = new Inference(participants, holdNs);
    const users = new Users();
    const webhooks = new Webhooks(causality, users, redaction);
    const aggregation = new Aggregation(participants);
    const proxies = new Proxies(participants);
    const runtimeStreams = new RuntimeStreams();
    const emitter = new MessageEmitter(holdNs, redaction, bodies === true);
    const bodyObjects = new ObjectObserver(addresses, webhooks, relations, emitter);
    this.participants = participants;
    this.#pulls = pulls;
    this.#emitter = emitter;
    this.#legMerger = new LegMerger({ isService: (address) => addresses.isService(address), live });
    this.#known = {
      serverRoles: serverRoles((address) => addresses.isWorkload(address)),
      participants,
      authentication: new ClientAuthentication(),
      users,
      agents: new ConnectionUserAgents(),
      parts: new ProcessGrouping(),
      inference,
      webhooks,
      aggregation,
      proxies,
      runtimeStreams,
      redaction,
      addresses,
    };
    this.#rpc = new Rpc({ participants, causality, pulls, aggregation, runtimeStreams, emitter });
    const { clients } = this.#rpc;
    this.#http = new HttpMessageBuilder({
      emitter,
      bodyObjects,
      participants,
      causality,
      inference,
      webhooks,
      aggregation,
      proxies,
      runtimeStreams,
      pulls,
      users,
      clients,
      live,
      redaction,
    });
  }

  onInitialSequenceNumbers(numbers: InitialSequenceNumbers): void {
    this.#legMerger.numbered(numbers);
  }

  onTlsEstablished(secured: TlsEstablished): void {
    this.#legMerger.secured(secured);
    this.#known.authentication.secured(secured);
    this.#known.users.secured(secured);
  }

  onCertificate(certificate: ServerCertificate): void {
    this.#known.authentication.certified(certificate);
    this.#known.users.certified(certificate);
  }

  feed(event: ExchangeEvent): readonly (Message | Notice)[] {
    const passed = this.#legMerger.feed(event);
    if (passed === null) this.#event(event, event.exchange, null);
    else this.#passed(passed);
    return this.#emitter.release(this.#legMerger.passedUntil(event.at.time));
  }

  settle(now: bigint): readonly (Message | Notice)[] {
    this.#passed(this.#legMerger.settle(now));
    return this.#emitter.release(this.#legMerger.passedUntil(now));
  }

  end(): readonly (Message | Notice)[] {
    this.#passed(this.#legMerger.end());
    for (const one of this.#legMerger.notices()) this.#emitter.emitNotice(one);
    return this.#emitter.releaseAll();
  }

  #passed(passed: readonly MergedEvent[]): void {
    for (const { event, of, path, copies } of passed) {
      this.#emitter.copies = copies;
      this.#event(event, of, path);
    }
    this.#emitter.copies = null;
  }

  #event(event: ExchangeEvent, of: Exchange, path: LegPath | null): void {
    const context = this.#talkOf(event, of, path);
    if (isCall(context, event.exchange)) this.#rpc.feed(event, context);
    else if (event.kind !== 'over') this.#http.feed(event, context);
    if (event.kind === 'over') this.#over(event);
  }

  #talkOf(event: ExchangeEvent, of: Exchange, path: LegPath | null): ExchangeContext {
    let context = this.#contexts.get(of);
    if (context === undefined) {
      this.#exchanges += 1;
      context = createContext(event, this.#exchanges, this.#known, path);
      this.#contexts.set(of, context);
    }
    return context;
  }

  #over(event: ExchangeEvent & { kind: 'over' }): void {
    const { exchange } = event;
    const context = this.#contexts.get(exchange);
    if (context !== undefined) {
      this.#known.inference.over(context);
      this.#http.over(context);
      this.#pulls.over(context);
      this.#known.aggregation.over(context);
      this.#known.proxies.over(context);
    }
    if (!event.responseSeen) this.#half('exchange.no-response', UNANSWERED[event.brokenBy ?? 'nobody'], event);
    else if (!event.requestSeen)
      this.#half('exchange.no-request', 'an answer whose request is not in the capture', event);
    this.#contexts.delete(exchange);
  }

  #half(code: NoticeCode, detail: string, { exchange, at }: ExchangeEvent & { kind: 'over' }): void {
    const stream = exchange.stream === null ? null : { stream: exchange.stream };
    this.#emitter.emitNotice(notice(code, detail, { origin: at, connection: exchange.connection.name, ...stream }));
  }
}

/** What became of a request that nobody answered. */
const UNANSWERED = {
  client: CLIENT_LEFT,
  server: SERVER_LEFT,
  nobody: 'a request whose answer is not in the capture',
};
/** A write's answer and its events leave the API server within milliseconds; a second covers a busy one. */
const DEFAULT_HOLD_NS = 1_000_000_000n;
