// Matches all arrows of a plan with messages, or proves that it is impossible: backtracking with conflict-directed
// backjumping and nogoods. The search is exact within WORK_LIMIT.

import type { CandidateFinder, Candidates } from './candidates.js';
import { type ChoicePoint, choicePointAt } from './choice-point.js';
import { addConflict, CONFLICT, ofAnswer, TooLate } from './conflicts.js';
import { Nogoods } from './nogoods.js';
import { type ArrowPair, PartialMatch, type SearchTools } from './partial-match.js';
import type { Continuation, ExpectedArrow, Never, Option, Plan } from './plan.js';
import type { StepLimit } from './step-limit.js';

export interface SearchOutcome {
  readonly found: boolean;
  /** The matched arrows: all of them, or as many as the best attempt has. */
  readonly pairs: readonly ArrowPair[];
  /** Values of the names in `{}`. */
  readonly names: ReadonlyMap<string, string>;
  /** The first arrow that could not be matched after those pairs. */
  readonly failed: ExpectedArrow | null;
  /** The first `%% never:` whose message occurs. */
  readonly occurred: { readonly never: Never; readonly place: number } | null;
}

/** The current match and the candidates that it was chosen from. */
interface Matching {
  readonly points: readonly ChoicePoint[];
  readonly match: PartialMatch;
  readonly plan: Plan;
  readonly finder: CandidateFinder;
  readonly work: StepLimit;
}

export function search(plan: Plan, tools: SearchTools): SearchOutcome {
  return new Search(plan, tools).run();
}

class Search {
  readonly #plan: Plan;
  readonly #tools: SearchTools;
  readonly #match: PartialMatch;
  readonly #points: ChoicePoint[] = [];
  readonly #matching: Matching;
  readonly #nogoods = new Nogoods();
  /** Choice → depth at which it was made. */
  readonly #decided = new Map<number, number>();
  #best: SearchOutcome | null = null;
  #bestDepth = -1;

  constructor(plan: Plan, tools: SearchTools) {
    this.#plan = plan;
    this.#tools = tools;
    this.#match = new PartialMatch(plan, tools);
    this.#matching = { points: this.#points, match: this.#match, plan, finder: tools.finder, work: tools.work };
  }

  run(): SearchOutcome {
    this.#push(this.#plan.rest);
    for (;;) {
      const point = this.#points[this.#points.length - 1];
      if (this.#advance(point)) {
        if (point.arrow === null) return this.#outcome(true, null);
        this.#push(point.options[point.option].rest);
      } else if (!this.#retreat()) return this.#best as SearchOutcome;
    }
  }

  #push(rest: Continuation): void {
    const depth = this.#points.length;
    this.#points.push(choicePointAt(depth, rest));
    this.#nogoods.reach(depth);
  }

