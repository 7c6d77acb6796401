// Matches all arrows of a plan with messages, or proves that it is impossible: backtracking with conflict-directed
// backjumping. The search is exact within WORK_LIMIT.

import type { Candidates } from './candidates.js';
import { type ArrowPair, PartialMatch, type SearchTools } from './partial-match.js';
import { type Continuation, type ExpectedArrow, type Never, type Option, optionsOf, type Plan } from './plan.js';

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

export function search(plan: Plan, tools: SearchTools): SearchOutcome {
  return new Search(plan, tools).run();
}

class Search {
  readonly #plan: Plan;
  readonly #tools: SearchTools;
  readonly #match: PartialMatch;
  readonly #points: ChoicePoint[] = [];
  /** Choice → depth at which it was made. */
  readonly #decided = new Map<number, number>();
  #best: SearchOutcome | null = null;
  #bestDepth = -1;

  constructor(plan: Plan, tools: SearchTools) {
    this.#plan = plan;
    this.#tools = tools;
    this.#match = new PartialMatch(plan, tools);
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
    this.#points.push(choicePointAt(this.#points.length, rest));
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
      if (!this.#isFree(point, arrow, candidates, candidate)) {
        if (point.request?.answer === place) point.conflicts[point.request.depth] = 1;
        continue;
      }
      this.#match.add(arrow, place, candidates.names, candidates.bindings[candidate], depth);
      return true;
    }
    return false;
  }

  #isFree(point: ChoicePoint, arrow: ExpectedArrow, candidates: Candidates, candidate: number): boolean {
    if (this.#tools.pruned?.allows(arrow, candidate) === false) return false;
    if (this.#tools.stories.isForeign(arrow, candidate)) return false;
    const place = candidates.places[candidate];
    const user = this.#match.userOf(place);
    // A message that is too early on its lifeline does not fit here, used or not: that conflict reaches fewer depths.
    if (user >= 0 && this.#match.isBelowAnswers(arrow, place, point.conflicts)) point.conflicts[user] = 1;
    if (user >= 0) return false;
    return this.#match.allows(arrow, place, candidates.names, candidates.bindings[candidate], point.conflicts);
  }

  /** Looks up the candidates that the matches above leave for the arrow. */
  #open(point: ChoicePoint, arrow: ExpectedArrow, candidates: Candidates, depth: number): void {
    const { list, reasons, request } = this.#match.listFor(arrow, candidates);
    const chosen = arrow.choices.flatMap((choice) => {
      const at = this.#decided.get(choice);
      return at !== undefined && at < depth ? [at] : [];
    });
    point.list = this.#match.ordered(list, candidates);
    point.at = 0;
    point.request = request;
    const decided = [...reasons, ...chosen];
    // If the request's response is among the candidates, trying it shows the exact conflict with the request.
    const isTried = request !== null && candidates.at(request.answer).length > 0;
    for (const one of decided) if (!isTried || one !== request.depth) point.conflicts[one] = 1;
    this.#tools.work.step(1 + decided.length + (this.#tools.prefersStory === true ? list.length : 0));
  }

  #take(point: ChoicePoint, option: Option, depth: number): void {
    point.arrow = option.arrow;
    point.place = this.#match.placeAt(depth);
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
    this.#tools.work.step(failed.conflicts.length >> 4);
    let to = failed.conflicts.length - 1;
    while (to >= 0 && failed.conflicts[to] === 0) to -= 1;
    while (this.#points.length - 1 > to) {
      this.#match.remove(this.#points.length - 1);
      this.#points.pop();
    }
    if (to < 0) return false;
    const point = this.#points[to];
    for (let i = 0; i < to; i++) point.conflicts[i] |= failed.conflicts[i];
    if (point.request?.answer === point.place) point.conflicts[point.request.depth] = 1;
    this.#match.remove(to);
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

const NONE: readonly number[] = [];

// Holds one depth of the search: the options from there on, the candidates left to try, and the earlier depths that
// conflict.

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
