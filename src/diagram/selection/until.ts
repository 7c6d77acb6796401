// Decides when everything up to a time was read: until then, and until what was requested by then is answered.

import type { Message } from '../../kubernetes/messages/message.js';

export class UntilTracker {
  /** Exchanges whose request came in time and has no response, event or data yet. */
  readonly #open = new Set<number>();
  readonly #until: bigint;
  /** Nothing that follows is needed. */
  isOver = false;

  /** @param until ns since the epoch. */
  constructor(until: bigint) {
    this.#until = until;
  }

  /**
   * @param message the next one in the order of time.
   * @returns whether it is needed. Some of what came later is: the response without which a request would look unanswered, and what
   * shows that an earlier message belongs to a followed object, as the owner of a Lease that was looked for before it was made.
   */
  feed({ time, kind, exchange }: Message): boolean {
    const later = time - this.#until;
    if (later > 0n) {
      const isAwaited = kind === 'response' && this.#open.delete(exchange);
      this.isOver = later > LOOKAHEAD_NS && (this.#open.size === 0 || later > GRACE_NS);
      return isAwaited || !this.isOver;
    }
    if (kind !== 'request') this.#open.delete(exchange);
    else if (this.#open.size < MAX_OPEN) this.#open.add(exchange);
    return true;
  }
}

/** Time in which controllers react to what they received, retries included. */
const LOOKAHEAD_NS = 10_000_000_000n;
/** Time in which responses are awaited: half of an API server's request timeout (k8s.io/apiserver, --request-timeout: one minute). */
const GRACE_NS = 30_000_000_000n;
/** Limit: open exchanges at a time; the responses of more are not awaited. */
const MAX_OPEN = 100_000;
