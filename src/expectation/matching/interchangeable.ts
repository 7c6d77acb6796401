// Finds arrows that can change places: equal arrows whose messages are about the same objects and are answered in the
// order of the requests. Only one order of them needs to be tried.

import type { CandidateFinder } from './candidates.js';
import type { ObservationIndex } from './observation-index.js';
import type { ExpectedArrow, Plan } from './plan.js';

export class InterchangeableArrows {
  readonly #previousOf = new Map<ExpectedArrow, ExpectedArrow>();
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
      const previous = last.get(key);
      if (previous === undefined ? !this.#areAlike(arrow) : false) continue;
      if (previous !== undefined) this.#previousOf.set(arrow, previous);
      last.set(key, arrow);
    }
  }

  /** The interchangeable arrow directly above, whose message has to be earlier. */
  previousOf(arrow: ExpectedArrow): ExpectedArrow | undefined {
    return this.#previousOf.get(arrow);
  }

  /** Request → its response; null if the response may belong to another request. */
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

  /** Are all candidates about the same objects, and answered in the order of the requests? */
  #areAlike(arrow: ExpectedArrow): boolean {
    const { places } = this.#finder.of(arrow, this.#plan);
    let answered = -1;
    for (const place of places) {
      if (this.#observation.subjectAt(place) !== this.#observation.subjectAt(places[0])) return false;
      if (this.#observation.isWrite(place) !== this.#observation.isWrite(places[0])) return false;
      // An effect distinguishes the message from the others.
      if (this.#observation.hasEffects(place)) return false;
      // Events are ordered within one watch only.
      const { kind } = this.#observation.messages[place];
      if (kind === 'request' && this.#observation.index.exchangeOf(this.#observation.messages[place]).parts.length > 0)
        return false;
      if (kind !== 'request' && this.#observation.exchanges[place] !== this.#observation.exchanges[places[0]])
        return false;
      const answer = kind === 'request' ? this.#observation.responseTo(place) : -1;
      if (answer < 0) continue;
      if (answer < answered || this.#observation.subjectAt(answer) !== this.#observation.subjectAt(places[0]))
        return false;
      answered = answer;
    }
    return true;
  }
}

/** Has the arrow no names, and no condition that depends on its neighbours? */
function isPlain({ label, choices, critical, text }: ExpectedArrow): boolean {
  return label.names.length === 0 && choices.length === 0 && critical === null && text.within === null;
}