  /** Matches the next message that fits at the deepest point; false: there is none (left). */
  #advance(point: ChoicePoint): boolean {
    const depth = this.#points.length - 1;
    for (; point.option < point.options.length; point.option++) {
      const option = point.options[point.option];
      if (option.arrow === null) {
        if (point.list === null && this.#mayEnd(point)) {
          point.list = NONE;
          return true;
        }
      } else if (this.#next(point, option.arrow, depth)) {
        this.#take(point, option, depth);
        return true;
      }
      point.list = null;
      point.tooLate = null;
      point.request = null;
    }
    return false;
  }

  #next(point: ChoicePoint, arrow: ExpectedArrow, depth: number): boolean {
    const candidates = this.#tools.finder.of(arrow, this.#plan);
    if (point.list === null) this.#open(point, arrow, candidates, depth);
    const list = point.list as readonly number[];
    while (point.at < list.length) {
      const candidate = list[point.at];
      point.at += 1;
      this.#tools.work.step();
      const place = candidates.places[candidate];
      if (point.tooLate?.covers(place) === true) continue;
      if (!this.#isFree(point, arrow, candidates, candidate)) {
        if (point.request?.answer === place) addConflict(point.conflicts, point.request.depth, CONFLICT);
        continue;
      }
      if (point.isFresh && point.option === 0) this.#nogoods.remember(point, arrow, depth);
      point.isFresh = false;
      this.#match.add(arrow, place, candidates.names, candidates.bindings[candidate], depth);
      return true;
    }
    return false;
  }

  #isFree(point: ChoicePoint, arrow: ExpectedArrow, candidates: Candidates, candidate: number): boolean {
    if (this.#tools.pruned?.allows(arrow, candidate) === false) return false;
    const place = candidates.places[candidate];
    const user = this.#match.userOf(place);
    // A message that is too early on its lifeline does not fit here, used or not: that conflict reaches fewer depths.
    if (user >= 0 && this.#match.isBelowAnswers(arrow, place, point.conflicts)) point.wanted.add(user);
    if (user >= 0) return false;
    return this.#match.allows(arrow, place, candidates.names, candidates.bindings[candidate], point.conflicts);
  }

  /** Looks up the candidates that the matches above leave for the arrow. */
  #open(point: ChoicePoint, arrow: ExpectedArrow, candidates: Candidates, depth: number): void {
    const { list, reasons, request } = this.#match.listFor(arrow, candidates);
    const chosen = arrow.choices.flatMap((choice) => {
      const decided = this.#decided.get(choice);
      return decided !== undefined && decided < depth ? [decided] : [];
    });
    point.list = this.#match.ordered(list, candidates);
    point.at = 0;
    point.request = request;
    point.listConflicts = [...reasons, ...chosen];
    // If the request's response is among the candidates, trying it shows the exact conflict with the request.
    const isTried = request !== null && candidates.at(request.answer).length > 0;
    for (const one of point.listConflicts)
      if (!isTried || one !== request.depth) addConflict(point.conflicts, one, CONFLICT);
    this.#tools.work.step(1 + point.listConflicts.length + (this.#tools.prefersStory === true ? list.length : 0));
    if (point.isFresh) this.#nogoods.resume(point, arrow, depth);
  }

  #take(point: ChoicePoint, option: Option, depth: number): void {
    point.arrow = option.arrow;
    point.place = this.#match.placeAt(depth);
    this.#nogoods.moved(depth);
    for (const choice of option.chosen) this.#decided.set(choice, depth);
  }

  /** All arrows are matched: no message of a `%% never:` may occur. */
  #mayEnd(point: ChoicePoint): boolean {
    for (const never of this.#plan.nevers) {
      const candidates = this.#tools.finder.of(never, this.#plan);
      const hit = this.#match.firstConsistent(candidates, point.conflicts);
      if (hit < 0) continue;
      this.#noteBest(null, { never, place: hit });
      return false;
    }
    point.arrow = null;
    return true;
  }

  /** Goes back to the nearest depth in conflict (backjumping). @returns false where there is none: no solution exists. */
  #retreat(): boolean {
    const failed = this.#points.pop() as ChoicePoint;
    const first = failed.options.find(({ arrow }) => arrow !== null)?.arrow ?? null;
    if (first !== null) this.#noteBest(first, null);
    conflictsOfUsers(failed, this.#matching);
    this.#tools.work.step(failed.conflicts.length >> 4);
    let to = failed.conflicts.length - 1;
    while (to >= 0 && failed.conflicts[to] === 0) to -= 1;
    while (this.#points.length - 1 > to) {
      this.#match.remove(this.#points.length - 1);
      this.#points.pop();
    }
    if (to < 0) return false;
    const point = this.#points[to];
    for (let i = 0; i < to; i++) addConflict(point.conflicts, i, failed.conflicts[i]);
    const reasons = failed.conflicts[to];
    if ((reasons & CONFLICT) === 0) {
      point.tooLate ??= new TooLate(this.#match);
      point.tooLate.add(reasons, point.place);
    }
    if (point.request?.answer === point.place) addConflict(point.conflicts, point.request.depth, ofAnswer(reasons));
    this.#match.remove(to);
    this.#nogoods.moved(to);
    point.place = -1;
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

/**
 * Messages that were wanted here are matched above. Where those arrows, whichever way they change places, need them all
 * (Hall's theorem), none of them is to blame, but what left them so few.
 *
 * @param failed the depth below all that are matched; its blame gets the depths.
 */
export function conflictsOfUsers(failed: ChoicePoint, matching: Matching): void {
  if (failed.wanted.size === 0) return;
  const reasons = failed.options.length === 1 ? hallViolation(failed, matching) : null;
  for (const depth of reasons ?? failed.wanted) addConflict(failed.conflicts, depth, CONFLICT);
}

/** Depths that decided the candidates of all arrows that share too few messages; null: one of them has an alternative. */
function hallViolation(failed: ChoicePoint, { points, match, plan, finder, work }: Matching): Set<number> | null {
  const reasons = new Set<number>();
  const users = new Set(failed.wanted);
  let steps = 0;
  for (const depth of users) {
    const { list, listConflicts, options, arrow } = points[depth];
    if (options.length > 1 || arrow === null || list === null) return null;
    steps += list.length;
    if (steps > HALL_STEPS) return null;
    work.step(list.length);
    const { places } = finder.of(arrow, plan);
    for (const candidate of list) {
      const user = match.userOf(places[candidate]);
      if (user < 0) return null;
      users.add(user);
    }
    for (const reason of listConflicts) reasons.add(reason);
  }
  return reasons;
}

/** Limit: messages examined for one proof that too many arrows share too few; most proofs take tens. */
const HALL_STEPS = 10_000;
const NONE: readonly number[] = [];
