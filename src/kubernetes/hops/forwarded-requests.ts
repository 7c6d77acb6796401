// Holds requests that a server may forward, until the same request is seen on the next hop.

import { fieldValue } from '../../core/fields.js';
import type { RequestHead } from '../../http/http-event.js';
import type { ExchangeContext } from '../exchange-context.js';

export interface PendingForward {
  readonly context: ExchangeContext;
  readonly seq: number;
}

export class PendingForwards {
  /** Equal requests in their order. */
  readonly #waiting = new Map<string, PendingForward[]>();
  readonly #keys = new Map<ExchangeContext, string>();

  /** @param key what is equal on both hops. */
  add(key: string, context: ExchangeContext, seq: number): void {
    if (this.#keys.size >= MAX_WAITING) this.exchangeEnded(this.#keys.keys().next().value as ExchangeContext);
    const same = this.#waiting.get(key);
    if (same === undefined) this.#waiting.set(key, [{ context, seq }]);
    else {
      if (same.length >= MAX_EQUAL) this.exchangeEnded(same[0].context);
      same.push({ context, seq });
    }
    this.#keys.set(context, key);
  }

  /** Takes the oldest equal request that fits; undefined: there is none. */
  match(key: string, fits: (context: ExchangeContext) => boolean): PendingForward | undefined {
    const first = this.#waiting.get(key)?.find(({ context }) => fits(context));
    if (first !== undefined) this.exchangeEnded(first.context);
    return first;
  }

  /** Its exchange is over. */
  exchangeEnded(context: ExchangeContext): void {
    const key = this.#keys.get(context);
    if (key === undefined) return;
    this.#keys.delete(context);
    const left = (this.#waiting.get(key) ?? []).filter((one) => one.context !== context);
    if (left.length === 0) this.#waiting.delete(key);
    else this.#waiting.set(key, left);
  }
}

/** What is equal on both hops of a forwarded request: method and target. */
export function wordsOf({ method, target }: RequestHead): string {
  return `${method} ${target}`;
}

/** Whether an API server reroutes the request to another that serves it (k8s.io/apiserver, pkg/util/peerproxy: PeerProxiedHeader). */
export function isPeerProxied({ fields }: RequestHead): boolean {
  return fieldValue(fields, 'x-kubernetes-peer-proxied') !== undefined;
}

/**
 * Limit: requests of one kind that wait for their second hop: execs and logs, those about groups of other API servers, those that a
 * proxy may forward; watches stay.
 */
export const MAX_WAITING = 10_000;
/** Limit: such requests that are equal in everything. */
export const MAX_EQUAL = 64;
