// Finds the API request that a call of a store or webhook was made for, by the trace id that both carry (W3C Trace Context).

import { flattenString } from '../../core/bytes/bytes.js';
import { BoundedMap } from '../../core/collections/bounded.js';
import { traceIdOf } from '../messages/field-values.js';

/** The API request of a trace. */
export interface TracedRequest {
  readonly seq: number;
  /** false: the request was taken from the first call of the trace, for which others were possible. */
  readonly certain: boolean;
}

export class Traces {
  /** By trace id. */
  readonly #requests = new BoundedMap<string, TracedRequest>(MAX_TRACES, 'traces');

  /** @param traceparent of an API request, or of a call that was made for it; undefined: it has none. */
  learn(traceparent: string | undefined, seq: number, certain = true): void {
    const id = traceparent === undefined ? undefined : traceIdOf(traceparent);
    if (id !== undefined && !this.#requests.has(id)) this.#requests.set(flattenString(id), { seq, certain });
  }

  /** undefined: not known. */
  requestOf(traceparent: string | undefined): TracedRequest | undefined {
    const id = traceparent === undefined ? undefined : traceIdOf(traceparent);
    return id === undefined ? undefined : this.#requests.get(id);
  }
}

/** Limit: requests of some seconds of a busy API server. 0.1 KiB each. */
const MAX_TRACES = 20_000;
