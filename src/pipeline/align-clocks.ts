// Compares the clocks of several captures by packets or saved exchanges that more than one capture holds, and finds to which host each
// loopback belongs.

import type { Frame } from '../capture/frame.js';
import { RecentMap } from '../core/collections/bounded.js';
import { appendTo } from '../core/collections/multimap.js';
import { entryOf } from '../core/collections/series-table.js';
import { type Notice, notice } from '../core/notice.js';
import type { Origin } from '../core/origin.js';
import type { Message } from '../kubernetes/messages/message.js';
import { type CommonPacket, CommonPackets } from '../packet/common-packets.js';
import { HostAddresses } from '../packet/host-addresses.js';
import { packetDecoder } from '../packet/packet-decoder.js';
import type { Segment } from '../packet/segment.js';
import { absolute, SkewEstimate } from '../packet/skew.js';
import { isInflateError } from '../platform/compression.js';
import { redactionOf } from '../redaction/redaction.js';
import { savedReader } from '../saved/read.js';
import { type CaptureBytes, open, readItems } from './capture-bytes.js';

/** The captures of one clock: a file, or several that follow each other. */
export interface Clock {
  /** The captures in their order, each with its number among all captures. They are read a second time later. */
  readonly captures: readonly { readonly capture: number; readonly bytes: () => CaptureBytes }[];
}

export interface ClockAlignment {
  /** ns to add to the times of each clock, so that they agree with the first clock comparable with it. */
  readonly shifts: readonly bigint[];
  /** By clock: an address of the host whose loopback was captured; null if unknown or if there is none. */
  readonly hosts: readonly (string | null)[];
  /** capture.clock-skew for each corrected clock, capture.clock-unknown for each that could not be compared. */
  readonly notices: readonly Notice[];
}

/**
 * Compares clocks by packets that were captured at two places. It reads the captures until it has found some hundred such packets, but
 * at most COMPARED_BYTES of each clock (COMPARED_SAVED_BYTES of saved messages), and up to MORE_CHUNKS more while the host of a loopback
 * is unknown. At most MAX_SIDE_BY_SIDE clocks are read side by side; with more clocks, each gets a share of these bytes.
 */
export async function alignClocks(clocks: readonly Clock[]): Promise<ClockAlignment> {
  if (clocks.length < 2) return { shifts: clocks.map(() => 0n), hosts: clocks.map(() => null), notices: [] };
  const comparison = new ClockComparison(clocks.length);
  const share = Math.min(1, MAX_SIDE_BY_SIDE / clocks.length);
  let open: { readonly place: number; readonly items: AsyncGenerator<void> }[] = [];
  let next = 0;
  try {
    for (;;) {
      for (; open.length < MAX_SIDE_BY_SIDE && next < clocks.length; next++)
        open.push({ place: next, items: segmentBatches(clocks[next], next, comparison, share) });
      if (open.length === 0) break;
      // One chunk of each in turn, as captures of the same time share packets early.
      const unfinished: typeof open = [];
      for (const reader of open)
        if (comparison.wants(reader.place) && (await reader.items.next()).done !== true) unfinished.push(reader);
        else await reader.items.return(undefined);
      open = unfinished;
    }
  } finally {
    for (const { items } of open) await items.return(undefined);
  }
  return comparison.result();
}

/** Feeds one clock's packets, a chunk for each step. @param share of COMPARED_BYTES to read. */
async function* segmentBatches(
  clock: Clock,
  place: number,
  comparison: ClockComparison,
  share: number,
): AsyncGenerator<void> {
  const { captures } = clock;
  let length = 0;
  for (const { capture, bytes } of captures) {
    const opened = await open(bytes());
    if (opened.content !== 'packets') {
      yield* savedBatches(opened.bytes, capture, place, comparison, share);
      continue;
    }
    const decoder = packetDecoder();
    for await (const items of readItems(opened.bytes, capture)) {
      for (const item of items) {
        if (item.kind !== 'frame') continue;
        length += item.data.length;
        if (item.digits === 9) comparison.hasNanoseconds(place);
        for (const segment of decoder.feed(item)) if (segment.kind === 'segment') comparison.feed(place, item, segment);
      }
      yield;
      if (length > COMPARED_BYTES * share) return;
    }
  }
}

