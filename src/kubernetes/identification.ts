// Identifies the participants of an exchange when it opens: its client, its server, and what stands between them.

import { fieldValue } from '../core/fields.js';
import type { Exchange, ExchangeEvent } from '../http/exchange-event.js';
import type { RequestHead } from '../http/http-event.js';
import type { Endpoint } from '../packet/segment.js';
import type { Connection } from '../tcp/stream-event.js';
import { ETCD, isOfPeers, isRuntimeStream, type ServerRole } from './api/server-roles.js';
import type { ExchangeContext, OpenExchange } from './exchange-context.js';
import type { Aggregation } from './hops/aggregation.js';
import { isSecondHop, type PodStreams } from './hops/pod-streams.js';
import type { Proxies } from './hops/proxies.js';
import type { Webhooks } from './hops/webhooks/webhooks.js';
import { WEBHOOK } from './hops/webhooks/words.js';
import type { ClientAuthentication, UserIdentity } from './identity/authentication.js';
import { behindPath } from './identity/behind-path.js';
import { type Agent, API_SERVER, readUserAgent, SERVICE_ACCOUNT } from './identity/components.js';
import { addressOf } from './identity/hosts.js';
import { type ParticipantRecord, proven } from './identity/participant-record.js';
import type { ParticipantRegistry } from './identity/participant-registry.js';
import type { ConnectionUserAgents, ProcessGrouping } from './identity/process-grouping.js';
import type { Users } from './identity/users/users.js';
import type { Inference, MidSessionConnection } from './inference/inference.js';
import type { Addresses } from './network/addresses.js';
import type { Hop, LegPath } from './network/connection-legs.js';
import type { SocketOwners } from './network/socket-owners.js';

/** The trackers that know something of who sends and who answers. */
export interface IdentitySources {
  readonly participants: ParticipantRegistry;
  readonly authentication: ClientAuthentication;
  readonly users: Users;
  readonly userAgents: ConnectionUserAgents;
  readonly processes: ProcessGrouping;
  readonly inference: Inference;
  readonly webhooks: Webhooks;
  readonly aggregation: Aggregation;
  readonly proxies: Proxies;
  readonly streams: PodStreams;
  readonly addresses: Addresses;
  readonly socketOwners: SocketOwners;
}

/** What identifies a client besides its address. */
interface ClientFacts {
  readonly role: ServerRole;
  readonly userAgent: string | undefined;
  readonly words: Agent;
  readonly user: UserIdentity | null;
  readonly midSession: MidSessionConnection | null;
}

export class Identification {
  readonly #sources: IdentitySources;

  constructor(sources: IdentitySources) {
    this.#sources = sources;
  }

