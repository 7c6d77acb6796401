// Finds messages for all arrows of a plan such that everything holds that an expectation says, or proves that there are
// none: backtracking that jumps to what caused a conflict, and leaves out what would fail for the same reason. Exact
// within WORK_LIMIT; the rules of order are ledger.ts's.

import type { CandidateFinder, Candidates } from './candidates.js';
import type { CriticalWindows } from './critical.js';
import type { Facts } from './facts.js';
import type { Filtered } from './filter.js';
import { Ledger } from './ledger.js';
import { type Arrow, type Never, type Option, optionsOf, type Plan, type Rest } from './plan.js';
import type { Twins } from './twins.js';

export interface Pair {
  readonly arrow: Arrow;
  /** In the observation. */
  readonly place: number;
}

export interface Outcome {
  readonly found: boolean;
  /** What was matched: all of it, or as far as it went. */
  readonly pairs: readonly Pair[];
  /** What names are bound to there. */
  readonly names: ReadonlyMap<string, string>;
  /** The first that could not be matched behind those pairs. */
  readonly failed: Arrow | null;
  /** The first that did occur though it must not. */
  readonly occurred: { readonly never: Never; readonly place: number } | null;
}

/** More steps than WORK_LIMIT. */
export class TooMuchWork extends Error {}

/** Counts steps over all searches for one expectation. */
export class Work {
  #left: number;

  constructor(limit: number = WORK_LIMIT) {
    this.#left = limit;
  }

  step(steps = 1): void {
    this.#left -= steps;
    if (this.#left < 0) throw new TooMuchWork();
  }
}

interface Frame {
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

/** Where the search for an arrow can begin again, while those it was held up by stay where they are. */
interface Resume {
  readonly list: readonly number[];
  readonly depth: number;
  readonly at: number;
  readonly reasons: readonly { readonly depth: number; readonly blame: number; readonly stamp: number }[];
}

export interface SearchTools {
  readonly facts: Facts;
  readonly finder: CandidateFinder;
  readonly windows: CriticalWindows;
  readonly twins: Twins;
  readonly work: Work;
  /** What is ruled out already. */
  readonly filtered?: Filtered;
}

export function search(plan: Plan, tools: SearchTools): Outcome {
  return new Search(plan, tools).run();
}

class Search {
  readonly #plan: Plan;
  readonly #tools: SearchTools;
  readonly #ledger: Ledger;
  readonly #frames: Frame[] = [];
  readonly #resumes = new Map<Arrow, Resume>();
  /** Changes whenever another message is matched at a depth. */
  readonly #stamps: number[] = [];
  /** Depth at which a choice was made. */
  readonly #decided = new Map<number, number>();
  #best: Outcome | null = null;
  #bestDepth = -1;

  constructor(plan: Plan, tools: SearchTools) {
    this.#plan = plan;
    this.#tools = tools;
    this.#ledger = new Ledger(plan, tools);
  }

  run(): Outcome {
    this.#push(this.#plan.rest);
    for (;;) {
      const frame = this.#frames[this.#frames.length - 1];
      if (this.#advance(frame)) {
        if (frame.arrow === null) return this.#outcome(true, null);
        this.#push(frame.options[frame.option].rest);
      } else if (!this.#retreat()) return this.#best as Outcome;
    }
  }

  #push(rest: Rest): void {
    const depth = this.#frames.length;
    this.#frames.push({
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
    });
    this.#stamps[depth] ??= 0;
  }

