// One message that was captured before and after address translation is one message. Joins connections whose addresses
// differ and whose sequence numbers do not, then their exchanges, piece by piece: what both carried passes once, with the
// places of its copies. Knows numbers, addresses and whether two pieces are equal; nothing of what they mean.
//
//   198.18.0.3:55290 → 203.0.113.33:80   seq 7, ack 9   GET /     the leg nearest the client: this one passes
//   198.18.0.3:55290 → 198.18.1.9:80     seq 7, ack 9   GET /     its copy
//
// kube-proxy's iptables and IPVS rules change addresses and ports only; the kernel keeps both sides' numbers.

import { Fifo } from '../../core/fifo.js';
import { type Notice, notice } from '../../core/notice.js';
import type { Origin } from '../../core/origin.js';
import type { Exchange, ExchangeEvent } from '../../http/exchange-event.js';
import type { Endpoint } from '../../packet/segment.js';
import type { Connection, StreamNumbers } from '../../tcp/stream-event.js';
import type { TranslatedCopy } from '../message.js';
import { isSamePiece } from './same-piece.js';

/** The way of a connection from its client to its server, in the order of its translations. */
export interface Path {
  readonly client: Endpoint;
  readonly server: Endpoint;
  /** What the client and others on the way took for the server, nearest the client first. */
  readonly via: readonly Endpoint[];
}

/** An event that passes. */
export interface Passed {
  readonly event: ExchangeEvent;
  /** null: its connection was seen with one pair of addresses. */
  readonly path: Path | null;
  readonly copies: readonly TranslatedCopy[];
}

export interface TranslationsOptions {
  /** Services stand before the Pods behind them, whichever was seen first. */
  readonly isService: (address: string) => boolean;
  /** What nobody has to wait for passes at once; its copies are told later. */
  readonly live: boolean;
}

interface Leg {
  connection: Connection;
  readonly numbers: StreamNumbers;
  group: Group | null;
  /** Something of it passed. */
  spoke: boolean;
}

interface Group {
  readonly legs: Leg[];
  /** The one whose pieces pass; null until the first comes. */
  main: Leg | null;
  path: Path | null;
  /** Pieces whose copies may still come, in order. */
  readonly open: Waiting[];
  /** Exchanges of other legs of which something passed by itself. */
  readonly alone: Set<Exchange>;
}

type Piece = Exclude<ExchangeEvent, { kind: 'over' }>;

interface Waiting {
  readonly event: Piece;
  readonly leg: Leg;
  readonly group: Group;
  readonly copies: TranslatedCopy[];
  /** Legs on which it was not seen so far. */
  readonly missing: Set<Leg>;
  /** Nothing more is to be looked for: it is complete, or was a copy. */
  done: boolean;
}

/** In the line: something that is ready, or waits for its copies. */
interface Entry {
  readonly passed: Passed;
  readonly waiting: Waiting | null;
  /** Set for the end of an exchange: it passes where something of the exchange did. */
  readonly overOf: Group | null;
}

export class Translations {
  readonly #options: TranslationsOptions;
  readonly #recent = new Fifo<Leg>();
  /** Recent legs by their client's number, and those of which more is to come by connection. */
  readonly #byNumber = new Map<number, Leg[]>();
  readonly #byConnection = new Map<number, Leg>();
  readonly #line = new Fifo<Entry>();
  #joined = 0;
  #copies = 0;
  #first: Origin | null = null;

  constructor(options: TranslationsOptions) {
    this.#options = options;
  }

  /** A connection's numbers, before its first piece. */
  numbered(numbers: StreamNumbers): void {
    this.#forgetBefore(numbers.origin.time - PAIR_NS);
    const { connection, client } = numbers;
    const leg: Leg = { connection, numbers, group: null, spoke: false };
    const same = this.#byNumber.get(client);
    const other = same?.find((one) => isTranslated(one, leg, same));
    if (other !== undefined) this.#join(other, leg);
    if (same === undefined) this.#byNumber.set(client, [leg]);
    else same.push(leg);
    this.#byConnection.set(connection.id, leg);
    this.#recent.push(leg);
  }

