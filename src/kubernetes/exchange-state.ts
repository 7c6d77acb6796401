// State that one tracker keeps of an exchange, on the exchange's context and for as long as that lives.

import type { ExchangeContext } from './exchange-context.js';

/** States that the modules of the trackers define; a constant once these are loaded. */
let count = 0;

/**
 * One kind of state, defined once by the module of its tracker. A `Map` by context would be rehashed for nearly every exchange, as few
 * are open at a time and each is added and deleted.
 */
export class ExchangeState<T> {
  readonly #slot: number;

  constructor() {
    this.#slot = count;
    count += 1;
  }

  /** undefined: the tracker keeps nothing of the exchange. */
  of({ trackerStates }: ExchangeContext): T | undefined {
    return trackerStates?.[this.#slot] as T | undefined;
  }

  set(context: ExchangeContext, state: T | undefined): void {
    // An empty array would be given room for sixteen more.
    context.trackerStates ??= new Array<unknown>(count).fill(undefined);
    context.trackerStates[this.#slot] = state;
  }
}
