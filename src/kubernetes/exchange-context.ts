// What is known of one exchange while it lasts: who speaks through which door about what. Made from the exchange's
// first event; knows no message numbers but its own request's.

import { fieldValue } from '../core/fields.js';
import type { Origin } from '../core/origin.js';
import type { Exchange, ExchangeEvent } from '../http/exchange-event.js';
import type { RequestHead } from '../http/http-event.js';
import type { Endpoint } from '../packet/segment.js';
import type { Redaction, Reviewed, Shown } from '../redaction/redaction.js';
import type { Connection } from '../tcp/stream-event.js';
import type { ObjectRef } from './api/object-ref.js';
import { type RequestInfo, requestInfo } from './api/request-info.js';
import { ETCD, isOfPeers, type ServerRole, type ServerRoles } from './api/server-roles.js';
import type { WatchReflector, WatchScope } from './causality/reflectors.js';
import type { Write } from './causality/writes.js';
import type { Aggregation } from './hops/aggregation.js';
import type { Proxies } from './hops/proxies.js';
import { isRuntimeStream, type RuntimeStream, type RuntimeStreams } from './hops/runtime-streams.js';
import { isSecondHop } from './hops/streaming-hops.js';
import type { Webhooks } from './hops/webhooks/webhooks.js';
import { WEBHOOK } from './hops/webhooks/words.js';
import type { ClientAuthentication, UserIdentity } from './identity/authentication.js';
import {
  type Agent,
  API_SERVER,
  componentNamed,
  electsLeader,
  readUserAgent,
  SERVICE_ACCOUNT,
} from './identity/components.js';
import type { ConnectionUserAgents } from './identity/connection-user-agents.js';
import { addressOf } from './identity/hosts.js';
import type { ParticipantRegistry } from './identity/participant-registry.js';
import type { ProcessGrouping } from './identity/process-grouping.js';
import { programOf } from './identity/process-participant.js';
import type { RequestUser } from './identity/users/user.js';
import type { Users } from './identity/users/users.js';
import type { Inference, LateConnection, PendingRequestInference } from './inference/inference.js';
import type { Participant } from './messages/message.js';
import type { Addresses } from './network/addresses.js';
import type { Hop, LegPath } from './network/connection-legs.js';

export interface ExchangeContext {
  readonly number: number;
  /** Its own ends, whatever is between them. */
  readonly connection: Connection;
  readonly role: ServerRole;
  /** Kubernetes requests only. */
  info: RequestInfo | null;
  readonly client: Participant;
  readonly server: Participant;
  /** Who the request was sent to on its way to the server: Services and proxies, nearest the client first. */
  readonly via: readonly Participant[] | undefined;
  readonly userAgent: Shown | undefined;
  /** Whose request it is; null: of a server that does not ask. */
  readonly user: RequestUser | null;
  readonly target: Shown | undefined;
  requestSeq: number | undefined;
  /** ns since the epoch: last byte of the request. */
  requestEnd: bigint;
  /** Of an admission webhook: what it judges. */
  reviewed: Reviewed | undefined;
  /** What the request is about. */
  object: ObjectRef | undefined;
  write: Write | undefined;
  /** The synthetic start of a streaming list goes on. */
  initial: boolean;
  /** What is learnt of a Kubernetes connection that is older than the capture; null: nothing has to be. */
  readonly late: LateConnection | null;
  /** The client may be named by other evidence than its own words. */
  readonly isAnonymous: boolean;
  /** seq of the request that it was handed on for, to another server. */
  readonly forwarded: number | undefined;
  /** What it lists or watches, by its number (watches.ts). */
  watchScope: { readonly info: RequestInfo; readonly subject: WatchScope } | undefined;
  /** Of a watch: all of the same subject that its client's process has (listings.ts). */
  reflector: WatchReflector | undefined;
  /** seq of the request of a watch that tells a process all anew. */
  initialEventsSince: number | undefined;
  /** What is still to be concluded of the request. */
  pendingInference: PendingRequestInference | null;
  /** Takes back what it showed of its client's node; null: nothing. */
  retractEvidence: (() => void) | null;
  /** Of a stream from a kubelet to its runtime: where it comes from, as far as is known. */
  readonly runtimeStream: RuntimeStream | null;
}

/** What tells who speaks about what. */
export interface ContextDependencies {
  readonly serverRoles: ServerRoles;
  readonly participants: ParticipantRegistry;
  readonly authentication: ClientAuthentication;
  readonly users: Users;
  readonly agents: ConnectionUserAgents;
  readonly parts: ProcessGrouping;
  readonly inference: Inference;
  readonly webhooks: Webhooks;
  readonly aggregation: Aggregation;
  readonly proxies: Proxies;
  readonly runtimeStreams: RuntimeStreams;
  readonly redaction: Redaction;
  readonly addresses: Addresses;
}

/**
 * From the last byte of what was asked to the first of its answer, ms; undefined where the answer began before: it came early
 * (RFC 9113, section 8.1), or the clock was set back, and then nobody knows.
 * @param first frame of the answer's first byte.
 */
