// Merges the copies of one message that was captured before and after address translation, or on both sides of a proxy that
// passes TLS through. A piece that only one leg has is emitted as it is.

import { RecentMap } from '../../../core/collections/bounded.js';
import { Fifo } from '../../../core/collections/fifo.js';
import { type Notice, type NoticeCode, notice } from '../../../core/notice.js';
import type { Origin } from '../../../core/origin.js';
import { counted } from '../../../core/quantity.js';
import type { Exchange, ExchangeEvent } from '../../../http/exchange-event.js';
import type { InitialSequenceNumbers, TlsEstablished } from '../../../tcp/stream-event.js';
import type { TranslatedCopy } from '../../messages/message.js';
import { ConnectionLegs, type Leg, type LegGroup, type LegPath } from './connection-legs.js';
import { completenessOf, idOf, idsOf, isSamePiece } from './same-piece.js';

/** An event that is emitted once, however many legs have it. */
export interface MergedEvent {
  readonly event: ExchangeEvent;
  /** The exchange that it belongs to: that of the main leg, though another leg may have it more complete. */
  readonly of: Exchange;
  /** null: its connection has one pair of addresses. */
  readonly path: LegPath | null;
  /** Its copies; grows where one comes after the event was emitted. */
  readonly copies: TranslatedCopy[];
}

export interface LegMergerOptions {
  readonly isService: (address: string) => boolean;
  /** Pieces of the main leg are emitted at once; their copies are added later. */
  readonly live: boolean;
}

type ExchangeEnd = Extract<ExchangeEvent, { kind: 'exchange-end' }>;
type LegPiece = Exclude<ExchangeEvent, ExchangeEnd>;

/** A piece whose copies may still come. */
interface PendingPiece {
  readonly event: LegPiece;
  readonly leg: Leg;
  readonly state: MergeState;
  readonly copies: TranslatedCopy[];
  /** Legs that have not had it so far. */
  readonly missing: Set<Leg>;
  /** A more complete copy. */
  better: LegPiece | null;
  /** It is a copy of another piece in the line. */
  isCopy: boolean;
}

/** The state of one group of legs. */
interface MergeState {
  readonly group: LegGroup;
  /** In the order of arrival. */
  readonly open: PendingPiece[];
  /** By exchange of another leg: that of the main leg. */
  readonly originals: Map<Exchange, Exchange>;
  /** Exchanges of the main leg that the server ended on the leg behind a proxy. */
  readonly endedByServer: Set<Exchange>;
  /** Exchanges of other legs that the main leg does not have. */
  readonly unmatched: Set<Exchange>;
  /** By exchange of the main leg: pieces that only another leg had. */
  readonly completedFromOtherLeg: Map<Exchange, Set<LegPiece['kind']>>;
  /** Pieces emitted last, by their number. */
  readonly emitted: Map<number, EmittedPiece>;
}

/** An emitted piece, whose copies may come at any time. */
type EmittedPiece = Pick<MergedEvent, 'of' | 'copies'> | typeof OVER;

/** An event in the line: ready, or waiting for its copies. */
interface MergeEntry {
  readonly event: ExchangeEvent;
  readonly leg: Leg | null;
  readonly state: MergeState | null;
  readonly pending: PendingPiece | null;
}

export class LegMerger {
  readonly #legs: ConnectionLegs;
  readonly #live: boolean;
  readonly #states = new WeakMap<LegGroup, MergeState>();
  readonly #line = new Fifo<MergeEntry>();
  readonly #translated = new DuplicateCounter('exchange.translated', 'translated');
  readonly #proxied = new DuplicateCounter('exchange.proxied', 'proxied');

  constructor({ isService, live }: LegMergerOptions) {
    this.#legs = new ConnectionLegs(isService);
    this.#live = live;
  }

  /** Of a connection, before its first piece. */
  onInitialSequenceNumbers(numbers: InitialSequenceNumbers): void {
    this.#legs.numbered(numbers);
  }

  /** Of a connection, before its first piece. */
  onTlsEstablished(session: TlsEstablished): void {
    this.#legs.secured(session);
  }