async function* savedBatches(
  bytes: CaptureBytes,
  capture: number,
  place: number,
  comparison: ClockComparison,
  share: number,
): AsyncGenerator<void> {
  // All captures in one file have the same clock: they were aligned when the file was written.
  const reader = savedReader({ capture, nextCapture: () => capture, redaction: redactionOf() });
  let length = 0;
  try {
    for await (const chunk of bytes) {
      length += chunk.length;
      for (const item of reader.feed(chunk)) if (item.kind === 'message') comparison.message(place, item.message);
      yield;
      if (length > COMPARED_SAVED_BYTES * share) return;
    }
  } catch (error) {
    // Reading the messages later reports the damage.
    if (!isInflateError(error)) throw error;
  }
}

/** Common packets and exchanges so far, by pairs of places. */
class ClockComparison {
  readonly #places: number;
  readonly #packets = new CommonPackets();
  readonly #exchanges = new CommonExchanges();
  readonly #savedPlaces = new Set<number>();
  readonly #pairs = new Map<string, { readonly a: number; readonly b: number; readonly estimate: SkewEstimate }>();
  /** Of each place the first packet, and the first that another place has too. */
  readonly #firsts = new Map<number, Origin>();
  readonly #common = new Map<number, Origin>();
  readonly #nanoseconds = new Set<number>();
  readonly #hosts = new HostAddresses();
  /** Chunks of each place that were read after all clocks were comparable. */
  readonly #moreChunks = new Map<number, number>();
  #isSettled = false;
  /** Common packets were found since the last check for enough of them. */
  #hasMore = false;

  constructor(places: number) {
    this.#places = places;
  }

  hasNanoseconds(place: number): void {
    this.#nanoseconds.add(place);
  }

