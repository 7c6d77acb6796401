// Counts the requests of one group: how many, how large, how long, how many failed.

import { LatencyHistogram } from '../core/collections/latency-histogram.js';
import { lostMs } from '../core/lost-time.js';
import type { Message } from '../kubernetes/messages/message.js';
import type { TopCounts } from './top-report.js';

export class RequestCounts {
  requests = 0;
  errors = 0;
  throttled = 0;
  answered = 0;
  readonly #latencies = new LatencyHistogram();
  #bytesIn = 0;
  #bytesOut = 0;
  #hasBytes = false;
  #lists = 0;
  #items = 0;
  #mostItems = 0;
  #mostBytes = 0;
  #watches = 0;
  #restarts = 0;
  #events = 0;
  #lostMs = 0;

  /** @param bytes of the body; undefined: not known. @param isRestart of a watch. */
  request(verb: string | undefined, bytes: number | undefined, isRestart: boolean): void {
    this.requests += 1;
    this.#in(bytes);
    if (verb !== 'watch') return;
    this.#watches += 1;
    if (isRestart) this.#restarts += 1;
  }

  response({ status = 0, latencyMs, seq, object, details, times }: Message, verb: string | undefined): void {
    this.answered += 1;
    if (status >= 400) this.errors += 1;
    if (status === 429) this.throttled += 1;
    if (latencyMs !== undefined) this.#latencies.add(latencyMs, seq);
    this.#lostMs += lostMs(times);
    const bytes = details?.bodyBytes();
    this.#out(bytes);
    if (verb !== 'list' || status >= 400) return;
    this.#lists += 1;
    const items = object?.items ?? object?.rows ?? 0;
    this.#items += items;
    this.#mostItems = Math.max(this.#mostItems, items);
    this.#mostBytes = Math.max(this.#mostBytes, bytes ?? 0);
  }

  /** An event of a watch. */
  event({ details }: Message): void {
    this.#events += 1;
    this.#out(details?.bodyBytes());
  }

  /** Bytes of an exec, a log or a port-forward. */
  data(bytes: number | undefined, isFromClient: boolean): void {
    if (isFromClient) this.#in(bytes);
    else this.#out(bytes);
  }

  merge(other: RequestCounts): void {
    this.requests += other.requests;
    this.errors += other.errors;
    this.throttled += other.throttled;
    this.answered += other.answered;
    this.#latencies.merge(other.#latencies);
    this.#bytesIn += other.#bytesIn;
    this.#bytesOut += other.#bytesOut;
    this.#hasBytes ||= other.#hasBytes;
    this.#lists += other.#lists;
    this.#items += other.#items;
    this.#mostItems = Math.max(this.#mostItems, other.#mostItems);
    this.#mostBytes = Math.max(this.#mostBytes, other.#mostBytes);
    this.#watches += other.#watches;
    this.#restarts += other.#restarts;
    this.#events += other.#events;
    this.#lostMs += other.#lostMs;
  }

  result(seconds: number): TopCounts {
    const latencies = this.#latencies;
    const [p50, p99] = latencies.percentiles(0.5, 0.99);
    const has = this.#hasBytes;
    return {
      requests: this.requests,
      perSecond: seconds > 0 ? Number((this.requests / seconds).toPrecision(3)) : null,
      errors: this.errors,
      throttled: this.throttled,
      unanswered: Math.max(0, this.requests - this.answered),
      bytesIn: has ? this.#bytesIn : null,
      bytesOut: has ? this.#bytesOut : null,
      latencyMs: latencies.count === 0 ? null : { p50, p99, max: latencies.max, message: latencies.slowest },
      lists: {
        count: this.#lists,
        items: this.#items,
        mostItems: this.#mostItems,
        mostBytes: has ? this.#mostBytes : null,
      },
      watches: { opened: this.#watches, restarted: this.#restarts, events: this.#events },
      lostMs: Number(this.#lostMs.toFixed(3)),
    };
  }

  #in(bytes: number | undefined): void {
    if (bytes === undefined) return;
    this.#hasBytes = true;
    this.#bytesIn += bytes;
  }

  #out(bytes: number | undefined): void {
    if (bytes === undefined) return;
    this.#hasBytes = true;
    this.#bytesOut += bytes;
  }
}
