// Which connections are one: the same bytes between the same ends, captured with other addresses before and after a
// translation on their way. Knows sequence numbers, addresses and times; not what the connections carry.
//
//   198.18.0.3:55290 → 203.0.113.33:80   begins with 7 and 9
//   198.18.0.3:55290 → 198.18.1.9:80     begins with 7 and 9   the same, behind kube-proxy's rule
//
// kube-proxy's rules (iptables, nftables, IPVS) change addresses and ports only; the kernel keeps both sides' numbers.

import { Fifo } from '../../core/fifo.js';
import type { Endpoint } from '../../packet/segment.js';
import type { Connection, StreamNumbers } from '../../tcp/stream-event.js';

export interface Leg {
  connection: Connection;
  readonly numbers: StreamNumbers;
  group: Group | null;
  /** Something of it was seen to pass. */
  spoke: boolean;
}

/** One connection with all of its pairs of addresses. */
export interface Group {
  readonly legs: Leg[];
  /** The one whose pieces pass; null until the first comes. */
  main: Leg | null;
  path: Path | null;
}

/** The way of a connection from its client to its server, in the order of its translations. */
export interface Path {
  readonly client: Endpoint;
  readonly server: Endpoint;
  /** What the client and others on the way took for the server, nearest the client first. */
  readonly via: readonly Endpoint[];
}

export class Legs {
  readonly #isService: (address: string) => boolean;
  readonly #recent = new Fifo<Leg>();
  /** Recent ones by their client's number. */
  readonly #byNumber = new Map<number, Leg[]>();
  /** Those of which more is to come, by connection: recent and joined ones. */
  readonly #byConnection = new Map<number, Leg>();

  /** @param isService Services stand before the Pods behind them, whichever was seen first. */
  constructor(isService: (address: string) => boolean) {
    this.#isService = isService;
  }

  /** A connection's numbers, before its first piece. */
  numbered(numbers: StreamNumbers): void {
    this.#forgetBefore(numbers.origin.time - PAIR_NS);
    const { connection, client } = numbers;
    const leg: Leg = { connection, numbers, group: null, spoke: false };
    const same = this.#byNumber.get(client);
    const other = same?.find((one) => (one.group?.legs.length ?? 1) < MAX_SAME && isTranslated(one, leg, same));
    if (other !== undefined) join(other, leg);
    if (same === undefined) this.#byNumber.set(client, [leg]);
    else if (same.length < MAX_SAME) same.push(leg);
    this.#byConnection.set(connection.id, leg);
    this.#recent.push(leg);
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
      group.path = null;
    }
    group.path ??= this.#pathOf(group);
    group.main ??= group.legs.find((one) => one.spoke && one !== leg) ?? group.legs[0];
    return leg;
  }

  /** What was seen first is nearer the client; a Service always is. */
  #pathOf({ legs }: Group): Path {
    const place = (leg: Leg): number => (this.#isService(leg.connection.server.address) ? 0 : 1);
    legs.sort((a, b) => place(a) - place(b) || a.connection.id - b.connection.id);
    const { client } = legs[0].connection;
    const { server } = legs[legs.length - 1].connection;
    const via = new Map<string, Endpoint>();
    for (const { connection } of legs)
      if (connection.server.address !== server.address) via.set(connection.server.address, connection.server);
    return { client, server, via: [...via.values()] };
  }

  #forgetBefore(time: bigint): void {
    const recent = this.#recent;
    let gone = Math.max(0, recent.length - MAX_RECENT);
    while (gone < recent.length && recent.at(gone).numbers.origin.time < time) gone += 1;
    if (gone === 0) return;
    for (const leg of recent.take(gone)) {
      const { client } = leg.numbers;
      const left = (this.#byNumber.get(client) ?? []).filter((one) => one !== leg);
      if (left.length === 0) this.#byNumber.delete(client);
      else this.#byNumber.set(client, left);
      if (leg.group === null) this.#byConnection.delete(leg.connection.id);
    }
    // Of joined ones more is to come. The end of a connection is not told here, so the oldest go.
    while (this.#byConnection.size > MAX_JOINED) {
      this.#byConnection.delete(this.#byConnection.keys().next().value as number);
    }
  }
}

function join(known: Leg, leg: Leg): void {
  const group: Group = known.group ?? { legs: [known], main: null, path: null };
  known.group = group;
  leg.group = group;
  group.legs.push(leg);
  group.path = null;
}

/**
 * Are these two pairs of addresses of one connection? The same numbers of both directions (64 bits, chosen at random:
 * RFC 9293, section 3.4.1) at the same time, and the same client. Where the client's address was translated too
 * (masquerade), the numbers alone must do: then none that a program made up, and no third connection with them.
 */
function isTranslated(a: Leg, b: Leg, all: readonly Leg[]): boolean {
  const [one, other] = [a.connection, b.connection];
  if (a.numbers.server !== b.numbers.server || one.name === other.name) return false;
  if (b.numbers.origin.time - a.numbers.origin.time > PAIR_NS) return false;
  if (isSameEnd(one.client, other.client)) return !isSameEnd(one.server, other.server);
  if (a.numbers.client < RANDOM_NUMBER || a.numbers.server < RANDOM_NUMBER) return false;
  return all.filter((leg) => leg.numbers.server === a.numbers.server && leg.group === null).length <= 1;
}

function isSameEnd(a: Endpoint, b: Endpoint): boolean {
  return a.address === b.address && a.port === b.port;
}

/** ns of capture time between the beginnings of two legs: what NTP leaves between the clocks of two capture hosts. */
const PAIR_NS = 100_000_000n;
/** Connections whose other leg may still come: those that begin within PAIR_NS on a very busy host. */
const MAX_RECENT = 10_000;
/** Connections of which more may come, joined ones and recent ones: twice what TCP keeps open. */
const MAX_JOINED = 20_000;
/** Connections with the same number that are compared, and legs of one: a connection has a handful at most. */
const MAX_SAME = 16;
/** Programs that make packets up begin at 0, 1, 1000; of random numbers one in 65,536 is below. */
const RANDOM_NUMBER = 65_536;
