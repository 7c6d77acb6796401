// Measures how long responses took, by kind of request: percentiles from histograms whose buckets grow by a fiftieth, so that memory
// does not grow with the capture. A watch's response is its head.

import { RecentMap } from '../core/collections/bounded.js';
import { requestWords } from '../diagram/verbs.js';
import type { Message, Protocol } from '../kubernetes/messages/message.js';

export interface LatencySummary {
  readonly protocol: Protocol;
  /** `list pods`, `create pods/binding`, `KV/Txn`, `GET`. */
  readonly request: string;
  readonly count: number;
  /** Milliseconds; percentiles are at most 2 % too high, `max` is exact. */
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
  /** `seq` of the slowest response, the first of them. */
  readonly message: number;
}

export class Latencies {
  /** By exchange: histogram of an open request. */
  readonly #open = new RecentMap<number, LatencyHistogram>(MAX_OPEN);
  readonly #kinds = new Map<string, LatencyHistogram>();
  /** Requests of kinds beyond the limit. */
  uncounted = 0;

  add(message: Message): void {
    if (message.kind === 'request') {
      const kind = this.#kindOf(message);
      if (kind !== null) this.#open.set(message.exchange, kind);
    } else if (message.kind === 'response') {
      const kind = this.#open.get(message.exchange);
      this.#open.delete(message.exchange);
      if (kind !== undefined && message.latencyMs !== undefined) kind.add(message.latencyMs, message.seq);
    }
  }

  /** Kinds on which most time was spent come first. */
  result(): LatencySummary[] {
    return [...this.#kinds.values()]
      .filter(({ count }) => count > 0)
      .sort((a, b) => b.total - a.total || (a.request < b.request ? -1 : 1))
      .map((kind) => kind.summary());
  }

  #kindOf(message: Message): LatencyHistogram | null {
    const request = requestWords(message);
    const key = `${message.protocol} ${request}`;
    const known = this.#kinds.get(key);
    if (known !== undefined) return known;
    if (this.#kinds.size >= MAX_KINDS) {
      this.uncounted += 1;
      return null;
    }
    const kind = new LatencyHistogram(message.protocol, request);
    this.#kinds.set(key, kind);
    return kind;
  }
}

class LatencyHistogram {
  readonly protocol: Protocol;
  readonly request: string;
  count = 0;
  total = 0;
  #max = 0;
  #slowest = 0;
  readonly #buckets = new Map<number, number>();

  constructor(protocol: Protocol, request: string) {
    this.protocol = protocol;
    this.request = request;
  }

  add(milliseconds: number, seq: number): void {
    // A response that began before the request ended took no time.
    const took = Math.max(milliseconds, SHORTEST_MS);
    this.count += 1;
    this.total += took;
    if (took > this.#max) {
      this.#max = took;
      this.#slowest = seq;
    }
    const bucket = Math.ceil(Math.log(took / SHORTEST_MS) / GROWTH);
    this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + 1);
  }

  summary(): LatencySummary {
    const sorted = [...this.#buckets].sort(([a], [b]) => a - b);
    const at = (share: number): number => {
      let left = Math.ceil(this.count * share);
      for (const [bucket, count] of sorted) {
        left -= count;
        if (left <= 0) return rounded(Math.min(SHORTEST_MS * Math.exp(bucket * GROWTH), this.#max));
      }
      return rounded(this.#max);
    };
    const { protocol, request, count } = this;
    return {
      protocol,
      request,
      count,
      p50: at(0.5),
      p90: at(0.9),
      p99: at(0.99),
      max: rounded(this.#max),
      message: this.#slowest,
    };
  }
}

function rounded(milliseconds: number): number {
  return Number(milliseconds.toPrecision(4));
}

const SHORTEST_MS = 0.001;
const GROWTH = Math.log(1.02);
/** Limit: kinds of requests that have a histogram of some kilobytes: verbs times resources of a cluster with many custom resources. */
const MAX_KINDS = 2000;
/** Limit: exchanges that are open at once, among them watches and lost responses. */
const MAX_OPEN = 65_536;
