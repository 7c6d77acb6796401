// Finds messages for all arrows of a plan such that everything holds that an expectation says, or proves that there are
// none: backtracking that jumps to what caused a conflict, and leaves out what would fail for the same reason. Exact
// within work.ts's limit; the rules of order are ledger.ts's.

import type { CandidateFinder, Candidates } from './candidates.js';
import { type ChoicePoint, choicePointAt } from './choice-point.js';
import { addConflict, CONFLICT, ofAnswer } from './conflicts.js';
import type { CriticalWindows } from './critical.js';
import { conflictsOfUsers, type Matching } from './hall-violation.js';
import type { InterchangeableArrows } from './interchangeable.js';
import { Nogoods } from './nogoods.js';
import type { ObservationIndex } from './observation-index.js';
import { PartialMatch } from './partial-match.js';
import type { Continuation, ExpectedArrow, Never, Option, Plan } from './plan.js';
import type { Pruned } from './pruning.js';
import type { StepLimit } from './step-limit.js';
import { TooLate } from './too-late.js';

export interface ArrowPair {
  readonly arrow: ExpectedArrow;
  /** In the observation. */
  readonly place: number;
}

export interface SearchOutcome {
  readonly found: boolean;
  /** What was matched: all of it, or as far as it went. */
  readonly pairs: readonly ArrowPair[];
  /** What names are bound to there. */
  readonly names: ReadonlyMap<string, string>;
  /** The first that could not be matched behind those pairs. */
  readonly failed: ExpectedArrow | null;
  /** The first that did occur though it must not. */
  readonly occurred: { readonly never: Never; readonly place: number } | null;
}

export interface SearchTools {
  readonly observation: ObservationIndex;
  readonly finder: CandidateFinder;
  readonly windows: CriticalWindows;
  readonly interchangeable: InterchangeableArrows;
  readonly work: StepLimit;
  /** What is ruled out already. */
  readonly filtered?: Pruned;
  /** What belongs to what is matched above is tried first. */
  readonly prefersStory?: boolean;
}

export function search(plan: Plan, tools: SearchTools): SearchOutcome {
  return new Search(plan, tools).run();
}

class Search {
  readonly #plan: Plan;
  readonly #tools: SearchTools;
  readonly #match: PartialMatch;
  readonly #frames: ChoicePoint[] = [];
  readonly #matching: Matching;
  readonly #resumes = new Nogoods();
  /** Depth at which a choice was made. */
  readonly #decided = new Map<number, number>();
  #best: SearchOutcome | null = null;
  #bestDepth = -1;

  constructor(plan: Plan, tools: SearchTools) {
    this.#plan = plan;
    this.#tools = tools;
    this.#match = new PartialMatch(plan, tools);
    this.#matching = { frames: this.#frames, match: this.#match, plan, finder: tools.finder, work: tools.work };
  }

  run(): SearchOutcome {
    this.#push(this.#plan.rest);
    for (;;) {
      const frame = this.#frames[this.#frames.length - 1];
      if (this.#advance(frame)) {
        if (frame.arrow === null) return this.#outcome(true, null);
        this.#push(frame.options[frame.option].rest);
      } else if (!this.#retreat()) return this.#best as SearchOutcome;
    }
  }

  #push(rest: Continuation): void {
    const depth = this.#frames.length;
    this.#frames.push(choicePointAt(depth, rest));
    this.#resumes.reach(depth);
  }

