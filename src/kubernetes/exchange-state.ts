// State that one tracker keeps of an exchange, on the exchange's context and for as long as that lives.

import type { ExchangeContext } from './exchange-context.js';

/** One place for each state that the modules of the trackers define; not changed once these are loaded. */
const NO_STATES: undefined[] = [];

/**
 * One kind of state, defined once by the module of its tracker. A `Map` by context would be rehashed for nearly every exchange, as few
 * are open at a time and each is added and deleted.
 */
export class ExchangeState<T> {
  readonly #slot: number;

  constructor() {
    this.#slot = NO_STATES.push(undefined) - 1;
  }

  /** undefined: the tracker keeps nothing of the exchange. */
  of({ trackerStates }: ExchangeContext): T | undefined {
    return trackerStates?.[this.#slot] as T | undefined;
  }

  set(context: ExchangeContext, state: T | undefined): void {
    // A copy has no room to spare and is made at once; an empty array would be given room for sixteen more.
    context.trackerStates ??= NO_STATES.slice();
    context.trackerStates[this.#slot] = state;
  }
}
