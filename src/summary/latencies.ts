// Measures how long responses took, by kind of request. A watch's response is its head.

import { LatencyHistogram } from '../core/collections/latency-histogram.js';
import { SeriesTable } from '../core/collections/series-table.js';
import { requestWords } from '../diagram/verbs.js';
import { namespaceOf, qualifiedName } from '../kubernetes/api/object-ref.js';
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
  readonly #kinds = new SeriesTable<string, MeasuredKind>(MAX_KINDS);

  /** Responses to kinds of requests beyond the limit. */
  get uncounted(): number {
    return this.#kinds.leftOut;
  }

  response({ latencyMs, seq }: Message, request: Message): void {
    if (latencyMs !== undefined) this.#kindOf(request)?.latencies.add(latencyMs, seq);
  }

  /** Kinds on which most time was spent come first. */
  result(): LatencySummary[] {
    return [...this.#kinds.values()]
      .sort((a, b) => b.latencies.total - a.latencies.total || (a.request < b.request ? -1 : 1))
      .map((kind) => kind.summary());
  }

  #kindOf(answered: Message): MeasuredKind | undefined {
    const request = requestWords(answered);
    return this.#kinds.of(`${answered.protocol} ${request}`, () => new MeasuredKind(answered.protocol, request));
  }
}

class MeasuredKind {
  readonly protocol: Protocol;
  readonly request: string;
  readonly latencies = new LatencyHistogram();

  constructor(protocol: Protocol, request: string) {
    this.protocol = protocol;
    this.request = request;
  }

  summary(): LatencySummary {
    const { protocol, request, latencies } = this;
    const [p50, p90, p99] = latencies.percentiles(0.5, 0.9, 0.99);
    return { protocol, request, count: latencies.count, p50, p90, p99, max: latencies.max, message: latencies.slowest };
  }
}

/** Limit: kinds of requests that have a histogram of some kilobytes: verbs times resources of a cluster with many custom resources. */
const MAX_KINDS = 2000;
export interface SlowCall {
  /** ms from the last byte of the request to the first of the response. */
  readonly latencyMs: number;
  readonly client: string;
  readonly server: string;
  readonly protocol: Protocol;
  /** `create pods`, `KV/Txn`, `GET`. */
  readonly request: string;
  /** What it is about: `default/nginx`, or the path of a request for no resource; absent: nothing is named. */
  readonly object?: string;
  /** Of the latency, what was lost below HTTP; what receiving the response took after it. */
  readonly times?: Message['times'];
  /** `seq` of the request and of the response. */
  readonly messages: readonly [number, number];
}

interface KeptCall {
  readonly latencyMs: number;
  /** ms until the response had been received. */
  readonly tookMs: number;
  readonly request: Message;
  readonly times: Message['times'];
  readonly response: number;
}

export class SlowestCalls {
  /** Slowest first. */
  readonly #calls: KeptCall[] = [];

  response({ latencyMs, seq, times }: Message, request: Message): void {
    if (latencyMs === undefined || request.verb === 'watch') return;
    const isFull = this.#calls.length >= MAX_SLOWEST;
    const tookMs = latencyMs + (times?.receiveMs ?? 0);
    if (isFull && tookMs <= this.#calls[MAX_SLOWEST - 1].tookMs) return;
    if (isFull) this.#calls.pop();
    const at = this.#calls.findIndex((one) => one.tookMs < tookMs);
    const call = { latencyMs, tookMs, request, times, response: seq };
    this.#calls.splice(at < 0 ? this.#calls.length : at, 0, call);
  }

  result(): readonly SlowCall[] {
    return this.#calls.map(({ latencyMs, request, times, response }) => {
      const object = objectOf(request);
      return {
        ...{ latencyMs, client: request.from.name, server: request.to.name },
        protocol: request.protocol,
        request: requestWords(request),
        ...(object === undefined ? null : { object }),
        ...(times === undefined ? null : { times }),
        messages: [request.seq, response] as const,
      };
    });
  }
}

function objectOf({ protocol, resource, namespace, name, target }: Message): string | undefined {
  if (resource === undefined && protocol !== 'cri') return target?.split('?', 1)[0];
  return name === undefined ? undefined : qualifiedName(namespaceOf(resource, namespace), name);
}

/** Limit: slowest calls that are listed; how many others there were, the latencies of each kind of request say. */
const MAX_SLOWEST = 100;
