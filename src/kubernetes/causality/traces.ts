// Relates requests that carry one trace context to the API request that they were made for (W3C Trace Context, section 3.2).

import { flattenString } from '../../core/bytes/bytes.js';
import { BoundedMap } from '../../core/collections/bounded.js';

export class Traces {
  /** By trace id: `seq` of the API request. */
  readonly #requests = new BoundedMap<string, number>(MAX_TRACES);

  /** @param traceparent of a request that was made for an API request, or of that itself; undefined: it has none. */
  learn(traceparent: string | undefined, seq: number): void {
    const id = traceIdOf(traceparent);
    if (id !== undefined && !this.#requests.has(id)) this.#requests.set(flattenString(id), seq);
  }

  /** `seq` of the API request of a trace; undefined: not known. */
  requestOf(traceparent: string | undefined): number | undefined {
    const id = traceIdOf(traceparent);
    return id === undefined ? undefined : this.#requests.get(id);
  }
}

/** `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01`: version, trace, parent, flags. */
function traceIdOf(traceparent: string | undefined): string | undefined {
  const id = traceparent?.slice(3, 35);
  return id === undefined || id.length < 32 || NO_TRACE.test(id) ? undefined : id;
}

const NO_TRACE = /^0+$/;
/** Limit: requests of some seconds of a busy API server. 0.1 KiB each. */
const MAX_TRACES = 20_000;
