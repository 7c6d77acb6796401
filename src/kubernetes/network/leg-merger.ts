// One message that was captured before and after address translation, or on both sides of a proxy that passes TLS through,
// is one message: pieces of exchanges that came on two legs of a connection pass once, with the places of their copies.
// Nothing that was seen is dropped: what only one leg has passes by itself. Knows pieces and their order; which connections
// are one is legs.ts's.

import { Fifo } from '../../core/collections/fifo.js';
import type { Notice } from '../../core/notice.js';
import type { Exchange, ExchangeEvent } from '../../http/exchange-event.js';
import type { InitialSequenceNumbers, TlsEstablished } from '../../tcp/stream-event.js';
import type { TranslatedCopy } from '../messages/message.js';
import { ConnectionLegs, type Leg, type LegGroup, type LegPath } from './connection-legs.js';
import { DuplicateCounter } from './duplicate-counter.js';
import { isSamePiece, knownOf, numberOf, numbersOf } from './same-piece.js';

/** An event that passes. */
export interface MergedEvent {
  readonly event: ExchangeEvent;
  /** The exchange that it belongs to: that of the main leg, though another leg may have it more complete. */
  readonly of: Exchange;
  /** null: its connection was seen with one pair of addresses. */
  readonly path: LegPath | null;
  /** Where it was seen once more; grows where copies come later than they could be waited for. */
  readonly copies: TranslatedCopy[];
}

export interface LegMergerOptions {
  readonly isService: (address: string) => boolean;
  /** What nobody has to wait for passes at once; its copies are told later. */
  readonly live: boolean;
}

type Over = Extract<ExchangeEvent, { kind: 'over' }>;
type LegPiece = Exclude<ExchangeEvent, Over>;

/** A piece whose copies may still come. */
interface PendingPiece {
  readonly event: LegPiece;
  readonly leg: Leg;
  readonly work: MergeState;
  readonly copies: TranslatedCopy[];
  /** Legs on which it was not seen so far. */
  readonly missing: Set<Leg>;
  /** A copy of which more is known. */
  better: LegPiece | null;
  /** It is a copy of what passes. */
  isCopy: boolean;
}

/** What goes on in one group. */
interface MergeState {
  readonly group: LegGroup;
  /** In the order of their coming. */
  readonly open: PendingPiece[];
  /** Exchanges of other legs: which one of the main leg each is. */
  readonly originals: Map<Exchange, Exchange>;
  /** Those that are none of the main leg's, of which something passed. */
  readonly unmatched: Set<Exchange>;
  /** Exchanges of the main leg of which another leg had what it lacks. */
  readonly completedFromOtherLeg: Map<Exchange, Set<LegPiece['kind']>>;
  /** What passed last, by its number. */
  readonly emitted: Map<number, EmittedPiece>;
}

/** A piece that passed; copies of it may come at any time. */
type EmittedPiece = Pick<MergedEvent, 'of' | 'copies'> | typeof OVER;

/** In the line: something that is ready, or waits for its copies. */
interface MergeEntry {
  readonly event: ExchangeEvent;
  readonly leg: Leg | null;
  readonly work: MergeState | null;
  readonly waiting: PendingPiece | null;
}

export class LegMerger {
  readonly #legs: ConnectionLegs;
  readonly #live: boolean;
  readonly #works = new WeakMap<LegGroup, MergeState>();
  readonly #line = new Fifo<MergeEntry>();
  readonly #translated = new DuplicateCounter('exchange.translated', 'translated');
  readonly #proxied = new DuplicateCounter('exchange.proxied', 'proxied');

  constructor({ isService, live }: LegMergerOptions) {
    this.#legs = new ConnectionLegs(isService);
    this.#live = live;
  }

  /** A connection's numbers, before its first piece. */
  numbered(numbers: InitialSequenceNumbers): void {
    this.#legs.numbered(numbers);
  }

  /** Which TLS session a connection carries, before its first piece. */
  secured(secured: TlsEstablished): void {
    this.#legs.secured(secured);
  }

