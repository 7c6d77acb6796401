// Renders exchanges and watch events in Chrome's Trace Event Format ("Trace Event Format", the Chromium project), which ui.perfetto.dev
// and chrome://tracing open. It is JSON, and needs no encoder as Perfetto's own protobuf does.

import type { Message, Participant } from '../../kubernetes/messages/message.js';
import { jsonText } from '../escape/json-text.js';
import { formatTime } from '../time.js';
import {
  type Attributes,
  causesOutside,
  errorOf,
  exchangeAttributes,
  operationOf,
  originAttributes,
  partAttributes,
  type TraceOptions,
} from './attributes.js';
import { ExchangeTracker, type FoundCause, type TracedExchange } from './exchange-tracker.js';

/** A slice, once it is known where it begins. */
interface TraceSlice {
  readonly lane: Lane;
  /** ns since the first frame. */
  readonly start: number;
}

/** An exchange at its client and at its server; a part where it is received, alone. */
interface Place {
  readonly sender?: TraceSlice;
  readonly receiver: TraceSlice;
}

export class PerfettoWriter {
  readonly #options: TraceOptions;
  readonly #lanes = new LaneAllocator();
  /** Number of the process that a participant is, by its id when it was first seen: ids can be negative, and change. */
  readonly #processes = new Map<number, { readonly pid: number; readonly participant: Participant }>();
  readonly #tracker: ExchangeTracker<Place>;
  #flows = 0;
  #text: string;
  #separator = '\n';

  constructor(options: TraceOptions) {
    this.#options = options;
    const otherData = { creator: `kubeseq ${options.version}`, start: formatTime(options.first, 9) };
    this.#text = `{"displayTimeUnit":"ns","otherData":${jsonText(otherData)},"traceEvents":[`;
    this.#tracker = new ExchangeTracker<Place>({
      opened: (first, causes) => this.#opened(first, causes),
      closed: (exchange) => this.#closed(exchange),
      part: (message, _parent, causes) => this.#part(message, causes),
    });
  }

  /** Characters that can be taken. */
  get length(): number {
    return this.#text.length;
  }

  add(message: Message): void {
    this.#tracker.add(message);
  }

  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }

  /** After the last message, when all names are known. @returns what was not taken yet. */
  end(): string {
    this.#tracker.end();
    for (const { pid, participant } of this.#processes.values()) {
      this.#push({ ph: 'M', pid, tid: 0, name: 'process_name', args: { name: participant.name } });
      this.#push({ ph: 'M', pid, tid: 0, name: 'process_sort_index', args: { sort_index: pid } });
    }
    for (const { id: tid, pid, kind, number } of this.#lanes.all()) {
      this.#push({ ph: 'M', pid, tid, name: 'thread_name', args: { name: number === 1 ? kind : `${kind} ${number}` } });
      const sort_index = LANE_KINDS.indexOf(kind) * 1e6 + number;
      this.#push({ ph: 'M', pid, tid, name: 'thread_sort_index', args: { sort_index } });
    }
    this.#text += '\n]}\n';
    return this.take();
  }

  #opened(first: Message, causes: readonly FoundCause<Place>[]): Place {
    const isRequest = first.kind === 'request';
    const [client, server] = isRequest ? [first.from, first.to] : [first.to, first.from];
    const start = this.#offset(first.started);
    const isWatch = first.verb === 'watch';
    // The server works from the last byte of the request on.
    const place = {
      sender: this.#begin(client, isWatch ? 'watches' : 'sends', start),
      receiver: this.#begin(
        server,
        isWatch ? 'serves watches' : 'receives',
        isRequest ? this.#offset(first.time) : start,
      ),
    };
    this.#flow('request', place.sender, place.receiver);
    this.#causes(causes, first.from, place.sender);
    return place;
  }

  #closed(exchange: TracedExchange<Place>): void {
    const { first, response, end, parts, causes, ref } = exchange;
    const { sender, receiver } = ref;
    const args = { ...exchangeAttributes(exchange, this.#options), ...causeArgs(causes) };
    const name = operationOf(first);
    const cname = response !== undefined && errorOf(response) !== undefined ? 'terrible' : undefined;
    const last = this.#offset(end);
    // Of a response that later parts follow, the server is not done either.
    const sent = response === undefined || parts > 0 ? last : this.#offset(response.started);
    if (sender !== undefined) this.#slice(sender, last, { name, cat: first.protocol, cname, args });
    const args2 = { 'kubeseq.seq': first.seq, 'kubeseq.frames': first.frames };
    this.#slice(receiver, sent, { name, cat: first.protocol, cname, args: args2 });
  }

  #part(message: Message, causes: readonly FoundCause<Place>[]): Place {
    const start = this.#offset(message.started);
    const receiver = this.#begin(message.to, 'events', start);
    this.#causes(causes, message.from, receiver);
    const args = {
      ...partAttributes(message),
      ...originAttributes(message, this.#options.captures),
      ...causeArgs(causes),
    };
    this.#slice(receiver, this.#offset(message.time), { name: operationOf(message), cat: message.kind, args });
    return { receiver };
  }

  #begin(participant: Participant, kind: LaneKind, start: number): TraceSlice {
    return { lane: this.#lanes.take(this.#pidOf(participant), kind, start), start };
  }

  #pidOf(participant: Participant): number {
    const known = this.#processes.get(participant.id);
    if (known !== undefined) return known.pid;
    const pid = this.#processes.size + 1;
    this.#processes.set(participant.id, { pid, participant });
    return pid;
  }

  /** Viewers draw nothing that lasts no time: a message in one packet lasts for SHORTEST. */
  #slice({ lane, start }: TraceSlice, until: number, what: object): void {
    const end = Math.max(until, start + SHORTEST);
    this.#lanes.release(lane, end);
    this.#push({ ph: 'X', pid: lane.pid, tid: lane.id, ts: micros(start), dur: micros(end - start), ...what });
  }

  #causes(causes: readonly FoundCause<Place>[], actor: Participant, to: TraceSlice): void {
    const acting = this.#pidOf(actor);
    for (const { ref, how, alternative } of causes) {
      if (ref === undefined || alternative) continue;
      // From where the acting participant was concerned with the cause: what it sent, else what it received. By the clock of the capture
      // an effect can begin before its cause was received whole; no arrow leads back in time.
      const { sender, receiver } = ref;
      const isSender = sender !== undefined && sender.lane.pid === acting && receiver.lane.pid !== acting;
      const from = isSender || receiver.start > to.start ? sender : receiver;
      if (from !== undefined && from.start <= to.start) this.#flow(how, from, to);
    }
  }

  /** An arrow from slice to slice; both are bound by thread and time. */
  #flow(name: string, from: TraceSlice, to: TraceSlice): void {
    const id = ++this.#flows;
    const cat = name === 'request' ? 'request' : 'cause';
    this.#push({ ph: 's', id, name, cat, pid: from.lane.pid, tid: from.lane.id, ts: micros(from.start) });
    const ts = micros(to.start);
    this.#push({ ph: 'f', bp: 'e', id, name, cat, pid: to.lane.pid, tid: to.lane.id, ts });
  }

  #offset(ns: bigint): number {
    return ns > this.#options.first ? Number(ns - this.#options.first) : 0;
  }

  #push(event: object): void {
    this.#text += this.#separator + jsonText(event);
    this.#separator = ',\n';
  }
}

