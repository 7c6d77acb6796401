// Checks an expectation against an observation: whether it passes, and if not, the first arrow that has no match and
// the most similar message (contract.md "What an expectation means").

import type { Message } from '../kubernetes/messages/message.js';
import { CandidateFinder } from './matching/candidates.js';
import { ObservationIndex } from './matching/observation-index.js';
import type { ArrowPair, SearchTools } from './matching/partial-match.js';
import type { ExpectedArrow, Plan } from './matching/plan.js';
import { beginningOf, shownArrow } from './matching/plan.js';
import { planOf } from './matching/planner.js';
import { type Pruned, prune } from './matching/pruning.js';
import { type SearchOutcome, search } from './matching/search.js';
import { StepLimit, StepLimitReached, WORK_LIMIT } from './matching/step-limit.js';
import { Stories } from './matching/stories.js';
import { type Nearest, nearestBetweenTheSame, nearestTo } from './nearest.js';
import type { ArrowText, Diagram, NeverText } from './syntax/diagram.js';
import { READINGS_LIMIT, TooManyReadings } from './syntax/pattern.js';

export interface CheckMatch {
  /** 1-based line of the arrow. */
  readonly line: number;
  /** `S -> AS: [REQ] …` with names instead of ids, in one line. */
  readonly arrow: string;
  readonly message: Message;
}

export interface CheckFailure {
  readonly kind: 'missing' | 'never';
  readonly line: number;
  readonly arrow: string;
  readonly text: ArrowText | NeverText;
  /** The arrows that were matched before it. */
  readonly matched: readonly CheckMatch[];
  /** The most similar message; for `%% never:`, the one that occurred. */
  readonly nearest: Nearest | null;
  /** The most similar message between the arrow's own participants, if `nearest` is between others. */
  readonly nearestOwn?: Nearest | null;
}

export interface CheckVerdict {
  readonly met: boolean;
  /** The limit that stopped matching before a decision, with advice. */
  readonly undecided: string | null;
  /** Number of arrows that were looked for. */
  readonly arrows: number;
  readonly matched: readonly CheckMatch[];
  readonly failures: readonly CheckFailure[];
  /** Lines of arrows that happened in the opposite order, if it passes. */
  readonly reordered: readonly { readonly above: number; readonly below: number }[];
  /** Matches that came before that of the first arrow, if it passes. */
  readonly beforeStory: readonly CheckMatch[];
  /** Values of the names in `{}`. */
  readonly names: ReadonlyMap<string, string>;
}

export interface CheckOptions {
  /** Report every failure, treating the earlier failed arrows as missing; else only the first. */
  readonly allFailures?: boolean;
  /** Steps; default WORK_LIMIT. */
  readonly workLimit?: number;
}

export { ObservationIndex };

export function check(diagram: Diagram, observation: ObservationIndex, options: CheckOptions = {}): CheckVerdict {
  return new Checker(diagram, observation, options).verdict();
}

class Checker {
  readonly #diagram: Diagram;
  readonly #observation: ObservationIndex;
  readonly #options: CheckOptions;
  readonly #finder: CandidateFinder;
  readonly #work: StepLimit;
  #stories: Stories | null = null;
  readonly #failures: CheckFailure[] = [];

  constructor(diagram: Diagram, observation: ObservationIndex, options: CheckOptions) {
    this.#diagram = diagram;
    this.#observation = observation;
    this.#options = options;
    this.#finder = new CandidateFinder(observation);
    this.#work = new StepLimit(options.workLimit ?? WORK_LIMIT);
  }