  /** @returns events that are ready, in order; null: the event itself, and no other is held. */
  feed(event: ExchangeEvent): readonly MergedEvent[] | null {
    const leg = isToProxy(event) ? undefined : this.#legs.of(event.exchange.connection);
    if (leg !== undefined) this.#take(event, leg, leg.group as LegGroup);
    else if (this.#line.length === 0) return null;
    else this.#line.push({ event, leg: null, state: null, pending: null });
    return this.#release(event.at.time);
  }

  /** @param now ns since the epoch. @returns events that need not wait any longer. */
  settle(now: bigint): readonly MergedEvent[] {
    return this.#release(now);
  }

  /** At `now` (ns), all events before the returned time have been emitted. */
  passedUntil(now: bigint): bigint {
    return this.#line.length === 0 ? now : this.#line.at(0).event.at.time;
  }

  end(): readonly MergedEvent[] {
    return this.#release(null);
  }

  /** Notices: `exchange.translated`, `exchange.proxied`. */
  notices(): readonly Notice[] {
    return [...this.#translated.notices(), ...this.#proxied.notices()];
  }

  #take(event: ExchangeEvent, leg: Leg, group: LegGroup): void {
    const state = this.#stateOf(group);
    if (event.kind === 'exchange-end') {
      this.#line.push({ event, leg, state, pending: null });
      return;
    }
    const emitted = state.emitted.get(idOf(event) ?? NO_NUMBER);
    if (emitted !== undefined) {
      if (emitted !== OVER) state.originals.set(event.exchange, emitted.of);
      this.#count(emitted === OVER ? null : emitted.copies, event, group);
      return;
    }
    const { open } = state;
    const delay = mergeDelayOf(group);
    while (open.length > MAX_OPEN || (open.length > 0 && open[0].event.at.time + delay < event.at.time)) open.shift();
    const candidates = open.filter(
      (pending) => pending.leg !== leg && pending.missing.has(leg) && isSamePiece(pending.event, event),
    );
    const original = candidates.find((candidate) => candidate.leg === group.main);
    if (original !== undefined) this.#addCopy(original, event, leg);
    else this.#wait(event, leg, state, leg === group.main ? candidates : []);
  }

  #stateOf(group: LegGroup): MergeState {
    let state = this.#states.get(group);
    if (state === undefined) {
      this.#counterOf(group).connection();
      state = {
        group,
        open: [],
        originals: new Map(),
        endedByServer: new Set(),
        unmatched: new Set(),
        completedFromOtherLeg: new Map(),
        emitted: new RecentMap(MAX_EMITTED),
      };
      this.#states.set(group, state);
    }
    return state;
  }

  /** @param earlier copies that came before. */
  #wait(event: LegPiece, leg: Leg, state: MergeState, earlier: readonly PendingPiece[]): void {
    const missing = new Set(state.group.legs.filter((other) => other !== leg));
    const pending: PendingPiece = { event, leg, state, copies: [], missing, better: null, isCopy: false };
    for (const copy of earlier) {
      // Of each leg the oldest.
      if (!missing.has(copy.leg)) continue;
      drop(copy);
      copy.isCopy = true;
      this.#addCopy(pending, copy.event, copy.leg);
    }
    if (missing.size > 0) state.open.push(pending);
    this.#line.push({ event, leg, state, pending });
  }

  #addCopy(of: PendingPiece, event: LegPiece, leg: Leg): void {
    of.missing.delete(leg);
    if (of.missing.size === 0) drop(of);
    of.state.originals.set(event.exchange, of.event.exchange);
    if (completenessOf(event) > completenessOf(of.better ?? of.event)) of.better = event;
    this.#count(of.copies, event, of.state.group);
  }

  #count(copies: TranslatedCopy[] | null, event: LegPiece, group: LegGroup): void {
    copies?.push(placeOf(event));
    this.#counterOf(group).copy(event.first);
  }

  #counterOf({ path }: LegGroup): DuplicateCounter {
    return path?.isProxied === true ? this.#proxied : this.#translated;
  }

  /** @param now ns; null: nothing more will come. */
  #release(now: bigint | null): readonly MergedEvent[] {
    const line = this.#line;
    const out: MergedEvent[] = [];
    let ready = 0;
    while (ready < line.length) {
      const entry = line.at(ready);
      if (entry.pending !== null && this.#mustWait(entry.pending, now) && line.length - ready <= MAX_HELD) break;
      const merged = mergedEventOf(entry);
      if (merged !== null) {
        out.push(merged);
        if (entry.state !== null) recordEmitted(entry.state, merged);
      }
      ready += 1;
    }
    if (ready > 0) line.take(ready);
    return out;
  }

  #mustWait({ event, leg, state, missing, isCopy }: PendingPiece, now: bigint | null): boolean {
    if (isCopy || missing.size === 0 || now === null || event.at.time + mergeDelayOf(state.group) <= now) return false;
    return !this.#live || leg !== state.group.main;
  }
}

/** A CONNECT ends at the proxy: its tunnel goes on, the request does not. */
function isToProxy({ exchange: { request } }: ExchangeEvent): boolean {
  return request?.method === 'CONNECT';
}

/** ns of capture time in which a copy follows. */
function mergeDelayOf({ path }: LegGroup): bigint {
  return path?.isProxied === true ? PROXIED_NS : COPY_NS;
}

