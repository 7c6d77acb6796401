// A first look at several captures: how far apart their clocks are, by the packets or the saved exchanges that more than one
// of them holds, and whose their loopbacks are. Knows how to pull; what the differences mean is packet/skew.ts's, what tells an
// own address packet/host-addresses.ts's, and where the bytes come from the caller's business.

import type { Frame } from '../capture/frame.js';
import { type Notice, notice } from '../core/notice.js';
import type { Origin } from '../core/origin.js';
import type { Message } from '../kubernetes/messages/message.js';
import { type CommonPacket, CommonPackets } from '../packet/common-packets.js';
import { HostAddresses } from '../packet/host-addresses.js';
import { packetDecoder } from '../packet/packet-decoder.js';
import type { Segment } from '../packet/segment.js';
import { absolute, SkewEstimate } from '../packet/skew.js';
import { redactionOf } from '../redaction/redaction.js';
import { savedReader } from '../saved/read.js';
import { type CaptureBytes, isInflateError, open, readItems } from './capture-bytes.js';
import { SavedSightings } from './saved-exchanges.js';

/** What one clock stamped: a capture file, or several that follow each other. */
export interface Clock {
  /** The captures in their order, each with its number among all captures. They can be read a second time. */
  readonly captures: readonly { readonly capture: number; readonly bytes: () => CaptureBytes }[];
}

export interface FirstLook {
  /** ns to add to every time of each clock, so that all agree with the first one that they can be compared with. */
  readonly shifts: readonly bigint[];
  /** By clock: an address of the host on whose loopback its loopback connections are; null: not known, or there are none. */
  readonly hosts: readonly (string | null)[];
  /** capture.clock-skew for each clock that was corrected, capture.clock-unknown for what could not be compared. */
  readonly notices: readonly Notice[];
}

/**
 * Compares clocks by packets that were captured at two places: reads as much of the captures as it takes to find some
 * hundred of them, at most FIRST_LOOK bytes of each clock (FIRST_LOOK_SAVED of saved messages), and up to MORE_CHUNKS beyond where
 * that does not tell whose a loopback is. Of more than MAX_SIDE_BY_SIDE clocks so many are read side by side, and of each a share of
 * these bytes. Memory is bounded by Sightings.
 */
export async function firstLook(clocks: readonly Clock[]): Promise<FirstLook> {
  if (clocks.length < 2) return { shifts: clocks.map(() => 0n), hosts: clocks.map(() => null), notices: [] };
  const look = new Look(clocks.length);
  const share = Math.min(1, MAX_SIDE_BY_SIDE / clocks.length);
  let open: { readonly place: number; readonly items: AsyncGenerator<void> }[] = [];
  let next = 0;
  try {
    for (;;) {
      for (; open.length < MAX_SIDE_BY_SIDE && next < clocks.length; next++)
        open.push({ place: next, items: segmentBatches(clocks[next], next, look, share) });
      if (open.length === 0) break;
      // A piece of each in turn: captures of one time meet early.
      const going: typeof open = [];
      for (const reader of open)
        if (look.wants(reader.place) && (await reader.items.next()).done !== true) going.push(reader);
        else await reader.items.return(undefined);
      open = going;
    }
  } finally {
    for (const { items } of open) await items.return(undefined);
  }
  return look.result();
}

/**
 * Feeds one clock's packets, a chunk for each step.
 * @param share of the bytes that are looked at: 1 where few clocks are compared.
 */
async function* segmentBatches(clock: Clock, place: number, look: Look, share: number): AsyncGenerator<void> {
  const { captures } = clock;
  let length = 0;
  for (const { capture, bytes } of captures) {
    const opened = await open(bytes());
    if (opened.isSaved) {
      yield* savedBatches(opened.bytes, capture, place, look, share);
      continue;
    }
    const decoder = packetDecoder();
    for await (const items of readItems(opened.bytes, capture)) {
      for (const item of items) {
        if (item.kind !== 'frame') continue;
        length += item.data.length;
        if (item.digits === 9) look.nanoseconds(place);
        for (const segment of decoder.feed(item)) if (segment.kind === 'segment') look.feed(place, item, segment);
      }
      yield;
      if (length > FIRST_LOOK * share) return;
    }
  }
}

