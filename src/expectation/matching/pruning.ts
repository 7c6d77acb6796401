// Excludes candidates before the search, without regard to order: messages of other stories, values on which names cannot
// agree, requests with other responses, more equal arrows than messages.

import type { CandidateFinder, Candidates } from './candidates.js';
import type { ObservationIndex } from './observation-index.js';
import type { ExpectedArrow, Plan } from './plan.js';
import type { StepLimit } from './step-limit.js';
import type { Stories } from './stories.js';

export interface PruningTools {
  readonly observation: ObservationIndex;
  readonly finder: CandidateFinder;
  readonly stories: Stories;
  readonly work: StepLimit;
}

export interface Pruned {
  /** Index of the first arrow that cannot be matched in any order; the number of arrows if there is none. */
  readonly end: number;
  /** Is the candidate still possible for the arrow? */
  allows(arrow: ExpectedArrow, candidate: number): boolean;
}

/** @param until only the arrows before this index are considered. */
export function prune(plan: Plan, until: number, tools: PruningTools): Pruned {
  return new CandidateFilter(plan, tools).run(until);
}

class CandidateFilter implements Pruned {
  readonly #plan: Plan;
  readonly #observation: ObservationIndex;
  readonly #finder: CandidateFinder;
  readonly #stories: Stories;
  readonly #work: StepLimit;
  readonly #masks = new Map<ExpectedArrow, Uint8Array>();
  /** Name → values that it can still have. */
  readonly #values = new Map<number, Set<string>>();
  readonly #users = new Map<number, ExpectedArrow[]>();
  /** Arrows with the same label and participants. */
  readonly #equals = new Map<Candidates, ExpectedArrow[]>();
  end = 0;

  constructor(plan: Plan, tools: PruningTools) {
    this.#plan = plan;
    this.#observation = tools.observation;
    this.#finder = tools.finder;
    this.#stories = tools.stories;
    this.#work = tools.work;
  }

  allows(arrow: ExpectedArrow, candidate: number): boolean {
    return this.#masks.get(arrow)?.[candidate] !== 0;
  }

  run(until: number): this {
    for (this.end = 0; this.end < until; this.end++) {
      const arrow = this.#plan.arrows[this.end];
      // An arrow inside of a choice may be absent, so it excludes nothing.
      if (arrow.choices.length > 0) continue;
      if (!this.#add(arrow)) break;
    }
    return this;
  }

  /** @returns false if the arrow, or one above it, has no candidate left. */
  #add(arrow: ExpectedArrow): boolean {
    const candidates = this.#finder.of(arrow, this.#plan);
    this.#masks.set(
      arrow,
      Uint8Array.from(candidates.all, (i) => (this.#stories.isForeign(arrow, i) ? 0 : 1)),
    );
    const equals = [...(this.#equals.get(candidates) ?? []), arrow];
    this.#equals.set(candidates, equals);
    for (const name of candidates.names) this.#users.set(name, [...(this.#users.get(name) ?? []), arrow]);
    const changed: ExpectedArrow[] = [arrow];
    if (!this.#pair(arrow, candidates, changed) || !this.#share(equals, candidates, changed)) return false;
    return this.#spread(changed);
  }

  /** A response and its only possible request must belong to one exchange. */
  #pair(arrow: ExpectedArrow, candidates: Candidates, changed: ExpectedArrow[]): boolean {
    const [request] = arrow.answers ?? [];
    const requestMask = arrow.answers?.length === 1 ? this.#masks.get(request) : undefined;
    if (requestMask === undefined) return this.#masks.get(arrow)?.includes(1) === true;
    const requests = this.#finder.of(request, this.#plan);
    const answers = new Set<number>();
    let hasOrphan = false;
    this.#keep(arrow, candidates, (i) => {
      const place = this.#observation.requestOf(candidates.places[i]);
      if (place < 0) hasOrphan = true;
      else if (!requests.at(place).some((one) => requestMask[one] === 1)) return false;
      answers.add(candidates.places[i]);
      return true;
    });
    if (answers.size === 0) return false;
    if (hasOrphan) return true;
    if (this.#keep(request, requests, (i) => answers.has(this.#observation.responseTo(requests.places[i]))))
      changed.push(request);
    return true;
  }

  /** Equal arrows need as many messages, for every binding of their names. */
  #share(equals: readonly ExpectedArrow[], candidates: Candidates, changed: ExpectedArrow[]): boolean {
    if (equals.length === 1) return true;
    const counts = new Map<string, Set<number>>();
    const keyOf = (i: number): string => candidates.bindings[i].join('\n');
    for (const i of candidates.all) {
      const key = keyOf(i);
      counts.set(key, (counts.get(key) ?? new Set()).add(candidates.places[i]));
    }
    this.#work.step(candidates.all.length);
    for (const one of equals) {
      if (this.#keep(one, candidates, (i) => (counts.get(keyOf(i))?.size ?? 0) >= equals.length)) changed.push(one);
      if (!this.#masks.get(one)?.includes(1)) return false;
    }
    return true;
  }

  /** Propagates the possible values of a name to all arrows that use it. */
  #spread(changed: ExpectedArrow[]): boolean {
    for (let arrow = changed.pop(); arrow !== undefined; arrow = changed.pop()) {
      const mask = this.#masks.get(arrow) as Uint8Array;
      const candidates = this.#finder.of(arrow, this.#plan);
      for (const [at, name] of candidates.names.entries()) {
        const known = this.#values.get(name);
        this.#keep(arrow, candidates, (i) => known?.has(candidates.bindings[i][at] as string) !== false);
        const left = new Set<string>();
        for (const i of candidates.all) if (mask[i] === 1) left.add(candidates.bindings[i][at] as string);
        if (known?.size === left.size) continue;
        this.#values.set(name, left);
        for (const user of this.#users.get(name) ?? [])
          if (user !== arrow && !changed.includes(user)) changed.push(user);
      }
      if (!mask.includes(1)) return false;
    }
    return true;
  }

  /** @returns whether a candidate was excluded. */
  #keep(arrow: ExpectedArrow, candidates: Candidates, isPossible: (candidate: number) => boolean): boolean {
    const mask = this.#masks.get(arrow) as Uint8Array;
    this.#work.step(candidates.all.length >> 3);
    let isLess = false;
    for (const i of candidates.all) {
      if (mask[i] === 0 || isPossible(i)) continue;
      mask[i] = 0;
      isLess = true;
    }
    return isLess;
  }
}
