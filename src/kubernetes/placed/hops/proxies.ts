// Recognises HTTP proxies before an API server (`kubectl proxy`, a server that ends TLS): they repeat the client's request and name
// the client in X-Forwarded-For (Go's httputil.ReverseProxy, nginx, HAProxy). API servers that reroute a request to one of their peers
// do the same, and say so in a header (mixed-version proxy).

import { isLoopback } from '../../../core/address.js';
import { BoundedMap, BoundedSet } from '../../../core/collections/bounded.js';
import { entryOf } from '../../../core/collections/series-table.js';
import { fieldValue } from '../../../core/fields.js';
import type { RequestHead } from '../../../http/http-event.js';
import type { Endpoint } from '../../../packet/segment.js';
import type { Connection } from '../../../tcp/stream-event.js';
import { isHandedOn } from '../../api/path-prefix.js';
import type { Draft } from '../../messages/draft.js';
import type { ExchangeContext } from '../../messages/exchange-context.js';
import { API_SERVER } from '../../participants/components.js';
import { addressOf, placeOf } from '../../participants/hosts.js';
import { ParticipantRecord, proven } from '../../participants/participant-record.js';
import type { ParticipantRegistry } from '../identity/participant-registry.js';
import { type ForwardedRequest, isPeerProxied, requestLine } from './aggregation.js';
import type { ServedRequest, ServedRequests } from './served-requests.js';

export class Proxies {
  readonly #participants: ParticipantRegistry;
  readonly #served: ServedRequests;
  /** Servers on loopback, by address and port: taken for API servers until one forwards a request. */
  readonly #provisional = new BoundedMap<string, ParticipantRecord>(MAX_PLACES, 'places of proxies');
  /** Proxies, by address and port, and by the connections over which they send. */
  readonly #known = new BoundedMap<string, ParticipantRecord>(MAX_PLACES, 'proxies');
  readonly #senders = new BoundedMap<number, ParticipantRecord>(MAX_CONNECTIONS, 'connections of proxies');
  /** Addresses of API servers. */
  readonly #servers = new BoundedSet<string>(MAX_PLACES, 'servers behind proxies');
  /** There are proxies, or several API servers: only then are all requests remembered. */
  #isUsed = false;

  constructor(participants: ParticipantRegistry, served: ServedRequests) {
    this.#participants = participants;
    this.#served = served;
  }

  /** The participant that answers where an API server seems to. */
  serverAt(place: Endpoint, server: ParticipantRecord): ParticipantRecord {
    const key = placeOf(place);
    if (!this.#isUsed && !this.#servers.has(place.address)) {
      this.#servers.add(place.address);
      this.#isUsed = this.#servers.size > 1;
    }
    const known = this.#known.get(key);
    if (known !== undefined || !isLoopback(place.address) || server.isFixed) return known ?? server;
    return entryOf(this.#provisional, key, () => ParticipantRecord.linkedTo(server, 'likely'));
  }

  /** A client sent a request that a proxy may forward. */
  observeRequest(context: ExchangeContext, message: Draft, head: RequestHead | null): void {
    const { server } = context.connection;
    if (head?.target == null || (!this.#isUsed && head.prefix === undefined && !isLoopback(server.address))) return;
    this.#served.add(context, message, [`proxy ${requestLine(head)}`]);
  }

  /** Whether a proxy sends a request, for a client whose request was captured or over a connection on which it did so before. */
  forwardedRequestOf(head: RequestHead, connection: Connection, frame: number): ForwardedRequest | null {
    if (isPeerProxied(head)) return this.#fromPeer(head, connection, frame);
    const known = this.#senders.get(connection.id);
    const forwardedFor = fieldValue(head.fields, FORWARDED_FOR);
    if (forwardedFor === undefined)
      return known === undefined || head.partial.length === 0 ? null : { from: known, seq: undefined };
    this.#isUsed = true;
    const first = this.#firstHop(head, connection, forwardedFor);
    if (first === undefined) return known === undefined ? null : { from: known, seq: undefined };
    const from = known ?? this.#sender(first.context, connection, frame);
    this.#senders.set(connection.id, from);
    return { from, seq: first.message.seq };
  }

  /** The oldest equal request to the API server that this one comes from. */
  #fromPeer(head: RequestHead, { id, client }: Connection, frame: number): ForwardedRequest {
    const address = addressOf(client);
    const first = this.#served.match(
      `proxy ${requestLine(head)}`,
      ({ context: { connection: one } }) => one.id !== id && addressOf(one.server) === address,
    );
    const from = first?.context.server ?? this.#participants.relay(address, undefined, frame, 'reroutes to its peer');
    return { from, seq: first?.message.seq, isToPeer: true };
  }

  /** The oldest equal request of the client that the header names last. */
  #firstHop(head: RequestHead, { id }: Connection, forwardedFor: string): ServedRequest | undefined {
    const client = forwardedFor.slice(forwardedFor.lastIndexOf(',') + 1).trim();
    return this.#served.match(
      `proxy ${requestLine(head)}`,
      ({ context: { connection: one } }) => one.id !== id && one.client.address === client,
    );
  }

  #sender(first: ExchangeContext, connection: Connection, frame: number): ParticipantRecord {
    if (first.prefix === undefined || !isHandedOn(first.prefix)) return this.#proxy(first, connection, frame);
    const { server } = first.connection;
    return this.#participants.server(API_SERVER, addressOf(server), server.port, frame, server.address);
  }

  #proxy({ connection: { server } }: ExchangeContext, { client }: Connection, frame: number): ParticipantRecord {
    const key = placeOf(server);
    const address = isLoopback(server.address) ? addressOf(client) : server.address;
    const place = `on ${server.address} port ${server.port}`;
    const how = `forwards what it receives ${place}, with the address of the client`;
    const proxy = this.#known.get(key) ?? this.#participants.proxy(address, how, frame);
    this.#known.set(key, proxy);
    this.#provisional.get(key)?.link(proxy, 'proven');
    this.#participants.reassign(API_SERVER, server, proxy, proven(`answers as an API server ${place}`, frame));
    return proxy;
  }
}

const FORWARDED_FOR = 'x-forwarded-for';
/** Limit: connections over which a proxy sends requests; a forgotten one is recognised again by its next request. */
const MAX_CONNECTIONS = 10_000;
/** Limit: addresses and ports on loopback, and of proxies. */
const MAX_PLACES = 1000;
