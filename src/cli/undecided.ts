// Verdicts of `check` where nothing, or not what an expectation needs, could be read: neither holds nor fails, status 2, and why.

import {
  type BudgetResult,
  type CheckVerdict,
  checkBudgets,
  check as checkDiagram,
  type Diagram,
  failuresUnread,
  isEmpty,
  type Message,
  missingParts,
  type ObservationIndex,
  type UndecidedExpectation,
  type UnreadPlace,
  UnreadTraffic,
  undecidedIn,
  unreadPlaces,
} from '../index.js';
import type { Session } from './input/session.js';
import type { CommonOptions } from './options.js';
import { NOTHING_THERE, whyUnread } from './unread.js';

type Budgets = Parameters<typeof checkBudgets>[0];

/** Gives the verdicts on one observation. */
export class Judge {
  readonly #facts: ObservationIndex;
  readonly #session: Session;
  readonly #unread: UnreadTraffic;
  /** Why nothing at all can be decided; null: something was read. */
  readonly #nothing: string | null;

  /** @param everything all of the observation: `facts` may be about a selection. */
  constructor(facts: ObservationIndex, everything: readonly Message[], session: Session, options: CommonOptions) {
    this.#facts = facts;
    this.#session = session;
    this.#unread = new UnreadTraffic(unreadPlaces(session.notices), everything);
    this.#nothing = everything.length > 0 ? null : nothingRead(session, options).join('; ');
  }

  verdict(diagram: Diagram, allFailures: boolean | undefined): CheckVerdict {
    const verdict = checkDiagram(diagram, this.#facts, { allFailures });
    if (verdict.undecided !== null || isEmpty(diagram) || this.#session.interrupted) return verdict;
    const why = this.#nothing ?? this.#whyUndecided(diagram, verdict);
    return why === null ? verdict : { ...verdict, met: false, undecided: why };
  }

  budgets(budgets: Budgets): BudgetResult[] {
    const results = checkBudgets(budgets, this.#facts);
    const undecided = this.#session.interrupted ? null : this.#nothing;
    return undecided === null ? results : results.map((one) => ({ ...one, undecided }));
  }

  /** Why arrows of an expectation cannot be rewritten: they may have happened. null: they can. */
  whyKept(diagram: Diagram): string | null {
    if (this.#nothing !== null) return this.#nothing;
    const verdict = checkDiagram(diagram, this.#facts, { allFailures: true });
    return this.#sentence(failuresUnread(diagram, verdict, this.#unread), 'may be');
  }

  /** @returns null: the verdict stands. */
  #whyUndecided(diagram: Diagram, verdict: CheckVerdict): string | null {
    if (undecidedIn(diagram, verdict, this.#unread).length === 0) return null;
    // The first failure may be in what was not read: is there another one that is not?
    const whole = verdict.met ? verdict : checkDiagram(diagram, this.#facts, { allFailures: true });
    return this.#sentence(
      undecidedIn(diagram, whole, this.#unread),
      verdict.met ? 'must never occur, and may be' : 'may be',
    );
  }

  #sentence(undecided: readonly UndecidedExpectation[], what: string): string | null {
    if (undecided.length === 0) return null;
    const lines = [...new Set(undecided.map(({ line }) => line))];
    const places = new Set(undecided.flatMap((one) => one.places));
    const arrows = `${lines.length === 1 ? 'the arrow of line' : 'the arrows of lines'} ${lines.join(', ')}`;
    return `${arrows} ${what} in what could not be read: ${placesText([...places], this.#session)}`;
  }
}

/** `2 encrypted connections without secrets (192.0.2.1:40000 to 192.0.2.10:2379, …)` */
export function placesText(places: readonly UnreadPlace[], session: Session): string {
  const ends = new Set(places.map(({ code, ends: at }) => `${code} ${at?.client} ${at?.server}`));
  const notices = session.notices.filter((one) =>
    unreadPlaces([one]).some(({ code, ends: at }) => ends.has(`${code} ${at?.client} ${at?.server}`)),
  );
  const shown = places
    .slice(0, SHOWN_PLACES)
    .flatMap(({ ends: at }) => (at === null ? [] : [`${at.client} to ${at.server}`]));
  const more = places.length > SHOWN_PLACES ? ', …' : '';
  const which = shown.length === 0 ? '' : ` (${shown.join(', ')}${more})`;
  return `${missingParts(notices).join(', ')}${which}; give their key log with --keylog, see kubeseq summary --streams`;
}

/** Of an observation without messages, line by line. */
export function nothingRead(session: Session, options: CommonOptions): readonly string[] {
  const why = whyUnread(session, options);
  return why.length === 0 ? [NOTHING_THERE] : why;
}

const SHOWN_PLACES = 3;