  /** @param event the first of the exchange. @param path of several connections that are one behind address translation. */
  identify(open: OpenExchange, event: ExchangeEvent, path: LegPath | null): ExchangeContext {
    const { participants, authentication, users, userAgents, processes, inference } = this.#sources;
    const { aggregation, proxies } = this.#sources;
    const { exchange } = event;
    const { request } = exchange;
    const { connection, role, userAgent } = open;
    const at = event.kind === 'exchange-end' ? event.at : event.first;
    const { frame } = at;
    const address = addressOf(connection.client);
    const isKubernetes = role.protocol === 'kubernetes';
    const connectionAgent = isKubernetes ? userAgents.of(connection.id, userAgent) : userAgent;
    const words = readUserAgent(connectionAgent ?? '');
    const authenticates = AUTHENTICATING.has(role.protocol);
    const user = authenticates ? authentication.of(connection.id, request, words, exchange.audited?.user) : null;
    const midSession = isKubernetes
      ? inference.connectionOf(exchange, path, at, user === null && words.names === 'several')
      : null;
    const aggregated = isKubernetes && request !== null ? aggregation.hopOf(request, connection, frame) : null;
    const forwarded =
      aggregated ?? (isKubernetes && request !== null ? proxies.hopOf(request, connection, frame) : null);
    const streams = role.protocol === 'cri' && request !== null && isRuntimeStream(request.target ?? '');
    const stream = streams ? this.#sources.streams.streamTo(request.target ?? '') : null;
    // Requests that could be read whole do not show that the connection is older than the capture.
    if (midSession?.client.open === true)
      for (const one of processes.on(connection.id)) if (!one.isAnonymous) midSession.client.learn(one);
    midSession?.client.observeRequest(request?.target ?? null, () => aggregation.isOrdinary(connection.server));
    // A server that forwards for others speaks in their names, too.
    if (forwarded !== null) midSession?.client.learn(forwarded.from, true);
    const concluded = (component: string, how: string): ParticipantRecord =>
      participants.concludedAs(component, address, proven(how, frame));
    const clientOf = (): ParticipantRecord => {
      if (forwarded !== null) return forwarded.from;
      if (role.protocol === 'kubelet' && isSecondHop(request?.target ?? ''))
        return participants.relay(address, userAgent, frame, 'sends a kubelet what only an API server sends');
      if (streams) return stream?.kubelet ?? concluded('kubelet', 'streams to a runtime');
      if (isPeers(role, request)) return concluded(ETCD, 'sends requests as a member of an etcd cluster');
      return this.#clientOf(address, exchange, { role, userAgent: connectionAgent, words, user, midSession }, frame);
    };
    const sender = clientOf();
    if (isKubernetes && userAgent !== undefined && forwarded === null)
      processes.observe(connection.id, userAgent, sender, frame);
    const extension = isKubernetes ? aggregation.serverAt(connection.server) : null;
    const server = this.#noted(
      connection.server,
      extension ?? stream?.runtime ?? this.#serverOf(role, exchange, connection.server, at),
    );
    const isNamedByAddress = role.component === null || mayBeRenamed(sender, role, midSession);
    // Field by field: V8 makes a slow object of a spread with more fields after it, and each message reads several of them.
    const context: ExchangeContext = {
      number: open.number,
      connection,
      role,
      info: open.info,
      userAgent,
      target: open.target,
      prefix: open.prefix,
      requestSeq: open.requestSeq,
      requestEnd: open.requestEnd,
      reviewed: open.reviewed,
      trackerStates: open.trackerStates,
      hasFailed: open.hasFailed,
      initial: open.initial,
      client: isNamedByAddress ? this.#at(connection.client, sender, at) : this.#noted(connection.client, sender),
      server,
      via: this.#via(connection, path, at),
      user:
        request !== null && authenticates
          ? exchange.audited === undefined
            ? users.of(
                connection.id,
                request,
                aggregated !== null || extension !== null || forwarded?.isToPeer === true,
              )
            : users.audited(exchange.audited)
          : null,
      isMidSession: midSession !== null,
      isAnonymous: midSession !== null || request === null,
      forwardedFrom: forwarded?.seq,
      stream,
      cause: forwarded?.seq === undefined ? null : { seq: forwarded.seq, how: 'forwarded', certain: false },
    };
    if (midSession !== null) inference.opened(context, midSession);
    return context;
  }

  /** A participant by its address: the Pod or the program that was noted there, else the workload that has the address. */
  #at(end: Endpoint, known: ParticipantRecord | undefined, at: Moment): ParticipantRecord {
    const { participants, addresses, socketOwners } = this.#sources;
    const owner = socketOwners.at(end);
    if (owner !== undefined && owner.pod !== null && known?.isFixed !== true)
      return addresses.podNamed(owner.pod, owner.evidence);
    const address = addressOf(end);
    const participant =
      known === undefined
        ? (this.#ownerOf(end) ?? participants.client(address, undefined, at.frame))
        : this.#noted(end, known);
    return this.#workloadAt(address, participant, at);
  }

  /** The Pod or Service that has the address; the participant where none has, or a user's rule named it. */
  #workloadAt(address: string, participant: ParticipantRecord, { time }: Moment): ParticipantRecord {
    return participant.isFixed ? participant : this.#sources.addresses.participantAt(address, participant, time);
  }

  /** The program at an end of a connection, by its executable; undefined: none was noted. */
  #ownerOf(end: Endpoint): ParticipantRecord | undefined {
    const { participants, socketOwners } = this.#sources;
    const owner = socketOwners.at(end);
    if (owner === undefined || owner.program === null) return undefined;
    return participants.notedAs(owner.program, addressOf(end), owner.evidence);
  }

  /** A participant that has a name, with the process that was noted at its end. */
  #noted(end: Endpoint, known: ParticipantRecord): ParticipantRecord {
    const owner = this.#sources.socketOwners.at(end);
    if (owner !== undefined) known.find().addEvidence(owner.evidence);
    return known;
  }

  #via({ relay }: Connection, path: LegPath | null, at: Moment): readonly ParticipantRecord[] | undefined {
    if (path === null && relay !== undefined) {
      const how = `${RELAYS[relay.for]} by ${relay.protocol}`;
      const address = addressOf(relay.end);
      return [this.#workloadAt(address, this.#sources.participants.proxy(address, how, at.frame), at)];
    }
    return path === null || path.via.length === 0 ? undefined : path.via.map((hop) => this.#hopOf(hop, at));
  }

  #hopOf({ address, isProxy }: Hop, at: Moment): ParticipantRecord {
    const { participants } = this.#sources;
    const known = isProxy
      ? participants.proxy(address, 'hands on TLS connections as they are', at.frame)
      : participants.client(address, undefined, at.frame);
    return this.#workloadAt(address, known, at);
  }

  #serverOf({ component }: ServerRole, exchange: Exchange, to: Endpoint, at: Moment): ParticipantRecord {
    const { participants, proxies, webhooks, authentication } = this.#sources;
    const { request, connection, audited } = exchange;
    const { frame } = at;
    const address = addressOf(to);
    if (audited !== undefined && component !== null)
      return participants.concludedAs(component, address, proven('wrote the audit log', frame));
    if (component === null) {
      const tunnel =
        request?.method === 'CONNECT' ? participants.proxy(address, 'receives CONNECT requests', frame) : undefined;
      return this.#at(to, tunnel, at);
    }
    if (component === WEBHOOK && request !== null) return webhooks.server(request, to, participants, frame);
    const prefix = request?.prefix;
    const server =
      (prefix === undefined ? null : behindPath(participants, prefix, to, frame)) ??
      participants.server(component, address, to.port, frame, to.address);
    if (component === API_SERVER) return proxies.serverAt(to, server);
    const isKubelet = component === 'kubelet' && server.process.node === null;
    const certified = isKubelet ? authentication.nodeServing(connection.id) : null;
    if (certified !== null) participants.learnNode(server, certified.node, proven(certified.why, frame));
    return server;
  }

  #clientOf(
    address: string,
    { request, connection }: Exchange,
    { role, userAgent, words, user, midSession }: ClientFacts,
    frame: number,
  ): ParticipantRecord {
    const { participants } = this.#sources;
    if (midSession === null && request === null)
      return this.#ownerOf(connection.client) ?? participants.watcher(connection.id, address, frame);
    // Where no User-Agent could be read, one that was read elsewhere on the connection identifies more than a user or an account.
    const isNamed = user !== null && (midSession === null || userAgent !== undefined || user.is === 'component');
    const owner = !isNamed && words.component === null ? this.#ownerOf(connection.client) : undefined;
    const program = isNamed
      ? participants.authenticatedClient(address, userAgent, user, frame)
      : (owner ?? participants.client(address, userAgent, frame));
    const named = role.protocol === 'kubernetes' ? participants.onConnection(program, connection.id) : program;
    if (isNamed && user.node !== null) participants.learnNode(named, user.node, proven(user.why, frame), connection.id);
    if (midSession === null) return named;
    const { client } = midSession;
    if (words.names === 'several' && !isNamed && !named.isFixed) {
      client.belongsToProcess(named);
      return client.record;
    }
    // A user's own rule names it, or it does so itself.
    if (named.component === `client ${address}`) return client.record;
    if (isNamed || owner !== undefined || (userAgent !== undefined && words.component !== null)) client.learn(named);
    return named;
  }
}

/** Where in the capture an exchange opened. */
interface Moment {
  readonly frame: number;
  /** ns since the epoch. */
  readonly time: bigint;
}

/** Members of an etcd cluster name themselves to each other, and only they request what they request. */
function isPeers({ component, protocol }: ServerRole, request: RequestHead | null): boolean {
  if (component !== ETCD || protocol !== 'http' || request === null) return false;
  return isOfPeers(request.target ?? '') || fieldValue(request.fields, 'x-server-from') !== undefined;
}

/** A client of the API server of which only the address is known. */
function mayBeRenamed(
  { component, isAnonymous }: ParticipantRecord,
  { protocol }: ServerRole,
  midSession: MidSessionConnection | null,
): boolean {
  const isNameless = isAnonymous || component.startsWith(`${SERVICE_ACCOUNT} `);
  return protocol === 'kubernetes' && midSession === null && isNameless;
}

/** By whom a proxy stands for. */
const RELAYS = { client: 'names its client', server: 'is asked for the server' } as const;
/** Servers that authenticate their clients. */
const AUTHENTICATING: ReadonlySet<string> = new Set(['kubernetes', 'kubelet']);
