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

/**
 * A slice of a participant's track. A track has the name of the first slice with an id, and all slices of that id; slices of one name share
 * a track (Perfetto, track_compressor.cc: InternLegacyAsyncTrack).
 */
interface TraceSlice {
  readonly pid: number;
  /** Of the exchange whose slice it is, or lies in. */
  readonly id: string;
  /** What follows from it binds to this. */
  readonly flow: string;
  readonly name: string;
  readonly cat: string;
  /** ns since the first frame. */
  readonly start: number;
  /** The same: until here parts lie in it. */
  end: number;
}

export class PerfettoWriter {
  readonly #options: TraceOptions;
  /** Number of the process that a participant is, by its id when it was first seen: ids can be negative, and change. */
  readonly #processes = new Map<number, { readonly pid: number; readonly participant: Participant }>();
  readonly #tracker: ExchangeTracker<TraceSlice>;
  #text: string;
  #separator = '\n';

  constructor(options: TraceOptions) {
    this.#options = options;
    const otherData = { creator: `kubeseq ${options.version}`, start: formatTime(options.first, 9) };
    this.#text = `{"displayTimeUnit":"ns","otherData":${jsonText(otherData)},"traceEvents":[`;
    this.#tracker = new ExchangeTracker<TraceSlice>({
      opened: (first, causes) => this.#opened(first, causes),
      closed: (exchange) => this.#closed(exchange),
      part: (message, parent, causes) => this.#part(message, parent, causes),
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
    this.#text += '\n]}\n';
    return this.take();
  }

  #opened(first: Message, causes: readonly FoundCause<TraceSlice>[]): TraceSlice {
    const slice = this.#sliceOf(first, first.kind === 'request' ? first.from : first.to, operationOf(first));
    this.#begin(slice);
    this.#causes(causes, slice);
    return slice;
  }

  #closed(exchange: TracedExchange<TraceSlice>): void {
    const { response, causes, ref } = exchange;
    ref.end = Math.max(this.#offset(exchange.end), ref.end, ref.start + SHORTEST);
    const cname = response !== undefined && errorOf(response) !== undefined ? 'terrible' : undefined;
    this.#end(ref, { cname, args: { ...exchangeAttributes(exchange, this.#options), ...causeArgs(causes) } });
  }

  /** Parts of an exchange follow each other in its slice. Those of one that began before the capture have a slice around each. */
  #part(message: Message, parent: TraceSlice | undefined, causes: readonly FoundCause<TraceSlice>[]): TraceSlice {
    const around = parent ?? this.#sliceOf(message, message.to, operationOf({ ...message, kind: 'request' }));
    if (parent === undefined) this.#begin(around);
    const flow = idOf(message);
    const start = Math.max(this.#offset(message.started), around.end);
    const end = Math.max(this.#offset(message.time), start + SHORTEST);
    const part = { ...around, flow, name: operationOf(message), cat: message.kind, start, end };
    this.#begin(part, parent === undefined ? {} : { bind_id: flow, flow_out: true });
    this.#causes(causes, part);
    const args = {
      ...partAttributes(message),
      ...originAttributes(message, this.#options.captures),
      ...causeArgs(causes),
    };
    this.#end(part, { args });
    around.end = end;
    if (parent === undefined) this.#end(around, {});
    return part;
  }

  #sliceOf(message: Message, participant: Participant, name: string): TraceSlice {
    const [id, start] = [idOf(message), this.#offset(message.started)];
    return { pid: this.#pidOf(participant), id, flow: id, name, cat: message.protocol, start, end: start };
  }

  #pidOf(participant: Participant): number {
    const known = this.#processes.get(participant.id);
    if (known !== undefined) return known.pid;
    const pid = this.#processes.size + 1;
    this.#processes.set(participant.id, { pid, participant });
    return pid;
  }

  #begin(slice: TraceSlice, flows: object = { bind_id: slice.flow, flow_out: true }): void {
    this.#async('b', slice, slice.start, flows);
  }

  #end(slice: TraceSlice, what: object): void {
    this.#async('e', slice, slice.end, what);
  }

  /** An arrow from each cause to a mark at the beginning of what follows from it: an event has one id to be bound by. */
  #causes(causes: readonly FoundCause<TraceSlice>[], to: TraceSlice): void {
    for (const { ref, how, alternative } of causes) {
      // By the clock of the capture an effect can begin before its cause; no arrow leads back in time.
      if (ref === undefined || alternative || ref.start > to.start) continue;
      this.#async('n', { ...to, name: how, cat: 'cause' }, to.start, { bind_id: ref.flow, flow_in: true });
    }
  }

  #async(ph: 'b' | 'n' | 'e', { pid, id, name, cat }: TraceSlice, at: number, more: object): void {
    this.#push({ ph, pid, tid: pid, id2: { local: id }, name, cat, ts: micros(at), ...more });
  }

  #offset(ns: bigint): number {
    return ns > this.#options.first ? Number(ns - this.#options.first) : 0;
  }

  #push(event: object): void {
    this.#text += this.#separator + jsonText(event);
    this.#separator = ',\n';
  }
}

function idOf({ seq }: Message): string {
  return `0x${seq.toString(16)}`;
}

/** Every cause, also those without an arrow. */
function causeArgs(causes: readonly FoundCause<TraceSlice>[]): Attributes {
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

/** ns: viewers draw nothing that lasts no time. */
const SHORTEST = 1000;
