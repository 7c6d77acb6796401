// Keeps the requests that servers are serving, to find the one that a request of theirs is sent for: the same request on the next
// hop, a stream, an image pull. A row of a tracker's table says under which keys a request is kept, and by which it is found.
//
//   server                client            kept as (parent)                          found by (child)
//   API server            aggregated one    forward METHOD TARGET                     the same words, with X-Remote-User
//   proxy, API server     API server        proxy METHOD TARGET                       the same words, with X-Forwarded-For
//   proxy                 API server        upgrade METHOD TARGET                     the same words, without Upgrade
//   API server            kubelet           stream KIND NAMESPACE POD, its command    the same, read from the kubelet's path
//   kubelet               runtime (CRI)     call METHOD NAMESPACE POD                 the same, read from the call
//   kubelet               runtime (HTTP)    runtime KIND                              the kind, if one alone is open
//   runtime               registry          pull                                      server and repository
//
// Calls of stores and webhooks are found by the object that is written: attributed/open-requests.ts, attributed/writes.ts.

import type { Draft } from '../../messages/draft.js';
import type { ExchangeContext } from '../../messages/exchange-context.js';

export interface ServedRequest {
  readonly context: ExchangeContext;
  readonly message: Draft;
  readonly keys: readonly string[];
  /** What else tells it from requests with its key: a container, a repository, a place. */
  readonly detail: string | undefined;
}

export class ServedRequests {
  /** Equal requests in their order. */
  readonly #byKey = new Map<string, ServedRequest[]>();
  readonly #byContext = new Map<ExchangeContext, ServedRequest[]>();

  /** A request is served until it is taken, or its exchange ends. @param keys one by which it is found, or several. */
  add(context: ExchangeContext, message: Draft, keys: readonly string[], detail?: string): void {
    const request = { context, message, keys, detail };
    if (this.#byContext.size >= MAX_SERVED) this.exchangeEnded(this.#byContext.keys().next().value as ExchangeContext);
    for (const key of keys) {
      const same = this.#byKey.get(key);
      if (same === undefined) this.#byKey.set(key, [request]);
      else if (same.push(request) > MAX_EQUAL) this.take(same[0]);
    }
    const others = this.#byContext.get(context);
    if (others === undefined) this.#byContext.set(context, [request]);
    else others.push(request);
  }

  /** Those with a key, oldest first; valid until the next call. */
  all(key: string): readonly ServedRequest[] {
    return this.#byKey.get(key) ?? NONE;
  }

  /** Takes the oldest with a key that fits; undefined: there is none. */
  match(key: string, fits: (request: ServedRequest) => boolean): ServedRequest | undefined {
    const first = this.#byKey.get(key)?.find(fits);
    if (first !== undefined) this.take(first);
    return first;
  }

  /** What it was sent for is found: it is found by none of its keys any more. */
  take(request: ServedRequest): void {
    for (const key of request.keys) without(this.#byKey, key, request);
    without(this.#byContext, request.context, request);
  }

  /** It is answered, or its exchange is over. */
  exchangeEnded(context: ExchangeContext): void {
    for (const request of this.#byContext.get(context)?.slice() ?? NONE) this.take(request);
  }
}

function without<K>(map: Map<K, ServedRequest[]>, key: K, request: ServedRequest): void {
  const left = map.get(key)?.filter((one) => one !== request) ?? [];
  if (left.length === 0) map.delete(key);
  else map.set(key, left);
}

const NONE: readonly ServedRequest[] = [];
/**
 * Limit: requests that are served and may be the cause of another: execs, logs, pulls, those about groups of other API servers, those
 * that a proxy may forward; watches stay.
 */
export const MAX_SERVED = 10_000;
/** Limit: such requests that are equal in everything: images that a cluster coming up pulls are some hundreds. */
export const MAX_EQUAL = 1000;