  /** @returns what passes now, in order; null: the event itself, and nothing else is held. */
  feed(event: ExchangeEvent): readonly MergedEvent[] | null {
    const leg = isToProxy(event) ? undefined : this.#legs.of(event.exchange.connection);
    if (leg !== undefined) this.#take(event, leg, leg.group as LegGroup);
    else if (this.#line.length === 0) return null;
    else this.#line.push({ event, leg: null, work: null, waiting: null });
    return this.#release(event.at.time);
  }

  /** It is `now` (ns since the epoch): what need not wait any longer. */
  settle(now: bigint): readonly MergedEvent[] {
    return this.#release(now);
  }

  /** It is `now` (ns): what happened before this has passed. */
  passedUntil(now: bigint): bigint {
    return this.#line.length === 0 ? now : this.#line.at(0).event.at.time;
  }

  end(): readonly MergedEvent[] {
    return this.#release(null);
  }

  /** exchange.translated, exchange.proxied: what was counted once although it was seen more often. */
  notices(): readonly Notice[] {
    return [...this.#translated.notices(), ...this.#proxied.notices()];
  }

  #take(event: ExchangeEvent, leg: Leg, group: LegGroup): void {
    const work = this.#workOf(group);
    if (event.kind === 'over') {
      this.#line.push({ event, leg, work, waiting: null });
      return;
    }
    const told = work.emitted.get(numberOf(event) ?? NO_NUMBER);
    if (told !== undefined) {
      if (told !== OVER) work.originals.set(event.exchange, told.of);
      this.#count(told === OVER ? null : told.copies, event, group);
      return;
    }
    const { open } = work;
    const patience = mergeDelayOf(group);
    while (open.length > MAX_OPEN || (open.length > 0 && open[0].event.at.time + patience < event.at.time))
      open.shift();
    const twins = open.filter((one) => one.leg !== leg && one.missing.has(leg) && isSamePiece(one.event, event));
    const original = twins.find((one) => one.leg === group.main);
    if (original !== undefined) this.#copy(original, event, leg);
    else this.#wait(event, leg, work, leg === group.main ? twins : []);
  }

  #workOf(group: LegGroup): MergeState {
    let work = this.#works.get(group);
    if (work === undefined) {
      this.#seenAgain(group).connection();
      work = {
        group,
        open: [],
        originals: new Map(),
        unmatched: new Set(),
        completedFromOtherLeg: new Map(),
        emitted: new Map(),
      };
      this.#works.set(group, work);
    }
    return work;
  }

  /** @param twins copies that came before. */
  #wait(event: LegPiece, leg: Leg, work: MergeState, twins: readonly PendingPiece[]): void {
    const missing = new Set(work.group.legs.filter((one) => one !== leg));
    const waiting: PendingPiece = { event, leg, work, copies: [], missing, better: null, isCopy: false };
    for (const twin of twins) {
      // Of each leg the oldest.
      if (!missing.has(twin.leg)) continue;
      drop(twin);
      twin.isCopy = true;
      this.#copy(waiting, twin.event, twin.leg);
    }
    if (missing.size > 0) work.open.push(waiting);
    this.#line.push({ event, leg, work, waiting });
  }

  #copy(of: PendingPiece, event: LegPiece, leg: Leg): void {
    of.missing.delete(leg);
    if (of.missing.size === 0) drop(of);
    of.work.originals.set(event.exchange, of.event.exchange);
    if (knownOf(event) > knownOf(of.better ?? of.event)) of.better = event;
    this.#count(of.copies, event, of.work.group);
  }

  #count(copies: TranslatedCopy[] | null, event: LegPiece, group: LegGroup): void {
    copies?.push(placeOf(event));
    this.#seenAgain(group).copy(event.first);
  }

  #seenAgain({ path }: LegGroup): DuplicateCounter {
    return path?.isProxied === true ? this.#proxied : this.#translated;
  }

  /** @param now ns; null: nothing more will come. */
  #release(now: bigint | null): readonly MergedEvent[] {
    const line = this.#line;
    const out: MergedEvent[] = [];
    let gone = 0;
    while (gone < line.length) {
      const entry = line.at(gone);
      if (entry.waiting !== null && this.#mustWait(entry.waiting, now) && line.length - gone <= MAX_HELD) break;
      const passed = mergedEventOf(entry);
      if (passed !== null) {
        out.push(passed);
        if (entry.work !== null) remember(entry.work, passed);
      }
      gone += 1;
    }
    if (gone > 0) line.take(gone);
    return out;
  }

  #mustWait({ event, leg, work, missing, isCopy }: PendingPiece, now: bigint | null): boolean {
    if (isCopy || missing.size === 0 || now === null || event.at.time + mergeDelayOf(work.group) <= now) return false;
    return !this.#live || leg !== work.group.main;
  }
}