/** Every cause, also those without an arrow. */
function causeArgs(causes: readonly FoundCause<Place>[]): Attributes {
  if (causes.length === 0) return {};
  return {
    'kubeseq.caused_by': causes.map(({ seq }) => seq),
    'kubeseq.cause': causes[0].how,
    'kubeseq.cause_certain': causes[0].certain,
    'kubeseq.causes_outside': causesOutside(causes),
  };
}

/** The format's unit; a double has the nanoseconds of a hundred days. */
function micros(ns: number): number {
  return ns / 1000;
}

/** ns. */
const SHORTEST = 1000;

/** What the slices of a lane are, from top to bottom. Watches stand alone, as they last. */
export const LANE_KINDS = ['sends', 'receives', 'events', 'watches', 'serves watches'] as const;

export type LaneKind = (typeof LANE_KINDS)[number];

/** A thread in the trace. */
export interface Lane {
  /** Unique in the trace, also among the lanes of other processes. */
  readonly id: number;
  /** The process that its participant is in the trace. */
  readonly pid: number;
  readonly kind: LaneKind;
  /** From 1, among those of its process and kind. */
  readonly number: number;
  /** ns since the first frame: where its last slice ends. */
  end: number;
}

interface FreeLanes {
  readonly lanes: Lane[];
  /** How many there are, free or not. */
  count: number;
}

export class LaneAllocator {
  readonly #all: Lane[] = [];
  readonly #free = new Map<string, FreeLanes>();

  /** @param start ns since the first frame. @returns a lane without a slice at that time; its caller releases it. */
  take(pid: number, kind: LaneKind, start: number): Lane {
    const free = this.#freeOf(pid, kind);
    let best = -1;
    // Slices that began before others have ended came late: another lane may be free for them.
    for (let i = Math.max(0, free.lanes.length - MAX_TRIED); i < free.lanes.length; i++) {
      const { end, number } = free.lanes[i];
      if (end <= start && (best < 0 || number < free.lanes[best].number)) best = i;
    }
    if (best >= 0) return free.lanes.splice(best, 1)[0];
    const lane: Lane = { id: this.#all.length + 1, pid, kind, number: ++free.count, end: 0 };
    this.#all.push(lane);
    return lane;
  }

  /** @param end ns since the first frame: where its slice ends. */
  release(lane: Lane, end: number): void {
    lane.end = end;
    this.#freeOf(lane.pid, lane.kind).lanes.push(lane);
  }

  #freeOf(pid: number, kind: LaneKind): FreeLanes {
    const key = `${pid} ${kind}`;
    const known = this.#free.get(key);
    if (known !== undefined) return known;
    const none = { lanes: [], count: 0 };
    this.#free.set(key, none);
    return none;
  }

  all(): readonly Lane[] {
    return this.#all;
  }
}

/** Limit: free lanes that are tried for a slice, before it gets a new one: their number would cost as much as all else. */
const MAX_TRIED = 32;
