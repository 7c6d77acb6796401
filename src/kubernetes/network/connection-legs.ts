// Which connections are one: the same conversation between the same two programs, captured before and after something on
// its way that gave it other addresses. Knows sequence numbers, TLS sessions, addresses and times; not what is said.
//
//   198.18.0.3:55290 → 203.0.113.33:80   begins with 7 and 9
//   198.18.0.3:55290 → 198.18.1.9:80     begins with 7 and 9   the same, behind kube-proxy's rule
//
//   192.0.2.21:40112 → 192.0.2.10:6443   carries session 4f3a…
//   192.0.2.10:51034 → 192.0.2.12:6443   carries session 4f3a…  the same, behind a load balancer that opens no TLS
//
// kube-proxy's rules (iptables, nftables, IPVS) change addresses and ports only; the kernel keeps both sides' numbers. A
// proxy has connections and numbers of its own, but who passes TLS through cannot change what the two ends agreed on.

import type { Endpoint } from '../../packet/segment.js';
import type { Connection, InitialSequenceNumbers, TlsEstablished } from '../../tcp/stream-event.js';
import { addressOf } from '../identity/hosts.js';
import { MAX_SAME, RecentLegs } from './recent-legs.js';

export interface Leg {
  connection: Connection;
  /** null: not known any more. */
  readonly numbers: InitialSequenceNumbers | null;
  group: LegGroup | null;
  /** Something of it was seen to pass. */
  spoke: boolean;
}

/** One connection with all of its pairs of addresses. */
export interface LegGroup {
  readonly legs: Leg[];
  /** The one whose pieces pass; null until the first comes. */
  main: Leg | null;
  /** null until its first piece. */
  path: LegPath | null;
  /** More is known of it than `path` has. */
  isPathOld: boolean;
}

/** The way of a connection from its client to its server, in the order of what it passes. */
export interface LegPath {
  readonly client: Endpoint;
  readonly server: Endpoint;
  /** What the client and others on the way took for the server, nearest the client first. */
  readonly via: readonly Hop[];
  /** Something on it has connections of its own. */
  readonly isProxied: boolean;
}

export interface Hop extends Endpoint {
  /** It has connections of its own; else an address that was translated. */
  readonly isProxy: boolean;
}

export class ConnectionLegs {
  readonly #isService: (address: string) => boolean;
  /** By their client's number. */
  readonly #numbered = new RecentLegs<number, Leg>();
  /** By their client's random. */
  readonly #secured = new RecentLegs<string, Leg>();
  /** Those of which more is to come, by connection: recent and joined ones. */
  readonly #byConnection = new Map<number, Leg>();

  /** @param isService Services stand before the Pods behind them, whichever was seen first. */
  constructor(isService: (address: string) => boolean) {
    this.#isService = isService;
  }

  /** A connection's numbers, before its first piece. */
  numbered(numbers: InitialSequenceNumbers): void {
    const { connection, client, origin } = numbers;
    this.#forget(this.#numbered.takeBefore(origin.time - SECURED_NS));
    const leg: Leg = { connection, numbers, group: null, spoke: false };
    const same = this.#numbered.with(client);
    const other = same.find((one) => mayJoin(one, leg) && isTranslated(one, leg, same));
    this.#keep(other === undefined ? [leg] : join(other, leg));
    this.#numbered.add(client, leg, origin.time);
  }

  /** Which session a connection carries, before its first piece. */
  secured({ connection, clientRandom, origin }: TlsEstablished): void {
    if (clientRandom === null) return;
    this.#forget(this.#secured.takeBefore(origin.time - SECURED_NS));
    const leg = this.#byConnection.get(connection.id) ?? { connection, numbers: null, group: null, spoke: false };
    const other = this.#secured.with(clientRandom).find((one) => mayJoin(one, leg));
    this.#keep(other === undefined ? [leg] : join(other, leg));
    this.#secured.add(clientRandom, leg, origin.time);
  }

  /** The leg that a piece came on; undefined where it has no other. */
  of(connection: Connection): Leg | undefined {
    const leg = this.#byConnection.get(connection.id);
    if (leg === undefined) return undefined;
    leg.spoke = true;
    const { group } = leg;
    if (group === null) return undefined;
    if (leg.connection !== connection) {
      // What the sides say can show that client and server are the other way round.
      leg.connection = connection;
      group.isPathOld = true;
    }
    if (group.isPathOld) group.path = this.#pathOf(group);
    group.isPathOld = false;
    group.main ??= group.legs.find((one) => one.spoke && one !== leg) ?? group.legs[0];
    return leg;
  }

  #pathOf({ legs }: LegGroup): LegPath {
    legs.sort((a, b) => this.#place(a) - this.#place(b) || fromClientOn(a, b));
    const { client } = legs[0].connection;
    const { server } = legs[legs.length - 1].connection;
    const via = new Map<string, Hop>();
    let isProxied = false;
    for (let i = 0; i + 1 < legs.length; i++) {
      const { server: asked } = legs[i].connection;
      const address = addressOf(asked);
      const isProxy = !isSameNumbers(legs[i], legs[i + 1]);
      isProxied ||= isProxy;
      if (isProxy || address !== addressOf(server)) via.set(address, { address, port: asked.port, isProxy });
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
    // Of joined ones more is to come. The end of a connection is not told here, so the oldest go.
    while (this.#byConnection.size > MAX_JOINED) {
      this.#byConnection.delete(this.#byConnection.keys().next().value as number);
    }
  }
}

/** They are two so far, of neither too many are one already, and something of one at most has passed. */
function mayJoin(known: Leg, leg: Leg): boolean {
  const [one, other] = [known.group, leg.group];
  if (known === leg || (one !== null && one === other)) return false;
  return (one?.legs.length ?? 1) + (other?.legs.length ?? 1) <= MAX_SAME && (one?.main == null || other?.main == null);
}

/** @returns all that are one now. */
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
 * (masquerade), the numbers alone must do: then none that a program made up, and no third connection with them.
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

/**
 * Below 0: `a` is nearer the client. Who is asked at one asks at the other; else what was seen first, where a client began
 * it: what a server sends comes past the other way round.
 */
function fromClientOn(a: Leg, b: Leg): number {
  const [one, other] = [a.connection, b.connection];
  const onwards = addressOf(one.server) === addressOf(other.client);
  const backwards = addressOf(other.server) === addressOf(one.client);
  if (onwards !== backwards) return onwards ? -1 : 1;
  const isBegun = one.roles === 'handshake' || other.roles === 'handshake';
  const isAnswer = !isBegun && a.numbers?.from === 'server' && b.numbers?.from === 'server';
  return isAnswer ? other.id - one.id : one.id - other.id;
}

/** ns of capture time between the beginnings of two legs: what NTP leaves between the clocks of two capture hosts. */
const PAIR_NS = 100_000_000n;
/** ns of capture time between the first segment of a connection and the end of its handshake, or between those of two legs. */
const SECURED_NS = 1_000_000_000n;
/** Connections of which more may come, joined ones and recent ones: twice what TCP keeps open. */
const MAX_JOINED = 20_000;
/** Programs that make packets up begin at 0, 1, 1000; of random numbers one in 65,536 is below. */
const RANDOM_NUMBER = 65_536;
