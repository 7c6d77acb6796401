// Recognises requests that an API server forwards to an aggregated API server: it repeats the client's request, User-Agent included, and
// names the client in X-Remote-User (kube-aggregator, handler_proxy.go).

import { isBuiltInGroup } from '../../../core/api-resources.js';
import { BoundedMap, BoundedSet } from '../../../core/collections/bounded.js';
import { fieldValue } from '../../../core/fields.js';
import type { RequestHead } from '../../../http/http-event.js';
import type { Endpoint } from '../../../packet/segment.js';
import type { Connection } from '../../../tcp/stream-event.js';
import type { Draft } from '../../messages/draft.js';
import type { ExchangeContext } from '../../messages/exchange-context.js';
import { addressOf, placeOf } from '../../participants/hosts.js';
import { type ParticipantRecord, proven } from '../../participants/participant-record.js';
import type { ParticipantRegistry } from '../identity/participant-registry.js';
import type { ServedRequest, ServedRequests } from './served-requests.js';

/** A request that an API server sends to an aggregated one. */
export interface ForwardedRequest {
  /** The API server. */
  readonly from: ParticipantRecord;
  /** seq of the request that it was handed on for; undefined: not seen, or its own. */
  readonly seq: number | undefined;
  /** To another API server of the cluster. */
  readonly isToPeer?: true;
}

export class Aggregation {
  readonly #participants: ParticipantRegistry;
  readonly #served: ServedRequests;
  /** Aggregated API servers, by address and port. */
  readonly #servers = new BoundedMap<string, ParticipantRecord>(MAX_SERVERS, 'aggregated API servers');
  /** By group. */
  readonly #keepers = new BoundedMap<string, ParticipantRecord>(MAX_SERVERS, 'owners of APIServices');
  /** API servers that send to them, by connection: a connection has one client and one server. */
  readonly #senders = new BoundedMap<number, ParticipantRecord>(MAX_CONNECTIONS, 'senders to aggregated API servers');
  /** Connections with requests for built-in groups, and their servers: an ordinary API server answers there. */
  readonly #ordinary = new BoundedSet<number>(MAX_CONNECTIONS, 'ordinary connections');
  readonly #ordinaryPlaces = new BoundedSet<string>(MAX_SERVERS, 'places of ordinary connections');

  constructor(participants: ParticipantRegistry, served: ServedRequests) {
    this.#participants = participants;
    this.#served = served;
  }

