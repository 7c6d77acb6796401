// Opens the context of an exchange from its first event: server role, request info, and the participants: its client, its server, and
// what stands between them.

import { fieldValue } from '../core/fields.js';
import type { Exchange, ExchangeEvent } from '../http/exchange-event.js';
import type { RequestHead } from '../http/http-event.js';
import type { Endpoint } from '../packet/segment.js';
import type { Connection } from '../tcp/stream-event.js';
import { type RequestInfo, requestInfo } from './api/request-info.js';
import { API_SERVER_ROLE, ETCD, isOfPeers, isRuntimeStream, type ServerRole, WEBHOOK } from './api/server-roles.js';
import type { ExchangeContext } from './messages/exchange-context.js';
import { type Agent, API_SERVER, readUserAgent, SERVICE_ACCOUNT } from './participants/components.js';
import { addressOf } from './participants/hosts.js';
import { type ParticipantRecord, proven } from './participants/participant-record.js';
import { isSecondHop } from './placed/hops/pod-streams.js';
import type { UserIdentity } from './placed/identity/authentication.js';
import { behindPath } from './placed/identity/behind-path.js';
import type { MidSessionConnection } from './placed/mid-session/inference.js';
import type { Hop, LegPath } from './placed/network/connection-legs.js';
import type { Trackers } from './trackers.js';

/** What identifies a client besides its address. */
interface ClientFacts {
  readonly role: ServerRole;
  readonly userAgent: string | undefined;
  readonly words: Agent;
  readonly user: UserIdentity | null;
  readonly midSession: MidSessionConnection | null;
}

export class Identification {
  readonly #trackers: Trackers;
  #exchanges = 0;

  constructor(trackers: Trackers) {
    this.#trackers = trackers;
  }

  /**
   * Opens the context of an exchange, and gives it to the exchange.
   * @param event the first of the exchange. @param of the exchange; another one than the event's where copies of it are merged.
   * @param path of several connections that are one behind address translation; null: there is one.
   */
  open(event: ExchangeEvent, of: Exchange, path: LegPath | null): ExchangeContext {
    const { participants, authentication, users, userAgents, processes, inference } = this.#trackers;
    const { aggregation, proxies, nodeEvidence, redaction, serverRoles } = this.#trackers;
    const { exchange } = event;
    const { request } = exchange;
    const connection =
      path === null ? exchange.connection : { ...exchange.connection, client: path.client, server: path.server };
    // Whatever the path: only an API server writes an audit log, and a prefix shows that one is behind it.
    const isApiServers = exchange.audited !== undefined || request?.prefix !== undefined;
    const role = isApiServers ? API_SERVER_ROLE : serverRoles.classify(request, connection.server);
    const agent = request === null ? undefined : fieldValue(request.fields, 'user-agent');
    const userAgent = agent === undefined ? undefined : redaction.userAgent(agent);
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
    const aggregated =
      isKubernetes && request !== null ? aggregation.forwardedRequestOf(request, connection, frame) : null;
    const forwarded =
      aggregated ?? (isKubernetes && request !== null ? proxies.forwardedRequestOf(request, connection, frame) : null);
    const streams = role.protocol === 'cri' && request !== null && isRuntimeStream(request.target ?? '');
    const stream = streams ? this.#trackers.streams.streamTo(request.target ?? '') : null;
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
    const info = isKubernetes ? infoOf(request) : null;
    this.#exchanges += 1;
    const isNamedByAddress = role.component === null || mayBeRenamed(sender, role, midSession);
    const context: ExchangeContext = {
      number: this.#exchanges,
      connection,
      role,
      info,
      userAgent,
      target: request?.target == null ? undefined : redaction.target(request.target, role.protocol),
      prefix: request?.prefix,
      requestSeq: undefined,
      requestEnd: 0n,
      reviewed: undefined,
      trackerStates: undefined,
      hasFailed: false,
      initial: info?.watch === true && STREAMING_LIST.test(request?.target ?? ''),
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
    nodeEvidence.observeRequest(context, frame);
    of.context = context;
    return context;
  }

  /** A participant by its address: the Pod or the program that was noted there, else the workload that has the address. */
  #at(end: Endpoint, known: ParticipantRecord | undefined, at: Moment): ParticipantRecord {
    const { participants, addresses, socketOwners } = this.#trackers;
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
    return participant.isFixed ? participant : this.#trackers.addresses.participantAt(address, participant, time);
  }

  /** The program at an end of a connection, by its executable; undefined: none was noted. */
  #ownerOf(end: Endpoint): ParticipantRecord | undefined {
    const { participants, socketOwners } = this.#trackers;
    const owner = socketOwners.at(end);
    if (owner === undefined || owner.program === null) return undefined;
    return participants.notedAs(owner.program, addressOf(end), owner.evidence);
  }

  /** A participant that has a name, with the process that was noted at its end. */
  #noted(end: Endpoint, known: ParticipantRecord): ParticipantRecord {
    const owner = this.#trackers.socketOwners.at(end);
    if (owner !== undefined) known.find().addEvidence(owner.evidence);
    return known;
  }

  #via({ relay }: Connection, path: LegPath | null, at: Moment): readonly ParticipantRecord[] | undefined {
    if (path === null && relay !== undefined) {
      const how = `${RELAYS[relay.for]} by ${relay.protocol}`;
      const address = addressOf(relay.end);
      return [this.#workloadAt(address, this.#trackers.participants.proxy(address, how, at.frame), at)];
    }
    return path === null || path.via.length === 0 ? undefined : path.via.map((hop) => this.#hopOf(hop, at));
  }

  #hopOf({ address, isProxy }: Hop, at: Moment): ParticipantRecord {
    const { participants } = this.#trackers;
    const known = isProxy
      ? participants.proxy(address, 'hands on TLS connections as they are', at.frame)
      : participants.client(address, undefined, at.frame);
    return this.#workloadAt(address, known, at);
  }

  #serverOf({ component }: ServerRole, exchange: Exchange, to: Endpoint, at: Moment): ParticipantRecord {
    const { participants, proxies, webhooks, authentication } = this.#trackers;
    const { request, connection, audited } = exchange;
    const { frame } = at;
    const address = addressOf(to);
    if (audited !== undefined && component !== null && request?.prefix === undefined)
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
    const { participants } = this.#trackers;
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

function infoOf(request: RequestHead | null): RequestInfo | null {
  return request === null || request.method === null || request.target === null
    ? null
    : requestInfo(request.method, request.target);
}

/** k8s.io/apimachinery/pkg/apis/meta/v1: ListOptions.SendInitialEvents. */
const STREAMING_LIST = /[?&]sendInitialEvents=(?:true|True|TRUE|t|T|1)(?:&|$)/;