export function latencyOf({ requestEnd }: ExchangeContext, first: Origin): number | undefined {
  return first.time < requestEnd ? undefined : Number(first.time - requestEnd) / 1e6;
}

export function createContext(
  event: ExchangeEvent,
  number: number,
  known: ContextDependencies,
  path: LegPath | null = null,
): ExchangeContext {
  const { exchange } = event;
  const { request } = exchange;
  const connection =
    path === null ? exchange.connection : { ...exchange.connection, client: path.client, server: path.server };
  const { client, server: to } = connection;
  const asks = addressOf(client);
  const address = addressOf(to);
  const frame = event.kind === 'over' ? event.at.frame : event.first.frame;
  const role = known.serverRoles.classify(request, to);
  const agent = request === null ? undefined : fieldValue(request.fields, 'user-agent');
  const userAgent = agent === undefined ? undefined : known.redaction.userAgent(agent);
  const place = event.kind === 'over' ? event.at : event.first;
  const speaksAs = role.protocol === 'kubernetes' ? known.agents.of(connection.id, userAgent) : userAgent;
  const words = readUserAgent(speaksAs ?? '');
  const asker = ASKED.has(role.protocol) ? known.authentication.of(connection.id, request, words) : null;
  const isSeveral = asker === null && words.says === 'several';
  const late = role.protocol === 'kubernetes' ? known.inference.of(exchange, path, place, isSeveral) : null;
  const isApi = role.protocol === 'kubernetes' && request !== null;
  const hop = isApi ? known.aggregation.hopOf(request, connection, frame) : null;
  const handed = hop ?? (isApi ? known.proxies.hopOf(request, connection, frame) : null);
  const isStream = role.protocol === 'cri' && request !== null && isRuntimeStream(request.target ?? '');
  const stream = isStream ? known.runtimeStreams.streamTo(request.target ?? '') : null;
  late?.client.asks(request?.target ?? null, () => known.aggregation.isOrdinary(connection.server));
  // What asks for others speaks in their names, too: this is who it is.
  if (handed !== null) late?.client.learn(handed.from, true);
  const whoAsks = (): Participant => {
    const { participants } = known;
    if (handed !== null) return handed.from;
    if (role.protocol === 'kubelet' && isSecondHop(request?.target ?? ''))
      return participants.relay(asks, userAgent, frame, 'asks a kubelet as only an API server does');
    if (isStream)
      return stream?.kubelet ?? participants.concludedAs('kubelet', asks, `streams to a runtime (frame ${frame})`);
    if (isPeers(role, request))
      return participants.concludedAs(ETCD, asks, `asks as a member of an etcd cluster (frame ${frame})`);
    return clientOf(asks, exchange, { role, userAgent: speaksAs, words, asker, late }, participants, frame);
  };
  const speaks = whoAsks();
  if (role.protocol === 'kubernetes' && userAgent !== undefined && handed === null)
    known.parts.observe(connection.id, userAgent, speaks, frame);
  const at = (place: string, participant?: Participant): Participant => {
    const by = participant ?? known.participants.client(place, undefined, frame);
    return known.participants.isFixed(by) ? by : known.addresses.participantAt(place, by, timeOf(event));
  };
  const stopAt = ({ address: place, isProxy }: Hop): Participant =>
    at(place, isProxy ? known.participants.proxy(place, 'hands on TLS connections as they are', frame) : undefined);
  const tunnelled = (): Participant | undefined =>
    request?.method === 'CONNECT' ? known.participants.proxy(address, 'is asked to CONNECT', frame) : undefined;
  const aggregated = role.protocol === 'kubernetes' ? known.aggregation.serverAt(to) : null;
  const server =
    aggregated ??
    stream?.runtime ??
    (role.component === null ? at(address, tunnelled()) : serverOf(role.component, exchange, to, known, frame));
  const info = role.protocol === 'kubernetes' ? infoOf(exchange) : null;
  const context: ExchangeContext = {
    number,
    connection,
    role,
    info,
    // Behind a door of their own, programs go by what they say; elsewhere by the Pod that they run in.
    client: role.component === null || mayBeRenamed(speaks, role, late) ? at(asks, speaks) : speaks,
    server,
    via: path === null || path.via.length === 0 ? undefined : path.via.map(stopAt),
    userAgent,
    user:
      request !== null && ASKED.has(role.protocol)
        ? known.users.of(connection.id, request, hop !== null || aggregated !== null)
        : null,
    target: request?.target == null ? undefined : known.redaction.target(request.target, role.protocol),
    requestSeq: undefined,
    requestEnd: 0n,
    reviewed: undefined,
    object: undefined,
    write: undefined,
    initial: info?.watch === true && STREAMING_LIST.test(request?.target ?? ''),
    late,
    isAnonymous: late !== null || request === null,
    forwarded: handed?.seq,
    watchScope: undefined,
    reflector: undefined,
    initialEventsSince: undefined,
    retractEvidence: null,
    pendingInference: null,
    runtimeStream: stream,
  };
  observeRequest(context, known.participants, frame);
  return context;
}

