// Holds one depth of the search: the options from there on, the candidates left to try, and the earlier depths that
// conflict.

import type { TooLate } from './conflicts.js';
import { type Continuation, type ExpectedArrow, type Option, optionsOf } from './plan.js';

export interface ChoicePoint {
  /** The arrows still to be matched from this depth on. */
  readonly rest: Continuation;
  readonly options: readonly Option[];
  option: number;
  /** Candidates of the current option; null: not looked up yet. `at` is the next one to try. */
  list: readonly number[] | null;
  at: number;
  /** By depth, as bits: why no (further) message fits here. */
  readonly conflicts: Uint8Array;
  /** Depths that decided which candidates are in the list. */
  listConflicts: readonly number[];
  /** Depths that use a message which fits here too. */
  readonly wanted: Set<number>;
  /** Messages of the current option that are too late, as an earlier one was. */
  tooLate: TooLate | null;
  /** Of a response that has one possible request: the depth of the request and the place of its response. */
  request: { readonly depth: number; readonly answer: number } | null;
  /** Place of the message that is matched here; -1: none. */
  place: number;
  arrow: ExpectedArrow | null;
  /** No candidate was accepted yet. */
  isFresh: boolean;
}

export function choicePointAt(depth: number, rest: Continuation): ChoicePoint {
  return {
    rest,
    options: optionsOf(rest),
    option: 0,
    list: null,
    at: 0,
    conflicts: new Uint8Array(depth),
    listConflicts: NONE,
    wanted: new Set(),
    tooLate: null,
    request: null,
    place: -1,
    arrow: null,
    isFresh: true,
  };
}

const NONE: readonly number[] = [];