/** null: a copy of another event. */
function mergedEventOf({ event, leg, state, pending }: MergeEntry): MergedEvent | null {
  const { exchange } = event;
  if (state === null) return { event, of: exchange, path: null, copies: [] };
  const { path, main } = state.group;
  if (event.kind === 'exchange-end') return leg === main ? overOfMain(event, state) : overOfCopy(event, state);
  const copies = pending?.copies ?? [];
  if (leg === main) {
    const better = pending?.better ?? null;
    if (better === null) return { event, of: exchange, path, copies };
    addCompleted(state, exchange, better.kind);
    const others = copies.filter(({ connection }) => connection !== better.exchange.connection.name);
    return { event: better, of: exchange, path, copies: [placeOf(event), ...others] };
  }
  if (pending === null || pending.isCopy) return null;
  // The main leg does not have it.
  drop(pending);
  const original = state.originals.get(exchange);
  if (original === undefined) state.unmatched.add(exchange);
  else addCompleted(state, original, event.kind);
  return { event, of: original ?? exchange, path, copies };
}

function recordEmitted({ emitted }: MergeState, { event, of, copies }: MergedEvent): void {
  // The heads of an exchange that has ended are released.
  if (event.kind === 'exchange-end')
    for (const number of idsOf(event)) if (emitted.has(number)) emitted.set(number, OVER);
  const number = idOf(event);
  if (number === null) return;
  emitted.set(number, { of, copies });
}

function placeOf({ exchange, first, last }: LegPiece): TranslatedCopy {
  return { connection: exchange.connection.name, capture: first.capture, frames: [first.frame, last.frame] };
}

function addCompleted({ completedFromOtherLeg }: MergeState, exchange: Exchange, kind: LegPiece['kind']): void {
  const kinds = completedFromOtherLeg.get(exchange);
  if (kinds === undefined) completedFromOtherLeg.set(exchange, new Set([kind]));
  else kinds.add(kind);
}

function overOfMain(event: ExchangeEnd, { completedFromOtherLeg, endedByServer, group }: MergeState): MergedEvent {
  const { exchange, cut } = event;
  const kinds = completedFromOtherLeg.get(exchange);
  completedFromOtherLeg.delete(exchange);
  const requestSeen = event.requestSeen || kinds?.has('request') === true;
  const responseSeen = event.responseSeen || kinds?.has('response') === true;
  // Behind a proxy, the server's own end comes before the proxy passes it on.
  const isProxys = cut?.by === 'server' && group.path?.isProxied === true && !endedByServer.delete(exchange);
  const over = { ...event, requestSeen, responseSeen, ...(isProxys ? { cut: { ...cut, isProxys } } : null) };
  return { event: over, of: exchange, path: group.path, copies: [] };
}

function overOfCopy(
  event: ExchangeEnd,
  { unmatched, originals, endedByServer, group }: MergeState,
): MergedEvent | null {
  const { exchange } = event;
  const original = originals.get(exchange);
  if (original !== undefined && event.cut?.by === 'server') endedByServer.add(original);
  originals.delete(exchange);
  return unmatched.delete(exchange) ? { event, of: exchange, path: group.path, copies: [] } : null;
}

/** Its copies are not waited for any more. */
function drop(pending: PendingPiece): void {
  const { open } = pending.state;
  const at = open.indexOf(pending);
  if (at >= 0) open.splice(at, 1);
}

/** Counts copies of messages on further legs, for one notice. */
class DuplicateCounter {
  readonly #code: NoticeCode;
  readonly #word: string;
  #connections = 0;
  #copies = 0;
  #first: Origin | null = null;

  /** @param word for the connections in the notice's text. */
  constructor(code: NoticeCode, word: string) {
    this.#code = code;
    this.#word = word;
  }

  connection(): void {
    this.#connections += 1;
  }

  copy(first: Origin): void {
    this.#copies += 1;
    this.#first ??= first;
  }

  /** One, if there were copies. */
  notices(): readonly Notice[] {
    if (this.#first === null) return [];
    const messages = `${counted(this.#copies, 'message was', 'messages were')} seen again`;
    const connections = `${this.#connections} ${this.#word} ${this.#connections === 1 ? 'connection' : 'connections'}`;
    return [notice(this.#code, `${messages} on ${connections}`, { origin: this.#first })];
  }
}

/** Limit in ns: capture time in which a copy of a message follows: microseconds on one host; across hosts what NTP leaves between clocks. */
const COPY_NS = 100_000_000n;
/** Limit in ns: the same behind a proxy, which reads and sends as fast as either side does. */
const PROXIED_NS = 1_000_000_000n;
const NO_NUMBER = -1;
const OVER = 'exchange-end';
/** Limit: requests and responses of one connection of which a later copy is recognised, 40 bytes each. */
const MAX_EMITTED = 1024;
/** Limit: messages of one connection whose copies may still come: what a fast connection sends in `COPY_NS`. */
const MAX_OPEN = 1024;
/** Limit: messages behind one that waits for its copy: a second of a busy API server. */
const MAX_HELD = 10_000;
