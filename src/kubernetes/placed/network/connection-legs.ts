// Finds connections that are one: the same conversation between two programs, captured before and after something on its way
// that gave it other addresses.
//
//   198.18.0.3:55290 → 203.0.113.33:80   begins with 7 and 9
//   198.18.0.3:55290 → 198.18.1.9:80     begins with 7 and 9   the same, behind kube-proxy's rule
//
//   192.0.2.21:40112 → 192.0.2.10:6443   carries session 4f3a…
//   192.0.2.10:51034 → 192.0.2.12:6443   carries session 4f3a…  the same, behind a load balancer that does not end TLS
//
// kube-proxy's rules (iptables, nftables, IPVS) change addresses and ports only; the kernel keeps both sides' sequence
// numbers. A proxy has connections and numbers of its own, but if it passes TLS through, the session stays the same.

import { RecentMap } from '../../../core/collections/bounded.js';
import { Fifo } from '../../../core/collections/fifo.js';
import type { Endpoint } from '../../../packet/segment.js';
import type { Connection, InitialSequenceNumbers, Side, TlsEstablished } from '../../../tcp/stream-event.js';
import { addressOf } from '../../participants/hosts.js';

export interface Leg {
  connection: Connection;
  /** null: no longer known. */
  readonly numbers: InitialSequenceNumbers | null;
  group: LegGroup | null;
  /** It had a piece. */
  isActive: boolean;
}

/** One connection with all of its pairs of addresses. */
export interface LegGroup {
  readonly legs: Leg[];
  /** The one whose pieces are emitted; null until the first piece. */
  main: Leg | null;
  /** null until its first piece. */
  path: LegPath | null;
  /** `path` is to be computed again. */
  isPathOld: boolean;
}

/** The path of a connection from its client to its server. */
export interface LegPath {
  readonly client: Endpoint;
  readonly server: Endpoint;
  /** Addresses that the client and proxies on the way took for the server's, nearest the client first. */
  readonly via: readonly Hop[];
  /** A hop has connections of its own. */
  readonly isProxied: boolean;
}

export interface Hop extends Endpoint {
  /** It has connections of its own; else the address was translated. */
  readonly isProxy: boolean;
}

export class ConnectionLegs {
  readonly #isService: (address: string) => boolean;
  /** By the client's initial sequence number. */
  readonly #byNumber = new RecentLegs<number>();
  /** By the client random of TLS. */
  readonly #byRandom = new RecentLegs<string>();
  /** Recent and joined ones, by connection. The end of a joined connection is not reported here. */
  readonly #byConnection = new RecentMap<number, Leg>(MAX_JOINED);

  /** @param isService the leg to a Service is nearer the client than that to its Pod, whichever was captured first. */
  constructor(isService: (address: string) => boolean) {
    this.#isService = isService;
  }

  /** Of a connection, before its first piece. */
  numbered(numbers: InitialSequenceNumbers): void {
    const { connection, client, origin } = numbers;
    this.#forget(this.#byNumber.takeBefore(origin.time - SECURED_NS));
    const leg: Leg = { connection, numbers, group: null, isActive: false };
    const same = this.#byNumber.with(client);
    const other = same.find((one) => mayJoin(one, leg) && isTranslated(one, leg, same));
    this.#keep(other === undefined ? [leg] : join(other, leg));
    this.#byNumber.add(client, leg, origin.time);
  }

  /** Of a connection, before its first piece. */
  secured({ connection, clientRandom, origin }: TlsEstablished): void {
    if (clientRandom === null) return;
    this.#forget(this.#byRandom.takeBefore(origin.time - SECURED_NS));
    const leg = this.#byConnection.get(connection.id) ?? { connection, numbers: null, group: null, isActive: false };
    const other = this.#byRandom.with(clientRandom).find((one) => mayJoin(one, leg));
    this.#keep(other === undefined ? [leg] : join(other, leg));
    this.#byRandom.add(clientRandom, leg, origin.time);
  }

  /** The leg of a connection that has a piece; undefined where it is the only one. */
  of(connection: Connection): Leg | undefined {
    const leg = this.#byConnection.get(connection.id);
    if (leg === undefined) return undefined;
    leg.isActive = true;
    const { group } = leg;
    if (group === null) return undefined;
    if (leg.connection !== connection) {
      // Payload can prove that client and server are the other way round.
      leg.connection = connection;
      group.isPathOld = true;
    }
    if (group.isPathOld) group.path = this.#pathOf(group);
    group.isPathOld = false;
    group.main ??= group.legs.find((one) => one.isActive && one !== leg) ?? group.legs[0];
    return leg;
  }

  #pathOf({ legs }: LegGroup): LegPath {
    legs.sort((a, b) => this.#place(a) - this.#place(b) || fromClientOn(a, b));
    const { client } = legs[0].connection;
    const { server } = legs[legs.length - 1].connection;
    const via = new Map<string, Hop>();
    let isProxied = false;
    for (let i = 0; i + 1 < legs.length; i++) {
      const callee = endInPackets(legs[i].connection, 'server');
      const address = addressOf(callee);
      const isProxy = !isSameNumbers(legs[i], legs[i + 1]);
      isProxied ||= isProxy;
      if (isProxy || address !== addressOf(server)) via.set(address, { address, port: callee.port, isProxy });
    }
    return { client, server, via: [...via.values()], isProxied };
  }

  #keep(legs: readonly Leg[]): void {
    for (const leg of legs) this.#byConnection.set(leg.connection.id, leg);
  }

  #place({ connection }: Leg): number {
    return this.#isService(connection.server.address) ? 0 : 1;
  }

  #forget(legs: readonly Leg[]): void {
    for (const leg of legs) if (leg.group === null) this.#byConnection.delete(leg.connection.id);
  }
}