  verdict(): CheckVerdict {
    const absent = new Set<ArrowText | NeverText>();
    try {
      for (;;) {
        const plan = planOf(this.#diagram, { absent, optional: false });
        const outcome = this.#solve(plan);
        if (outcome.found) return this.#found(plan, outcome, absent);
        const failure = this.#failure(plan, outcome);
        this.#failures.push(failure);
        if (this.#options.allFailures !== true) return this.#verdict(plan, outcome);
        absent.add(failure.text);
      }
    } catch (error) {
      const why = whyUndecided(error);
      if (why === null) throw error;
      return {
        met: false,
        undecided: why,
        arrows: 0,
        matched: [],
        failures: this.#failures,
        reordered: [],
        beforeStory: [],
        names: new Map(),
      };
    }
  }

  /** All required arrows are matched: also matches the optional ones, to show where they are. */
  #found(plan: Plan, outcome: SearchOutcome, absent: ReadonlySet<ArrowText | NeverText>): CheckVerdict {
    const whole = planOf(this.#diagram, { absent, optional: true });
    if (whole.arrows.length === plan.arrows.length) return this.#verdict(plan, this.#asStory(plan) ?? outcome);
    const more = this.#asStory(whole) ?? this.#tried(() => this.#search(whole));
    return more === null ? this.#verdict(plan, this.#asStory(plan) ?? outcome) : this.#verdict(whole, more);
  }

  /** A match that prefers messages of one story; null: finding it takes too long. */
  #asStory(plan: Plan): SearchOutcome | null {
    return this.#tried(() =>
      this.#search(plan, this.#filter(plan, plan.arrows.length), {
        work: new StepLimit(STORY_STEPS),
        prefersStory: true,
      }),
    );
  }

  /** null: there is no match, or finding it takes too long. */
  #tried(find: () => SearchOutcome): SearchOutcome | null {
    try {
      const outcome = find();
      return outcome.found ? outcome : null;
    } catch (error) {
      if (whyUndecided(error) === null) throw error;
      return null;
    }
  }

  /** Finds a match, or the first arrow that fails. Pruning excludes most orders before the search. */
  #solve(plan: Plan): SearchOutcome {
    const all = plan.arrows.length;
    const { end } = this.#filter(plan, all);
    const outcome = this.#searchBeginning(plan, end);
    if (outcome.found) return end === all ? outcome : { ...outcome, found: false, failed: plan.arrows[end] };
    if (outcome.occurred !== null) return outcome;
    return this.#firstFailure(plan, outcome, end);
  }

  /** Finds by bisection the first arrow that fails: pruning for a later arrow may have made earlier ones fail. */
  #firstFailure(plan: Plan, outcome: SearchOutcome, end: number): SearchOutcome {
    if (plan.arrows.some(({ choices }) => choices.length > 0)) return this.#search(plan);
    let good = outcome.pairs.length;
    let bad = end;
    let best = outcome;
    while (bad - good > 1) {
      const middle = (good + bad) >> 1;
      const tried = this.#searchBeginning(plan, middle);
      if (tried.found) {
        good = middle;
        best = tried;
      } else bad = middle;
    }
    return { ...best, found: false, failed: plan.arrows[good] };
  }

  #searchBeginning(plan: Plan, end: number): SearchOutcome {
    const beginning = end === plan.arrows.length ? plan : beginningOf(plan, end);
    return this.#search(beginning, this.#filter(beginning, end));
  }

  #filter(plan: Plan, until: number): Pruned {
    return prune(plan, until, { ...this.#tools(), work: this.#work });
  }

  /** Finding candidates may take too long, which is a verdict. */
  #tools(): Pick<SearchTools, 'observation' | 'finder' | 'stories'> {
    const [observation, finder] = [this.#observation, this.#finder];
    this.#stories ??= new Stories(planOf(this.#diagram, { absent: NONE, optional: true }), observation, finder);
    return { observation, finder, stories: this.#stories };
  }

  #search(plan: Plan, filtered?: Pruned, more?: Pick<SearchTools, 'work' | 'prefersStory'>): SearchOutcome {
    return search(plan, {
      ...this.#tools(),
      work: this.#work,
      pruned: filtered,
      ...more,
    });
  }

  #verdict(plan: Plan, outcome: SearchOutcome): CheckVerdict {
    const met = this.#failures.length === 0;
    const [first, ...others] = outcome.pairs;
    const early = met
      ? others.filter(({ arrow, place }) => place < first.place && !plan.areApart(arrow.branch, first.arrow.branch))
      : [];
    const turned = met ? reordered(outcome.pairs, plan, this.#observation.exchanges) : [];
    return {
      met,
      undecided: null,
      arrows:
        new Set(plan.arrows.map(({ text }) => text)).size +
        this.#failures.filter(({ kind }) => kind === 'missing').length -
        (outcome.found ? 0 : 1),
      matched: this.#matches(plan, outcome),
      failures: this.#failures,
      reordered: turned.map(({ above, below }) => ({ above: above.text.line, below: below.text.line })),
      beforeStory: this.#matches(plan, { pairs: early }),
      names: outcome.names,
    };
  }

  #matches(plan: Plan, { pairs }: Pick<SearchOutcome, 'pairs'>): CheckMatch[] {
    return pairs.map(({ arrow, place }) => ({
      line: arrow.text.line,
      arrow: shownArrow(plan, arrow),
      message: this.#observation.messages[place],
    }));
  }

  #failure(plan: Plan, outcome: SearchOutcome): CheckFailure {
    const matched = this.#matches(plan, outcome);
    if (outcome.occurred !== null) {
      const { never, place } = outcome.occurred;
      const nearest = {
        message: this.#observation.messages[place],
        differences: [],
        fits: true,
        isBetweenOthers: false,
        hasSameLabel: true,
      };
      return {
        kind: 'never',
        line: never.text.line,
        arrow: shownArrow(plan, never),
        text: never.text,
        matched,
        nearest,
      };
    }
    const arrow = outcome.failed;
    if (arrow === null) throw new Error('a search that failed names no arrow');
    const tools = this.#tools();
    const nearest = nearestTo(arrow, plan, outcome, tools);
    const nearestOwn = nearest?.isBetweenOthers === true ? nearestBetweenTheSame(arrow, plan, outcome, tools) : nearest;
    return {
      kind: 'missing',
      line: arrow.text.line,
      arrow: shownArrow(plan, arrow),
      text: arrow.text,
      matched,
      nearest,
      nearestOwn,
    };
  }
}

