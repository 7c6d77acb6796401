// Holds one depth of the search: the options from there on, the candidates left to try, and the earlier depths that
// conflict.

import { type Continuation, type ExpectedArrow, type Option, optionsOf } from './plan.js';

export interface ChoicePoint {
  /** The arrows still to be matched from this depth on. */
  readonly rest: Continuation;
  readonly options: readonly Option[];
  option: number;
  /** Candidates of the current option; null: not looked up yet. `at` is the next one to try. */
  list: readonly number[] | null;
  at: number;
  /** By depth: 1 where what is matched there keeps a message from fitting here. */
  readonly conflicts: Uint8Array;
  /** Of a response that has one possible request: the depth of the request and the place of its response. */
  request: { readonly depth: number; readonly answer: number } | null;
  /** Place of the message that is matched here; -1: none. */
  place: number;
  arrow: ExpectedArrow | null;
}

export function choicePointAt(depth: number, rest: Continuation): ChoicePoint {
  return {
    rest,
    options: optionsOf(rest),
    option: 0,
    list: null,
    at: 0,
    conflicts: new Uint8Array(depth),
    request: null,
    place: -1,
    arrow: null,
  };
}