  /** @returns what passes now, in order; null: the event itself, and nothing else is held. */
  feed(event: ExchangeEvent): readonly Passed[] | null {
    const leg = this.#byConnection.get(event.exchange.connection.id);
    if (leg !== undefined) {
      leg.spoke = true;
      if (leg.group !== null) {
        this.#piece(event, leg, leg.group);
        return this.#release(event.at.time);
      }
    }
    if (this.#line.length === 0) return null;
    this.#line.push({ passed: { event, path: null, copies: [] }, waiting: null, overOf: null });
    return this.#release(event.at.time);
  }

  end(): readonly Passed[] {
    return this.#release(null);
  }

  /** What was counted once although it was seen more often. */
  notices(): readonly Notice[] {
    if (this.#first === null) return [];
    const detail = `${this.#copies} ${this.#copies === 1 ? 'copy' : 'copies'} of messages on ${this.#joined} ${this.#joined === 1 ? 'connection' : 'connections'}`;
    return [notice('exchange.translated', detail, { origin: this.#first })];
  }

  // ── connections ──

  #join(known: Leg, leg: Leg): void {
    const group: Group = known.group ?? { legs: [known], main: null, path: null, open: [], alone: new Set() };
    known.group = group;
    leg.group = group;
    group.legs.push(leg);
    group.path = null;
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
    // Those that were joined stay: more is to come of them. A connection's end is not told here, so the oldest go.
    while (this.#byConnection.size > MAX_JOINED) {
      this.#byConnection.delete(this.#byConnection.keys().next().value as number);
    }
  }

  /** What was seen first is nearer the client; a Service always is. */
  #pathOf(group: Group): Path {
    if (group.path !== null) return group.path;
    const place = (leg: Leg): number => (this.#options.isService(leg.connection.server.address) ? 0 : 1);
    group.legs.sort((a, b) => place(a) - place(b) || a.connection.id - b.connection.id);
    const { client } = group.legs[0].connection;
    const { server } = group.legs[group.legs.length - 1].connection;
    const via = new Map<string, Endpoint>();
    for (const { connection } of group.legs)
      if (connection.server.address !== server.address) via.set(connection.server.address, connection.server);
    group.path = { client, server, via: [...via.values()] };
    return group.path;
  }

  // ── pieces ──

  #piece(event: ExchangeEvent, leg: Leg, group: Group): void {
    if (leg.connection !== event.exchange.connection) {
      // What the sides say can show that client and server are the other way round.
      leg.connection = event.exchange.connection;
      group.path = null;
    }
    const path = this.#pathOf(group);
    if (group.main === null) {
      group.main = group.legs.find((one) => one.spoke && one !== leg) ?? group.legs[0];
      this.#joined += 1;
    }
    if (event.kind === 'over') {
      this.#line.push({
        passed: { event, path, copies: [] },
        waiting: null,
        overOf: leg === group.main ? null : group,
      });
      return;
    }
    while (group.open.length > 0 && group.open[0].event.at.time + COPY_NS < event.at.time) drop(group.open[0]);
    const twins = group.open.filter((one) => one.leg !== leg && one.missing.has(leg) && isSamePiece(one.event, event));
    const original = twins.find((one) => one.leg === group.main);
    if (original !== undefined) this.#copy(original, event, leg);
    else this.#wait(event, leg, group, path, leg === group.main ? twins : []);
  }

  /** @param twins copies that came before. */
  #wait(event: Piece, leg: Leg, group: Group, path: Path, twins: readonly Waiting[]): void {
    const missing = new Set(group.legs.filter((one) => one !== leg));
    const waiting: Waiting = { event, leg, group, copies: [], missing, done: false };
    for (const twin of twins) {
      // Of each leg the oldest.
      if (!missing.has(twin.leg)) continue;
      drop(twin);
      this.#copy(waiting, twin.event, twin.leg);
    }
    if (missing.size > 0) group.open.push(waiting);
    this.#line.push({ passed: { event, path, copies: waiting.copies }, waiting, overOf: null });
  }

  #copy(of: Waiting, event: Piece, leg: Leg): void {
    const { first, last } = event;
    of.missing.delete(leg);
    if (of.missing.size === 0) drop(of);
    const { name } = event.exchange.connection;
    of.copies.push({ connection: name, capture: first.capture, frames: [first.frame, last.frame] });
    this.#copies += 1;
    if (this.#first === null) this.#first = first;
  }

  // ── the line ──

  /** @param now ns; null: nothing more will come. */
  #release(now: bigint | null): readonly Passed[] {
    const line = this.#line;
    const out: Passed[] = [];
    let gone = 0;
    while (gone < line.length) {
      const entry = line.at(gone);
      if (entry.waiting !== null && this.#mustWait(entry.waiting, now) && line.length - gone <= MAX_HELD) break;
      if (this.#passes(entry)) out.push(entry.passed);
      gone += 1;
    }
    if (gone > 0) line.take(gone);
    return out;
  }

  #mustWait({ event, leg, group, missing, done }: Waiting, now: bigint | null): boolean {
    if (done || missing.size === 0 || now === null || event.at.time + COPY_NS <= now) return false;
    return !this.#options.live || leg !== group.main;
  }

  #passes({ passed: { event }, waiting, overOf }: Entry): boolean {
    if (overOf !== null) return overOf.alone.delete(event.exchange);
    if (waiting === null || waiting.leg === waiting.group.main) return true;
    if (waiting.done) return false;
    // The leg that passes has nothing of it: nothing that was seen is dropped.
    drop(waiting);
    waiting.group.alone.add(event.exchange);
    return true;
  }
}

/** Its copies are not looked for any more. */
function drop(waiting: Waiting): void {
  waiting.done = true;
  const { open } = waiting.group;
  const at = open.indexOf(waiting);
  if (at >= 0) open.splice(at, 1);
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

/** ns of capture time between the beginnings of two legs, and between two copies: what clocks of two capture hosts differ by at most with NTP. */
const PAIR_NS = 100_000_000n;
const COPY_NS = 100_000_000n;
/** Connections whose other leg may still come: those that begin within PAIR_NS on a very busy host. */
const MAX_RECENT = 10_000;
/** Connections of which more may come, joined ones and recent ones: twice what TCP keeps open. */
const MAX_JOINED = 20_000;
/** Pieces behind one that waits for its copy: a second of a busy API server. */
const MAX_HELD = 10_000;
/** Programs that make packets up begin at 0, 1, 1000; of random numbers one in 65,536 is below. */
const RANDOM_NUMBER = 65_536;
