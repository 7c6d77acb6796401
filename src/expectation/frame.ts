// One depth of the search: the ways on from there, which messages are left to try, and by depth who above is to blame that
// nothing (more) fits. Knows how blames compare; who gets one, ledger.ts and search.ts say.

import { type Arrow, type Option, optionsOf, type Rest } from './plan.js';

export interface Frame {
  readonly rest: Rest;
  readonly options: readonly Option[];
  option: number;
  /** Candidates of the current option, and which is next; null: not looked up yet. */
  list: readonly number[] | null;
  at: number;
  /** By depth: why nothing (more) was found here. */
  readonly blame: Uint8Array;
  /** Depths that decided what is on the list. */
  listBlame: readonly number[];
  /** Depths whose messages were wanted here too. */
  readonly wanted: Set<number>;
  /** Of the current option: from these places on, messages about the same objects would be too late as well. */
  late: Map<number, number> | null;
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
    place: -1,
    arrow: null,
    isFresh: true,
  };
}

/** A blame for more than being late outweighs it. */
export function blameFor(blame: Uint8Array, depth: number, weight: number): void {
  if (weight > blame[depth]) blame[depth] = weight;
}

const NONE: readonly number[] = [];
/** What is matched at that depth is too late; anything later about the same objects would be too. */
export const LATE = 1;
export const BLAMED = 2;