/** Its tunnel goes on, and it does not. */
function isToProxy({ exchange: { request } }: ExchangeEvent): boolean {
  return request?.method === 'CONNECT';
}

/** ns of capture time in which a copy follows. */
function mergeDelayOf({ path }: LegGroup): bigint {
  return path?.isProxied === true ? PROXIED_NS : COPY_NS;
}

/** null: a copy of what passes. */
function mergedEventOf({ event, leg, work, waiting }: MergeEntry): MergedEvent | null {
  const { exchange } = event;
  if (work === null) return { event, of: exchange, path: null, copies: [] };
  const { path, main } = work.group;
  if (event.kind === 'over') return leg === main ? overOfMain(event, work) : overOfCopy(event, work);
  const copies = waiting?.copies ?? [];
  if (leg === main) {
    const better = waiting?.better ?? null;
    if (better === null) return { event, of: exchange, path, copies };
    mend(work, exchange, better.kind);
    const others = copies.filter(({ connection }) => connection !== better.exchange.connection.name);
    return { event: better, of: exchange, path, copies: [placeOf(event), ...others] };
  }
  if (waiting === null || waiting.isCopy) return null;
  // The leg that passes has nothing of it.
  drop(waiting);
  const original = work.originals.get(exchange);
  if (original === undefined) work.unmatched.add(exchange);
  else mend(work, original, event.kind);
  return { event, of: original ?? exchange, path, copies };
}

function remember({ emitted }: MergeState, { event, of, copies }: MergedEvent): void {
  // Of what is over no head is held.
  if (event.kind === 'over') for (const number of numbersOf(event)) if (emitted.has(number)) emitted.set(number, OVER);
  const number = numberOf(event);
  if (number === null) return;
  emitted.set(number, { of, copies });
  if (emitted.size > MAX_TOLD) emitted.delete(emitted.keys().next().value as number);
}

function placeOf({ exchange, first, last }: LegPiece): TranslatedCopy {
  return { connection: exchange.connection.name, capture: first.capture, frames: [first.frame, last.frame] };
}

function mend({ completedFromOtherLeg }: MergeState, exchange: Exchange, kind: LegPiece['kind']): void {
  const kinds = completedFromOtherLeg.get(exchange);
  if (kinds === undefined) completedFromOtherLeg.set(exchange, new Set([kind]));
  else kinds.add(kind);
}

function overOfMain(event: Over, { completedFromOtherLeg, group }: MergeState): MergedEvent {
  const { exchange } = event;
  const kinds = completedFromOtherLeg.get(exchange);
  completedFromOtherLeg.delete(exchange);
  const requestSeen = event.requestSeen || kinds?.has('request') === true;
  const responseSeen = event.responseSeen || kinds?.has('response') === true;
  return { event: { ...event, requestSeen, responseSeen }, of: exchange, path: group.path, copies: [] };
}

function overOfCopy(event: Over, { unmatched, originals, group }: MergeState): MergedEvent | null {
  const { exchange } = event;
  originals.delete(exchange);
  return unmatched.delete(exchange) ? { event, of: exchange, path: group.path, copies: [] } : null;
}

/** Its copies are not looked for any more. */
function drop(waiting: PendingPiece): void {
  const { open } = waiting.work;
  const at = open.indexOf(waiting);
  if (at >= 0) open.splice(at, 1);
}

/** ns of capture time in which a copy follows: microseconds on one host; across hosts what NTP leaves between clocks. */
const COPY_NS = 100_000_000n;
/** The same behind a proxy, which reads and sends as fast as either side does. */
const PROXIED_NS = 1_000_000_000n;
const NO_NUMBER = -1;
const OVER = 'over';
/** Requests and answers of one connection of which a later copy is known again, 40 bytes each. */
const MAX_TOLD = 1024;
/** Pieces of one connection whose copies may still come: what a fast connection says in COPY_NS. */
const MAX_OPEN = 1024;
/** Pieces behind one that waits for its copy: a second of a busy API server. */
const MAX_HELD = 10_000;