async function* savedBatches(
  bytes: CaptureBytes,
  capture: number,
  place: number,
  look: Look,
  share: number,
): AsyncGenerator<void> {
  // Further captures that a file tells of have its clock: it was made of what was corrected.
  const reader = savedReader({ capture, nextCapture: () => capture, redaction: redactionOf() });
  let length = 0;
  try {
    for await (const chunk of bytes) {
      length += chunk.length;
      for (const item of reader.feed(chunk)) if (item.kind === 'message') look.message(place, item.message);
      yield;
      if (length > FIRST_LOOK_SAVED * share) return;
    }
  } catch (error) {
    // It is told when the messages are read.
    if (!isInflateError(error)) throw error;
  }
}

/** Everything found so far, by pairs of places. */
class Look {
  readonly #places: number;
  readonly #sightings = new CommonPackets();
  readonly #saved = new SavedSightings();
  readonly #savedPlaces = new Set<number>();
  readonly #pairs = new Map<string, { readonly a: number; readonly b: number; readonly estimate: SkewEstimate }>();
  /** The first packet of each place, and the first that another saw too. */
  readonly #firsts = new Map<number, Origin>();
  readonly #common = new Map<number, Origin>();
  readonly #nanoseconds = new Set<number>();
  readonly #own = new HostAddresses();
  /** Chunks of each place since the clocks are known, as far as they can be. */
  readonly #more = new Map<number, number>();
  #isSettled = false;
  /** Packets were found since it was last asked whether there are enough. */
  #hasMore = false;

  constructor(places: number) {
    this.#places = places;
  }

  nanoseconds(place: number): void {
    this.#nanoseconds.add(place);
  }

