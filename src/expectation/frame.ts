// One depth of the search: the ways on from there, which messages are left to try, and by depth who above is to blame that
// nothing (more) fits. Knows how blames compare; who gets one, ledger.ts and search.ts say.

import { type Arrow, type Option, optionsOf, type Rest } from './plan.js';
import type { TooLate } from './too-late.js';

export interface Frame {
  readonly rest: Rest;
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
  arrow: Arrow | null;
  /** Nothing of the list was accepted yet, nothing deeper failed. */
  isFresh: boolean;
}

/** @param rest what is to be matched from this depth on. */
export function frameAt(depth: number, rest: Rest): Frame {
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

export function blameFor(blame: Uint8Array, depth: number, reasons: number): void {
  blame[depth] |= reasons;
}

const NONE: readonly number[] = [];
/** What is matched at that depth is too late; anything later about the same objects would be too. */
export const LATE = 1;
/** It is an answer that came too late on its receiver's lifeline; any later answer would be too. */
export const LATE_ON_LINE = 2;
/** It is a request whose answer is too late, in the one way or the other. */
export const ANSWERED_LATE = 4;
export const ANSWERED_LATE_ON_LINE = 8;
/** Something else: any other message may do. */
export const BLAMED = 16;

/** What is wrong with an answer, as a blame of its request. */
export function ofAnswer(reasons: number): number {
  return reasons >= ANSWERED_LATE ? BLAMED : reasons * (ANSWERED_LATE / LATE);
}