  feed(place: number, frame: Frame, segment: Segment): void {
    if (!this.#firsts.has(place)) this.#firsts.set(place, segment.origin);
    this.#hosts.feed(place, frame, segment);
    if (this.#isSettled) return;
    const found = this.#packets.feed(place, segment);
    if (found !== null) this.#add(found);
  }

  message(place: number, message: Message): void {
    this.#savedPlaces.add(place);
    if (!this.#firsts.has(place)) {
      this.#firsts.set(place, { capture: message.capture, frame: message.frames[0], time: message.time });
    }
    for (const found of this.#exchanges.feed(place, message)) this.#add(found);
  }

  #add(found: CommonPacket): void {
    const key = `${found.a} ${found.b}`;
    const pair = entryOf(this.#pairs, key, () => ({ a: found.a, b: found.b, estimate: new SkewEstimate() }));
    pair.estimate.add(found);
    if (!this.#common.has(found.a)) this.#common.set(found.a, found.atA);
    if (!this.#common.has(found.b)) this.#common.set(found.b, found.atB);
    this.#hasMore = true;
  }

  /** Whether more of a place should be read. */
  wants(place: number): boolean {
    this.#settle();
    if (!this.#isSettled) return true;
    const more = this.#moreChunks.get(place) ?? 0;
    this.#moreChunks.set(place, more + 1);
    return more < MORE_CHUNKS && this.#hosts.isOpen(place);
  }

  /** Settled once enough common packets connect every place with the first. */
  #settle(): void {
    if (!this.#hasMore) return;
    this.#hasMore = false;
    const settled = [...this.#pairs.values()].filter(({ estimate }) => estimate.isSettled);
    this.#isSettled = walk(0, byPlace(settled)).length === this.#places - 1;
  }

  result(): ClockAlignment {
    const found = [...this.#pairs.values()]
      .map(({ a, b, estimate }) => ({ a, b, skew: estimate.result() }))
      .filter((edge) => edge.skew !== null)
      .sort((x, y) => y.skew!.packets - x.skew!.packets);
    const edges = byPlace(found);
    const shifts = new Array<bigint>(this.#places).fill(0n);
    /** Errors add up along the steps from clock to clock. */
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
    return { shifts, hosts: shifts.map((_, place) => this.#hosts.of(place)), notices };
  }

  #where(place: number): { readonly origin?: Origin } {
    const origin = this.#common.get(place) ?? this.#firsts.get(place);
    return origin === undefined ? {} : { origin };
  }
}

/** The edges of each place, in their order. */
function byPlace<E extends { readonly a: number; readonly b: number }>(edges: readonly E[]): Map<number, E[]> {
  const found = new Map<number, E[]>();
  for (const edge of edges) {
    for (const place of [edge.a, edge.b]) {
      appendTo(found, place, edge);
    }
  }
  return found;
}

/** The places reachable from `start`, nearest first, each with the edge that leads to it. */
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
      // Iterating a Set that grows visits the new members too: breadth first.
      seen.add(place);
      steps.push({ place, from, edge });
    }
  }
  return steps;
}

/** Rounded to µs, so that the times of a µs capture keep their precision. */
function microseconds(ns: bigint): bigint {
  return ((ns + (ns < 0n ? -500n : 500n)) / 1000n) * 1000n;
}

function seconds(ns: bigint): string {
  const text = ns.toString().padStart(10, '0');
  return `${text.slice(0, -9)}.${text.slice(-9)}`.replace(/000$/, '');
}

const UNKNOWN = 'it has no packet of those before it; their clocks are taken to agree';
/**
 * Limit: clocks that are compared side by side, of more a share of the bytes below is read; each holds a chunk of its capture in
 * memory, and a file open.
 */
const MAX_SIDE_BY_SIDE = 32;
/**
 * Limit in bytes: packets of one clock that are read to compare clocks, a second's work: captures that share connections share them
 * early.
 */
const COMPARED_BYTES = 1_073_741_824;
/** Limit in bytes: the same for a file of saved messages: some 100,000 of them, also a second's work. */
const COMPARED_SAVED_BYTES = 67_108_864;
/** Limit: chunks of a capture that are read only to find the host of its loopback. */
const MORE_CHUNKS = 16;

/**
 * Finds exchanges that two files of saved messages hold, by their Audit-Id, which the API server creates for each exchange. Each gives
 * two common packets for a pair of places: the request, from client to server, and the response.
 */
class CommonExchanges {
  readonly #requests = new RecentMap<string, Origin>(MAX_KEPT);
  readonly #responses = new RecentMap<string, SavedExchange>(MAX_KEPT);

  feed(place: number, message: Message): readonly CommonPacket[] {
    const { kind, exchange, auditId, connection, stream } = message;
    const requestKey = `${place} ${exchange}`;
    if (kind === 'request') {
      this.#requests.set(requestKey, originOf(message));
      return [];
    }
    if (kind !== 'response') return [];
    const request = this.#requests.get(requestKey);
    this.#requests.delete(requestKey);
    if (auditId === undefined || request === undefined) return [];
    const key = `${connection} ${stream} ${auditId}`;
    const first = this.#responses.get(key);
    const response = originOf(message);
    if (first === undefined) {
      this.#responses.set(key, { place, request, response, matched: [] });
      return [];
    }
    if (first.place === place || first.matched.includes(place)) return [];
    first.matched.push(place);
    const between = { a: first.place, b: place, hosts: connection.replace(/:\d+(?=-|$)/g, '') };
    return [
      { ...between, atA: first.request, atB: request, onward: true },
      { ...between, atA: first.response, atB: response, onward: false },
    ];
  }
}

interface SavedExchange {
  readonly place: number;
  readonly request: Origin;
  readonly response: Origin;
  readonly matched: number[];
}

function originOf({ capture, frames, time }: Message): Origin {
  return { capture, frame: frames[1], time };
}

/** Limit: requests, and responses, remembered to find those of two files: minutes of a busy API server, in some 20 MB. */
const MAX_KEPT = 65_536;