  feed(place: number, frame: Frame, segment: Segment): void {
    if (!this.#firsts.has(place)) this.#firsts.set(place, segment.origin);
    this.#own.feed(place, frame, segment);
    if (this.#isSettled) return;
    const found = this.#sightings.feed(place, segment);
    if (found !== null) this.#add(found);
  }

  message(place: number, message: Message): void {
    this.#savedPlaces.add(place);
    if (!this.#firsts.has(place)) {
      this.#firsts.set(place, { capture: message.capture, frame: message.frames[0], time: message.time });
    }
    for (const found of this.#saved.feed(place, message)) this.#add(found);
  }

  #add(found: CommonPacket): void {
    const key = `${found.a} ${found.b}`;
    let pair = this.#pairs.get(key);
    if (pair === undefined) {
      pair = { a: found.a, b: found.b, estimate: new SkewEstimate() };
      this.#pairs.set(key, pair);
    }
    pair.estimate.add(found);
    if (!this.#common.has(found.a)) this.#common.set(found.a, found.atA);
    if (!this.#common.has(found.b)) this.#common.set(found.b, found.atB);
    this.#hasMore = true;
  }

  /** More of a place would tell more. */
  wants(place: number): boolean {
    this.#settle();
    if (!this.#isSettled) return true;
    const more = this.#more.get(place) ?? 0;
    this.#more.set(place, more + 1);
    return more < MORE_CHUNKS && this.#own.isOpen(place);
  }

  /** Whether every place can be compared with the first, by as many packets as are asked for. */
  #settle(): void {
    if (!this.#hasMore) return;
    this.#hasMore = false;
    const settled = [...this.#pairs.values()].filter(({ estimate }) => estimate.isSettled);
    this.#isSettled = walk(0, byPlace(settled)).length === this.#places - 1;
  }

  result(): FirstLook {
    const found = [...this.#pairs.values()]
      .map(({ a, b, estimate }) => ({ a, b, skew: estimate.result() }))
      .filter((edge) => edge.skew !== null)
      .sort((x, y) => y.skew!.packets - x.skew!.packets);
    const edges = byPlace(found);
    const shifts = new Array<bigint>(this.#places).fill(0n);
    /** Each step of a way from clock to clock adds what it does not know. */
    const errors = new Array<bigint>(this.#places).fill(0n);
    const notices: Notice[] = [];
    const known = new Set<number>();
    for (let start = 0; start < this.#places; start++) {
      if (known.has(start)) continue;
      if (start > 0) notices.push(notice('capture.clock-unknown', UNKNOWN, this.#where(start)));
      for (const { place, from, edge } of walk(start, edges)) {
        known.add(place);
        const { ahead, error, packets } = edge.skew!;
        const shift = shifts[from] + (edge.b === place ? -ahead : ahead);
        shifts[place] = this.#nanoseconds.has(place) ? shift : microseconds(shift);
        errors[place] = errors[from] + error + absolute(shifts[place] - shift);
        if (shifts[place] === 0n) continue;
        const isSaved = this.#savedPlaces.has(place);
        const by = `${seconds(absolute(shifts[place]))} s ${shifts[place] < 0n ? 'ahead' : 'behind'}`;
        const detail = `${by}, ±${seconds(((errors[place] + 999n) / 1000n) * 1000n)} s, by ${packets} ${isSaved ? 'saved messages' : 'packets'}`;
        notices.push(notice('capture.clock-skew', detail, this.#where(place)));
      }
    }
    return { shifts, hosts: shifts.map((_, place) => this.#own.of(place)), notices };
  }

  #where(place: number): { readonly origin?: Origin } {
    const origin = this.#common.get(place) ?? this.#firsts.get(place);
    return origin === undefined ? {} : { origin };
  }
}

/** Of each place the edges that begin or end there, in their order. */
function byPlace<E extends { readonly a: number; readonly b: number }>(edges: readonly E[]): Map<number, E[]> {
  const found = new Map<number, E[]>();
  for (const edge of edges) {
    for (const place of [edge.a, edge.b]) {
      const same = found.get(place);
      if (same === undefined) found.set(place, [edge]);
      else same.push(edge);
    }
  }
  return found;
}

/** The places that can be reached from `start`, nearest first, each with the edge that led to it. */
function walk<E extends { readonly a: number; readonly b: number }>(
  start: number,
  edges: ReadonlyMap<number, readonly E[]>,
): { readonly place: number; readonly from: number; readonly edge: E }[] {
  const seen = new Set([start]);
  const steps: { place: number; from: number; edge: E }[] = [];
  for (const from of seen) {
    for (const edge of edges.get(from) ?? []) {
      const place = edge.a === from ? edge.b : edge.a;
      if (seen.has(place)) continue;
      // A Set that grows is walked to its new end: breadth first.
      seen.add(place);
      steps.push({ place, from, edge });
    }
  }
  return steps;
}

/** To the µs, so that times of a µs capture stay such. */
function microseconds(ns: bigint): bigint {
  return ((ns + (ns < 0n ? -500n : 500n)) / 1000n) * 1000n;
}

function seconds(ns: bigint): string {
  const text = ns.toString().padStart(10, '0');
  return `${text.slice(0, -9)}.${text.slice(-9)}`.replace(/000$/, '');
}

const UNKNOWN = 'it has no packet of those before it; their clocks are taken to agree';
/** Clocks that are read side by side; each has a chunk of its capture in memory, and a file open. */
const MAX_SIDE_BY_SIDE = 32;
/** Bytes of packets of one clock that are looked at: a second's work. Who shares connections shares them early. */
const FIRST_LOOK = 1_073_741_824;
/** The same of a file of saved messages: some 100,000 of them, a second's work too. */
const FIRST_LOOK_SAVED = 67_108_864;
/** Chunks of a capture that are read only to learn whose its loopback is. */
const MORE_CHUNKS = 16;