/** Who answers behind a door of its own. */
function serverOf(
  component: string,
  { request, connection }: Exchange,
  to: Endpoint,
  { participants, proxies, webhooks, authentication }: ContextDependencies,
  frame: number,
): Participant {
  if (component === WEBHOOK && request !== null) return webhooks.server(request, to, participants, frame);
  const server = participants.server(component, addressOf(to), to.port, frame, to.address);
  if (component === API_SERVER) return proxies.serverAt(to, server);
  const shown =
    component === 'kubelet' && participants.nodeOf(server) === null ? authentication.nodeServing(connection.id) : null;
  if (shown !== null) participants.learnNode(server, shown.node, `${shown.why} (frame ${frame})`);
  return server;
}

/** Members of an etcd cluster say so to each other, and nobody else asks for what they ask. */
function isPeers({ component, protocol }: ServerRole, request: RequestHead | null): boolean {
  if (component !== ETCD || protocol !== 'http' || request === null) return false;
  return isOfPeers(request.target ?? '') || fieldValue(request.fields, 'x-server-from') !== undefined;
}

/** A client of the API server of which only the address is known. */
function mayBeRenamed({ component }: Participant, { protocol }: ServerRole, late: LateConnection | null): boolean {
  const isNameless = component.startsWith(`${SERVICE_ACCOUNT} `) || component.startsWith('client ');
  return protocol === 'kubernetes' && late === null && isNameless;
}

function timeOf(event: ExchangeEvent): bigint {
  return event.kind === 'over' ? event.at.time : event.first.time;
}

/** What tells of a client besides its address. */
interface RequestFacts {
  readonly role: ServerRole;
  readonly userAgent: string | undefined;
  readonly words: Agent;
  readonly asker: UserIdentity | null;
  readonly late: LateConnection | null;
}

function clientOf(
  address: string,
  { request, connection }: Exchange,
  { role, userAgent, words, asker, late }: RequestFacts,
  participants: ParticipantRegistry,
  frame: number,
): Participant {
  if (late === null && request === null) return participants.watcher(connection.id, address, frame);
  // Where no User-Agent could be read, one that was read elsewhere on the connection tells more than a user or an account.
  const isNamed = asker !== null && (late === null || userAgent !== undefined || asker.is === 'component');
  const program = isNamed
    ? participants.asker(address, userAgent, asker, frame)
    : participants.client(address, userAgent, frame);
  const named = role.protocol === 'kubernetes' ? participants.onConnection(program, connection.id) : program;
  if (isNamed && asker.node !== null)
    participants.learnNode(named, asker.node, `${asker.why} (frame ${frame})`, connection.id);
  if (late === null) return named;
  if (words.says === 'several' && !isNamed && !participants.isFixed(named)) {
    late.client.belongsToProcess(named);
    return late.client;
  }
  // A user's own rule names it, or it does so itself.
  if (named.component === `client ${address}`) return late.client;
  if (isNamed || (userAgent !== undefined && words.component !== null)) late.client.learn(named);
  return named;
}

function infoOf(exchange: Exchange): RequestInfo | null {
  const { request } = exchange;
  if (request === null || request.method === null || request.target === null) return null;
  return requestInfo(request.method, request.target);
}

/** A node's own programs ask for their node by name: that tells which node they serve. A Lease tells a controller. */
function observeRequest(context: ExchangeContext, participants: ParticipantRegistry, frame: number): void {
  const { client, info, target, connection } = context;
  if (info !== null && electsLeader(client.component, info)) programOf(client)?.takesTurns(frame);
  if (info === null || componentNamed(client.component)?.perNode !== true) return;
  const selected = NODE_SELECTOR.exec(target ?? '');
  if (selected !== null) {
    const how = `watches what is on ${selected[1]} (frame ${frame})`;
    context.retractEvidence = participants.learnNode(client, selected[1], how, connection.id);
  } else if (isNodesOwn(info) && info.name !== undefined && info.verb !== 'delete') {
    const how = `asks for ${info.resource} ${info.name} (frame ${frame})`;
    context.retractEvidence = participants.learnNode(client, info.name, how, connection.id);
  }
}

/** A request that is refused shows nothing of who sends it; what one from before the capture asked is known from its answer. */
export function observeResponse(
  context: ExchangeContext,
  status: number | undefined,
  participants: ParticipantRegistry,
  frame: number,
): void {
  if (status === 401 || status === 403) context.retractEvidence?.();
  else if (context.late !== null) observeRequest(context, participants, frame);
}

function isNodesOwn(info: RequestInfo): boolean {
  if (info.resource === 'nodes' || info.resource === 'csinodes') return true;
  return info.resource === 'leases' && info.namespace === 'kube-node-lease';
}

/** Who is behind these doors asks who comes. */
const ASKED: ReadonlySet<string> = new Set(['kubernetes', 'kubelet']);
const STREAMING_LIST = /[?&]sendInitialEvents=(?:true|True|TRUE|t|T|1)(?:&|$)/;
const NODE_SELECTOR = /[?&]fieldSelector=(?:[^&]*(?:%2C|,))?spec\.nodeName(?:%3D|=)+([A-Za-z0-9.-]+)/i;