  /** The next message that fits at the top; false: there is none (any more). */
  #advance(frame: Frame): boolean {
    const depth = this.#frames.length - 1;
    for (; frame.option < frame.options.length; frame.option++) {
      const option = frame.options[frame.option];
      if (option.arrow === null) {
        if (frame.list === null && this.#mayEnd(frame)) {
          frame.list = NONE;
          return true;
        }
      } else if (this.#next(frame, option.arrow, depth)) {
        this.#take(frame, option, depth);
        return true;
      }
      frame.list = null;
      frame.late = null;
    }
    return false;
  }

  #next(frame: Frame, arrow: Arrow, depth: number): boolean {
    const candidates = this.#tools.finder.of(arrow, this.#plan);
    if (frame.list === null) this.#open(frame, arrow, candidates, depth);
    const list = frame.list as readonly number[];
    while (frame.at < list.length) {
      const candidate = list[frame.at];
      frame.at += 1;
      this.#tools.work.step();
      const place = candidates.places[candidate];
      if (this.#tools.filtered?.allows(arrow, candidate) === false) continue;
      if (frame.late !== null && place >= (frame.late.get(this.#ledger.signatureAt(place)) ?? Number.POSITIVE_INFINITY))
        continue;
      const user = this.#ledger.userOf(place);
      if (user >= 0) frame.wanted.add(user);
      if (
        user >= 0 ||
        !this.#ledger.allows(arrow, place, candidates.names, candidates.bindings[candidate], frame.blame)
      )
        continue;
      if (frame.isFresh) this.#remember(frame, arrow, depth);
      this.#ledger.add(arrow, place, candidates.names, candidates.bindings[candidate], depth);
      return true;
    }
    return false;
  }

  /** Looks up what could come here at all, as far as what is matched above decides it. */
  #open(frame: Frame, arrow: Arrow, candidates: Candidates, depth: number): void {
    const { list, reasons } = this.#ledger.listFor(arrow, candidates);
    const chosen = arrow.choices.flatMap((choice) => {
      const decided = this.#decided.get(choice);
      return decided !== undefined && decided < depth ? [decided] : [];
    });
    frame.list = list;
    frame.at = 0;
    frame.listBlame = [...reasons, ...chosen];
    for (const one of frame.listBlame) frame.blame[one] = BLAMED;
    this.#tools.work.step(1 + frame.listBlame.length);
    if (!frame.isFresh) return;
    const resume = this.#resumes.get(arrow);
    if (resume === undefined || resume.list !== list || resume.depth !== depth) return;
    if (resume.reasons.some((reason) => this.#stamps[reason.depth] !== reason.stamp)) return;
    for (const reason of resume.reasons) {
      if (reason.blame === WANTED) frame.wanted.add(reason.depth);
      else blameFor(frame.blame, reason.depth, reason.blame);
    }
    frame.at = resume.at;
  }

  #remember(frame: Frame, arrow: Arrow, depth: number): void {
    frame.isFresh = false;
    if (frame.option > 0) return;
    const reasons: { depth: number; blame: number; stamp: number }[] = [];
    for (let i = 0; i < depth; i++)
      if (frame.blame[i] !== 0) reasons.push({ depth: i, blame: frame.blame[i], stamp: this.#stamps[i] });
    for (const i of frame.wanted) reasons.push({ depth: i, blame: WANTED, stamp: this.#stamps[i] });
    this.#resumes.set(arrow, { list: frame.list as readonly number[], depth, at: frame.at - 1, reasons });
  }

  #take(frame: Frame, option: Option, depth: number): void {
    frame.arrow = option.arrow;
    frame.place = this.#ledger.placeAt(depth);
    this.#stamps[depth] += 1;
    for (const choice of option.chosen) this.#decided.set(choice, depth);
  }

  /** All arrows are matched: nothing may have occurred that must not. */
  #mayEnd(frame: Frame): boolean {
    for (const never of this.#plan.nevers) {
      const candidates = this.#tools.finder.of(never, this.#plan);
      const hit = this.#ledger.firstConsistent(candidates, frame.blame);
      if (hit < 0) continue;
      this.#noteBest(null, { never, place: hit });
      return false;
    }
    frame.arrow = null;
    return true;
  }

  /** Back to the nearest that has a part in the conflict. @returns false where nothing has: there is no solution. */
  #retreat(): boolean {
    const failed = this.#frames.pop() as Frame;
    const first = failed.options.find(({ arrow }) => arrow !== null)?.arrow ?? null;
    if (first !== null) this.#noteBest(first, null);
    this.#blameUsers(failed);
    this.#tools.work.step(failed.blame.length >> 4);
    let to = failed.blame.length - 1;
    while (to >= 0 && failed.blame[to] === 0) to -= 1;
    while (this.#frames.length - 1 > to) {
      this.#ledger.remove(this.#frames.length - 1);
      this.#frames.pop();
    }
    if (to < 0) return false;
    const frame = this.#frames[to];
    for (let i = 0; i < to; i++) blameFor(frame.blame, i, failed.blame[i]);
    if (failed.blame[to] === LATE) {
      frame.late ??= new Map();
      const signature = this.#ledger.signatureAt(frame.place);
      frame.late.set(signature, Math.min(frame.place, frame.late.get(signature) ?? frame.place));
    }
    this.#ledger.remove(to);
    this.#stamps[to] += 1;
    frame.place = -1;
    return true;
  }

  /**
   * Messages that were wanted here are matched above. Where those arrows, whichever way they change places, need them all
   * (Hall's theorem), nobody among them is to blame, but what left them so few.
   */
  #blameUsers(failed: Frame): void {
    if (failed.wanted.size === 0) return;
    const reasons = failed.options.length === 1 ? this.#crowded(failed) : null;
    for (const depth of reasons ?? failed.wanted) failed.blame[depth] = BLAMED;
  }

  /** Depths that decided the lists of all who share too few messages; null: somebody could give way. */
  #crowded(failed: Frame): Set<number> | null {
    const reasons = new Set<number>();
    const crowd = new Set(failed.wanted);
    let steps = 0;
    for (const depth of crowd) {
      const { list, listBlame, options, arrow } = this.#frames[depth];
      if (options.length > 1 || arrow === null || list === null) return null;
      steps += list.length;
      if (steps > CROWD_STEPS) return null;
      this.#tools.work.step(list.length);
      const { places } = this.#tools.finder.of(arrow, this.#plan);
      for (const candidate of list) {
        const user = this.#ledger.userOf(places[candidate]);
        if (user < 0) return null;
        crowd.add(user);
      }
      for (const reason of listBlame) reasons.add(reason);
    }
    return reasons;
  }

  #noteBest(failed: Arrow | null, occurred: Outcome['occurred']): void {
    const depth = this.#ledger.depth;
    if (depth <= this.#bestDepth) return;
    this.#bestDepth = depth;
    this.#best = this.#outcome(false, failed, occurred);
  }

  #outcome(found: boolean, failed: Arrow | null, occurred: Outcome['occurred'] = null): Outcome {
    const names = new Map<string, string>();
    for (const [number, value] of this.#ledger.bound()) names.set(this.#tools.finder.names[number], value);
    return { found, pairs: this.#ledger.pairs(), names, failed, occurred };
  }
}

/** A blame for more than being late outweighs it. */
export function blameFor(blame: Uint8Array, depth: number, weight: number): void {
  if (weight > blame[depth]) blame[depth] = weight;
}

const NONE: readonly number[] = [];
/** What is matched at that depth is too late; anything later about the same objects would be too. */
export const LATE = 1;
export const BLAMED = 2;
const WANTED = 3;
/** Messages looked at for one proof that too many arrows share too few; most take tens. */
const CROWD_STEPS = 10_000;
/** Steps (messages held against an arrow) for one expectation: seconds of work; real ones need a thousandth. */
export const WORK_LIMIT = 8_000_000;
