// Arrows that could change places: the same text between the same participants, whose messages are about the same objects
// and are answered in the order they were asked. For them one order is as good as any other, so only one is tried. Where
// that cannot be proven they are no twins.

import type { CandidateFinder } from './candidates.js';
import type { ObservationIndex } from './observation-index.js';
import type { ExpectedArrow, Plan } from './plan.js';

export class InterchangeableArrows {
  readonly #before = new Map<ExpectedArrow, ExpectedArrow>();
  readonly #plan: Plan;
  readonly #observation: ObservationIndex;
  readonly #finder: CandidateFinder;

  constructor(plan: Plan, observation: ObservationIndex, finder: CandidateFinder) {
    this.#plan = plan;
    this.#observation = observation;
    this.#finder = finder;
    const answers = this.#onlyAnswers();
    const last = new Map<string, ExpectedArrow>();
    for (const [i, arrow] of plan.arrows.entries()) {
      const isTimed = plan.arrows[i + 1] !== undefined && plan.arrows[i + 1].text.within !== null;
      const key = isTimed ? null : this.#keyOf(arrow, answers);
      if (key === null) continue;
      const twin = last.get(key);
      if (twin === undefined ? !this.#areAlike(arrow) : false) continue;
      if (twin !== undefined) this.#before.set(arrow, twin);
      last.set(key, arrow);
    }
  }

  /** The twin directly above, whose message has to be the earlier one. */
  before(arrow: ExpectedArrow): ExpectedArrow | undefined {
    return this.#before.get(arrow);
  }

  /** Requests with the one answer that can only be theirs; null: it could be another's. */
  #onlyAnswers(): Map<ExpectedArrow, ExpectedArrow | null> {
    const answers = new Map<ExpectedArrow, ExpectedArrow | null>();
    for (const arrow of this.#plan.arrows) {
      for (const request of arrow.answers ?? []) {
        answers.set(request, arrow.answers?.length === 1 && !answers.has(request) ? arrow : null);
      }
    }
    return answers;
  }

  #keyOf(arrow: ExpectedArrow, answers: ReadonlyMap<ExpectedArrow, ExpectedArrow | null>): string | null {
    const answer = answers.get(arrow);
    if (arrow.answers !== null || answer === null || !isPlain(arrow)) return null;
    if (answer !== undefined && (!isPlain(answer) || answer.branch !== arrow.branch)) return null;
    const { from, to, branch, label } = arrow;
    return [from, to, branch, label.marked, answer === undefined ? '' : answer.label.marked].join('\n');
  }

  /** Are all messages that it fits about the same, and answered in turn? */
  #areAlike(arrow: ExpectedArrow): boolean {
    const { places } = this.#finder.of(arrow, this.#plan);
    let answered = -1;
    for (const place of places) {
      if (this.#observation.aboutAt(place) !== this.#observation.aboutAt(places[0])) return false;
      if (this.#observation.isWrite(place) !== this.#observation.isWrite(places[0])) return false;
      // What came of it says which of them it was.
      if (this.#observation.hasEffects(place)) return false;
      // Events of several watches are in turn in each of them only.
      const { kind } = this.#observation.messages[place];
      if (kind === 'request' && this.#observation.index.exchangeOf(this.#observation.messages[place]).parts.length > 0)
        return false;
      if (kind !== 'request' && this.#observation.exchanges[place] !== this.#observation.exchanges[places[0]])
        return false;
      const answer = kind === 'request' ? this.#observation.responseTo(place) : -1;
      if (answer < 0) continue;
      if (answer < answered || this.#observation.aboutAt(answer) !== this.#observation.aboutAt(places[0])) return false;
      answered = answer;
    }
    return true;
  }
}

/** Nothing open in it, and nothing that ties it to its neighbours. */
function isPlain({ label, choices, critical, text }: ExpectedArrow): boolean {
  return label.names.length === 0 && choices.length === 0 && critical === null && text.within === null;
}