  /** A client sent a request that the API server may forward. */
  observeRequest(context: ExchangeContext, message: Draft, head: RequestHead | null): void {
    const { connection } = context;
    if (head === null || this.#senders.has(connection.id)) return;
    if (!isForeign(wholeTarget(head))) {
      if (!this.#ordinary.has(connection.id) && isBuiltIn(wholeTarget(head))) this.#becomesOrdinary(connection);
      return;
    }
    this.#served.add(context, message, [`forward ${requestLine(head)}`]);
  }

  /**
   * Whether an API server sends a request to an aggregated one: for a client, for itself, or over a connection on which
   * it did so before. @param head of a request to an API server.
   * @returns null: it is a client's own.
   */
  forwardedRequestOf(head: RequestHead, connection: Connection, frame: number): ForwardedRequest | null {
    if (isPeerProxied(head)) return null;
    const known = this.#senders.get(connection.id);
    if (known === undefined && !isForeign(wholeTarget(head)) && !isAggregators(head)) return null;
    if (known !== undefined && isBuiltIn(wholeTarget(head))) {
      this.#becomesOrdinary(connection);
      return null;
    }
    const first = this.#firstHop(head, connection);
    if (known === undefined && first === undefined && !hasUserHeader(head)) return null;
    if (known === undefined && this.#ordinaryPlaces.has(placeOf(connection.server))) return null;
    const from = known ?? first?.context.server ?? this.#relay(connection, frame);
    if (known === undefined) {
      this.#senders.set(connection.id, from);
    }
    this.#learn(head, connection.server, frame);
    return { from, seq: first?.message.seq };
  }

  /** The aggregated API server at an address and port; null: an API server, as far as is known. */
  serverAt(place: Endpoint): ParticipantRecord | null {
    return this.#servers.size === 0 ? null : (this.#servers.get(placeOf(place)) ?? null);
  }

  /** Built-in groups were requested there: it is an ordinary API server, and nothing is forwarded to it. */
  isOrdinary(place: Endpoint): boolean {
    return this.#ordinaryPlaces.has(placeOf(place));
  }

  /** The aggregated API server that stores the objects of a group; null: an API server, as far as is known. */
  keeperOf(group: string): ParticipantRecord | null {
    return this.#keepers.get(group) ?? null;
  }

  /**
   * The original of a forwarded request. The forwarding headers may be missing on a connection older than the capture: there the
   * original is an equal request to the address that this one comes from.
   */
  #firstHop(head: RequestHead, connection: Connection): ServedRequest | undefined {
    const hasUser = hasUserHeader(head);
    if (!hasUser && head.partial.length === 0 && !this.#senders.has(connection.id)) return undefined;
    const { id, client, server } = connection;
    return this.#served.match(
      `forward ${requestLine(head)}`,
      ({ context: { connection: one } }) =>
        one.id !== id &&
        (hasUser || (addressOf(one.server) === addressOf(client) && placeOf(one.server) !== placeOf(server))),
    );
  }

  #relay({ client }: Connection, frame: number): ParticipantRecord {
    return this.#participants.relay(addressOf(client), undefined, frame, 'names the user to an aggregated server');
  }

  /** An aggregated API server is named after the first group that was requested of it. */
  #learn(head: RequestHead, server: Endpoint, frame: number): void {
    const place = placeOf(server);
    const group = GROUP.exec(wholeTarget(head) ?? '')?.[1];
    const known = this.#servers.get(place);
    if (known !== undefined && (group === undefined || this.#keepers.has(group))) return;
    const about = group === undefined ? 'what it does not serve' : `requests for ${group}`;
    const name = group === undefined ? AGGREGATED : `${AGGREGATED} ${group}`;
    const evidence = proven(`kube-apiserver forwards ${about} to it, on ${server.address} port ${server.port}`, frame);
    const where = { component: AGGREGATED, key: place, address: addressOf(server), evidence };
    const participant =
      known !== undefined && known.name !== AGGREGATED ? known : this.#participants.extension({ ...where, name });
    this.#servers.set(place, participant);
    if (group !== undefined) this.#keepers.set(group, participant);
    this.#participants.reassign('kube-apiserver', server, participant, evidence);
  }

  /** A proxy may name its client to an API server, too; an aggregated API server receives no requests for Pods. */
  #becomesOrdinary({ id, server }: Connection): void {
    const place = placeOf(server);
    this.#senders.delete(id);
    this.#servers.delete(place);
    this.#ordinary.add(id);
    this.#ordinaryPlaces.add(place);
  }
}

/** What is equal on both hops of a forwarded request: method and target. */
export function requestLine({ method, target }: Pick<RequestHead, 'method' | 'target'>): string {
  return `${method ?? ''} ${target ?? ''}`;
}

/** Whether an API server reroutes the request to another that serves it (k8s.io/apiserver, pkg/util/peerproxy: PeerProxiedHeader). */
export function isPeerProxied({ fields }: RequestHead): boolean {
  return fieldValue(fields, 'x-kubernetes-peer-proxied') !== undefined;
}

/** With what stands before the request of an API server behind this one. */
function wholeTarget({ prefix = '', target }: RequestHead): string | null {
  return target === null ? null : prefix + target;
}

/** Whether a request has the header with its user, as a server that has authenticated the client sends it. */
function hasUserHeader(head: RequestHead): boolean {
  return fieldValue(head.fields, USER) !== undefined;
}

/** Discovery and OpenAPI of its own (pkg/apiserver/handler_discovery.go, pkg/controllers/openapi/aggregator). */
function isAggregators(head: RequestHead): boolean {
  if (head.target === null || !DISCOVERY.test(head.target)) return false;
  return AGGREGATORS.has(fieldValue(head.fields, USER) ?? '');
}

/** About a group that the API server does not serve itself, or that a CustomResourceDefinition made. */
export function isForeignGroup(group: string): boolean {
  return group.includes('.') && !isBuiltInGroup(group);
}

export function isForeign(target: string | null): boolean {
  if (target?.startsWith('/apis/') !== true) return false;
  const group = GROUP.exec(target)?.[1];
  return group !== undefined && isForeignGroup(group);
}

/** About objects of a group that the API server itself serves. */
function isBuiltIn(target: string | null): boolean {
  return target !== null && OBJECTS.test(target) && !isForeign(target);
}

const USER = 'x-remote-user';
const OBJECTS = /^\/(?:api\/v1|apis\/[^/?]+\/[^/?]+)\/\w/;
const AGGREGATORS = new Set(['system:kube-aggregator', 'system:aggregator']);
const DISCOVERY = /^\/(?:apis?|openapi\/v[23])(?:[/?]|$)/;
export const AGGREGATED = 'aggregated-apiserver';
const GROUP = /^\/apis\/([a-z0-9][a-z0-9.-]{0,252})(?:[/?]|$)/;
/**
 * Limit: connections of which it is known whether an API server forwards requests to another one over them; a forgotten one is
 * recognised again by its next request.
 */
const MAX_CONNECTIONS = 10_000;
/** Limit: aggregated API servers, and their API groups. */
const MAX_SERVERS = 1000;