function whyUndecided(error: unknown): string | null {
  if (error instanceof StepLimitReached)
    return `WORK_LIMIT: matching it takes more than ${WORK_LIMIT.toLocaleString('en')} steps; fewer wildcards and names in it make it decidable`;
  if (error instanceof TooManyReadings)
    return `READINGS_LIMIT: one label can be read in more than ${READINGS_LIMIT} ways; put text between its {names}`;
  return null;
}

const NONE: ReadonlySet<never> = new Set();
/** Steps for a match within one story, when a match is known already; most take thousands. */
const STORY_STEPS = 2_000_000;

/** Two arrows of which the lower one happened first. */
interface Reordered {
  readonly above: ExpectedArrow;
  readonly below: ExpectedArrow;
}

/**
 * Finds, for each exchange, the first arrow above that happened later. Branches of one `par` have no order.
 * @param exchanges place → exchange.
 */
function reordered(pairs: readonly ArrowPair[], plan: Plan, exchanges: Int32Array): Reordered[] {
  const found: Reordered[] = [];
  const reported = new Set<string>();
  const requests = new Map<number, number>();
  /** Index of each pair, or of that of its request. */
  const heads = pairs.map(({ arrow, place }, i) => {
    const { tag } = arrow.label;
    if (tag === 'REQ' || tag === 'RPC') requests.set(exchanges[place], i);
    return tag === 'RESP' || tag === 'RPC-RESP' ? (requests.get(exchanges[place]) ?? i) : i;
  });
  let latest = -1;
  for (const [i, { arrow, place }] of pairs.entries()) {
    if (place > latest) {
      latest = place;
      continue;
    }
    for (let above = 0; above < i; above++) {
      if (pairs[above].place < place || plan.areApart(pairs[above].arrow.branch, arrow.branch)) continue;
      const key = `${heads[above]} ${heads[i]}`;
      if (!reported.has(key)) found.push({ above: pairs[above].arrow, below: arrow });
      reported.add(key);
      break;
    }
  }
  return found;
}
