// One depth of the search: the ways on from there, which messages are left to try, and by depth who above is to blame that
// nothing (more) fits (blame.ts).

import { type Continuation, type ExpectedArrow, type Option, optionsOf } from './plan.js';
import type { TooLate } from './too-late.js';

export interface ChoicePoint {
  readonly rest: Continuation;
  readonly options: readonly Option[];
  option: number;
  /** Candidates of the current option, and which is next; null: not looked up yet. */
  list: readonly number[] | null;
  at: number;
  /** By depth, as bits: why nothing (more) was found here. */
  readonly blame: Uint8Array;
  /** Depths that decided what is on the list. */
  listBlame: readonly number[];
  /** Depths whose messages were wanted here too. */
  readonly wanted: Set<number>;
  /** Of the current option: messages that would be too late as one before was. */
  late: TooLate | null;
  /** Of an answer to the one request that it can be of: that request's depth, and where its answer is; else null. */
  request: { readonly depth: number; readonly answer: number } | null;
  /** What is matched here now; -1: nothing. */
  place: number;
  arrow: ExpectedArrow | null;
  /** Nothing of the list was accepted yet, nothing deeper failed. */
  isFresh: boolean;
}

/** @param rest what is to be matched from this depth on. */
export function choicePointAt(depth: number, rest: Continuation): ChoicePoint {
  return {
    rest,
    options: optionsOf(rest),
    option: 0,
    list: null,
    at: 0,
    blame: new Uint8Array(depth),
    listBlame: NONE,
    wanted: new Set(),
    late: null,
    request: null,
    place: -1,
    arrow: null,
    isFresh: true,
  };
}

const NONE: readonly number[] = [];