  /** The next message that fits at the top; false: there is none (any more). */
  #advance(frame: ChoicePoint): boolean {
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
      frame.request = null;
    }
    return false;
  }

  #next(frame: ChoicePoint, arrow: ExpectedArrow, depth: number): boolean {
    const candidates = this.#tools.finder.of(arrow, this.#plan);
    if (frame.list === null) this.#open(frame, arrow, candidates, depth);
    const list = frame.list as readonly number[];
    while (frame.at < list.length) {
      const candidate = list[frame.at];
      frame.at += 1;
      this.#tools.work.step();
      const place = candidates.places[candidate];
      if (frame.late?.covers(place) === true) continue;
      if (!this.#isFree(frame, arrow, candidates, candidate)) {
        if (frame.request?.answer === place) addConflict(frame.blame, frame.request.depth, CONFLICT);
        continue;
      }
      if (frame.isFresh && frame.option === 0) this.#resumes.remember(frame, arrow, depth);
      frame.isFresh = false;
      this.#match.add(arrow, place, candidates.names, candidates.bindings[candidate], depth);
      return true;
    }
    return false;
  }

  #isFree(frame: ChoicePoint, arrow: ExpectedArrow, candidates: Candidates, candidate: number): boolean {
    if (this.#tools.filtered?.allows(arrow, candidate) === false) return false;
    const place = candidates.places[candidate];
    const user = this.#match.userOf(place);
    // Too early on a lifeline it is of no use here, whoever uses it: that is the better reason, which reaches less far.
    if (user >= 0 && this.#match.isBelowAnswers(arrow, place, frame.blame)) frame.wanted.add(user);
    if (user >= 0) return false;
    return this.#match.allows(arrow, place, candidates.names, candidates.bindings[candidate], frame.blame);
  }

  /** Looks up what could come here at all, as far as what is matched above decides it. */
  #open(frame: ChoicePoint, arrow: ExpectedArrow, candidates: Candidates, depth: number): void {
    const { list, reasons, request } = this.#match.listFor(arrow, candidates);
    const chosen = arrow.choices.flatMap((choice) => {
      const decided = this.#decided.get(choice);
      return decided !== undefined && decided < depth ? [decided] : [];
    });
    frame.list = this.#match.ordered(list, candidates);
    frame.at = 0;
    frame.request = request;
    frame.listBlame = [...reasons, ...chosen];
    // Whether the request of an answer is to blame for more than being late, shows when its answer is tried.
    const isTried = request !== null && candidates.at(request.answer).length > 0;
    for (const one of frame.listBlame) if (!isTried || one !== request.depth) addConflict(frame.blame, one, CONFLICT);
    this.#tools.work.step(1 + frame.listBlame.length + (this.#tools.prefersStory === true ? list.length : 0));
    if (frame.isFresh) this.#resumes.resume(frame, arrow, depth);
  }

  #take(frame: ChoicePoint, option: Option, depth: number): void {
    frame.arrow = option.arrow;
    frame.place = this.#match.placeAt(depth);
    this.#resumes.moved(depth);
    for (const choice of option.chosen) this.#decided.set(choice, depth);
  }

  /** All arrows are matched: nothing may have occurred that must not. */
  #mayEnd(frame: ChoicePoint): boolean {
    for (const never of this.#plan.nevers) {
      const candidates = this.#tools.finder.of(never, this.#plan);
      const hit = this.#match.firstConsistent(candidates, frame.blame);
      if (hit < 0) continue;
      this.#noteBest(null, { never, place: hit });
      return false;
    }
    frame.arrow = null;
    return true;
  }

  /** Back to the nearest that has a part in the conflict. @returns false where nothing has: there is no solution. */
  #retreat(): boolean {
    const failed = this.#frames.pop() as ChoicePoint;
    const first = failed.options.find(({ arrow }) => arrow !== null)?.arrow ?? null;
    if (first !== null) this.#noteBest(first, null);
    conflictsOfUsers(failed, this.#matching);
    this.#tools.work.step(failed.blame.length >> 4);
    let to = failed.blame.length - 1;
    while (to >= 0 && failed.blame[to] === 0) to -= 1;
    while (this.#frames.length - 1 > to) {
      this.#match.remove(this.#frames.length - 1);
      this.#frames.pop();
    }
    if (to < 0) return false;
    const frame = this.#frames[to];
    for (let i = 0; i < to; i++) addConflict(frame.blame, i, failed.blame[i]);
    const reasons = failed.blame[to];
    if ((reasons & CONFLICT) === 0) {
      frame.late ??= new TooLate(this.#match);
      frame.late.add(reasons, frame.place);
    }
    if (frame.request?.answer === frame.place) addConflict(frame.blame, frame.request.depth, ofAnswer(reasons));
    this.#match.remove(to);
    this.#resumes.moved(to);
    frame.place = -1;
    return true;
  }

  #noteBest(failed: ExpectedArrow | null, occurred: SearchOutcome['occurred']): void {
    const depth = this.#match.depth;
    if (depth <= this.#bestDepth) return;
    this.#bestDepth = depth;
    this.#best = this.#outcome(false, failed, occurred);
  }

  #outcome(found: boolean, failed: ExpectedArrow | null, occurred: SearchOutcome['occurred'] = null): SearchOutcome {
    const names = new Map<string, string>();
    for (const [number, value] of this.#match.bound()) names.set(this.#tools.finder.names[number], value);
    return { found, pairs: this.#match.pairs(), names, failed, occurred };
  }
}

const NONE: readonly number[] = [];