/** They are two so far, of neither too many are one already, and something of one at most has passed. */
function mayJoin(known: Leg, leg: Leg): boolean {
  const [one, other] = [known.group, leg.group];
  if (known === leg || (one !== null && one === other)) return false;
  return (one?.legs.length ?? 1) + (other?.legs.length ?? 1) <= MAX_SAME && (one?.main == null || other?.main == null);
}

interface RecentLeg<K> {
  readonly key: K;
  readonly leg: Leg;
  /** ns since the epoch. */
  readonly time: bigint;
}

/** Connections that began recently. @typeParam K what two legs of one connection share. */
class RecentLegs<K> {
  readonly #entries = new Fifo<RecentLeg<K>>();
  readonly #byKey = new Map<K, Leg[]>();

  /** Oldest first; borrowed. */
  with(key: K): readonly Leg[] {
    return this.#byKey.get(key) ?? NONE;
  }

  add(key: K, leg: Leg, time: bigint): void {
    const same = this.#byKey.get(key);
    if (same === undefined) this.#byKey.set(key, [leg]);
    else if (same.length < MAX_SAME) same.push(leg);
    this.#entries.push({ key, leg, time });
  }

  /** Drops those that began before `time` (ns), and the oldest beyond the limit. @returns them. */
  takeBefore(time: bigint): readonly Leg[] {
    const entries = this.#entries;
    let gone = Math.max(0, entries.length - MAX_RECENT);
    while (gone < entries.length && entries.at(gone).time < time) gone += 1;
    if (gone === 0) return NONE;
    return entries.take(gone).map(({ key, leg }) => {
      const left = (this.#byKey.get(key) ?? []).filter((one) => one !== leg);
      if (left.length === 0) this.#byKey.delete(key);
      else this.#byKey.set(key, left);
      return leg;
    });
  }
}

/** @returns all legs of the connection. */
function join(known: Leg, leg: Leg): readonly Leg[] {
  const legs = [known, leg].flatMap((one) => one.group?.legs ?? [one]);
  const group: LegGroup = (leg.group?.main == null ? known.group : leg.group) ?? leg.group ?? newGroup();
  group.legs.splice(0, group.legs.length, ...legs);
  group.isPathOld = true;
  for (const one of legs) one.group = group;
  return legs;
}

function newGroup(): LegGroup {
  return { legs: [], main: null, path: null, isPathOld: true };
}

/**
 * Are these two pairs of addresses of one connection? The same numbers of both directions (64 bits, chosen at random:
 * RFC 9293, section 3.4.1) at the same time, and the same client. Where the client's address was translated too
 * (masquerade), the numbers alone must do: then they must be random, and no third connection may have them.
 */
function isTranslated(a: Leg, b: Leg, all: readonly Leg[]): boolean {
  const [one, other] = [a.connection, b.connection];
  if (!isSameNumbers(a, b) || one.name === other.name) return false;
  const { client, server, origin } = a.numbers as InitialSequenceNumbers;
  if ((b.numbers as InitialSequenceNumbers).origin.time - origin.time > PAIR_NS) return false;
  if (isSameEnd(one.client, other.client)) return !isSameEnd(one.server, other.server);
  if (client < RANDOM_NUMBER || server < RANDOM_NUMBER) return false;
  return all.filter((leg) => leg.numbers?.server === server && leg.group === null).length <= 1;
}

function isSameNumbers({ numbers: a }: Leg, { numbers: b }: Leg): boolean {
  return a !== null && b !== null && a.client === b.client && a.server === b.server;
}

function isSameEnd(a: Endpoint, b: Endpoint): boolean {
  return addressOf(a) === addressOf(b) && a.address === b.address && a.port === b.port;
}

/** The end of a connection in its packets. */
function endInPackets(connection: Connection, side: Side): Endpoint {
  const { relay } = connection;
  return relay?.for === side ? relay.end : connection[side];
}

/**
 * Below 0: `a` is nearer the client. The server of one leg is the client of the next; else the leg that was captured first
 * is nearer, if a client began it: segments of a server come in the other order.
 */
function fromClientOn(a: Leg, b: Leg): number {
  const [one, other] = [a.connection, b.connection];
  const onwards = addressOf(endInPackets(one, 'server')) === addressOf(endInPackets(other, 'client'));
  const backwards = addressOf(endInPackets(other, 'server')) === addressOf(endInPackets(one, 'client'));
  if (onwards !== backwards) return onwards ? -1 : 1;
  const isBegun = one.roles === 'handshake' || other.roles === 'handshake';
  const isAnswer = !isBegun && a.numbers?.from === 'server' && b.numbers?.from === 'server';
  return isAnswer ? other.id - one.id : one.id - other.id;
}

/**
 * Limit in ns: capture time between the beginnings of a connection before and behind address translation: what NTP leaves between the
 * clocks of two capture hosts.
 */
const PAIR_NS = 100_000_000n;
/** Limit in ns: capture time from a connection's first segment to the end of its handshake, and between those of both sides of a proxy. */
const SECURED_NS = 1_000_000_000n;
/** Limit: connections, joined and recent ones: twice what TCP keeps open. */
const MAX_JOINED = 20_000;
/**
 * Limit: sequence numbers below it prove nothing where the client's address was translated too: programs that craft packets begin at 0,
 * 1, 1000; of random numbers one in 65,536 is below.
 */
const RANDOM_NUMBER = 65_536;
const NONE: readonly never[] = [];
/** Limit: connections whose other leg may still come: those that begin within a tenth of a second on a very busy host. */
const MAX_RECENT = 10_000;
/** Limit: connections with the same key that are compared, and legs of one: a connection has a handful at most. */
const MAX_SAME = 16;
