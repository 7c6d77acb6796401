// Gives verdicts on expectations: pass, fail, or neither, where what is missing may be in traffic that could not be decoded.

import type { Notice } from '../core/notice.js';
import { missingParts } from '../diagram/notes/capture-gaps.js';
import { type UnreadPlace, unreadPlaces } from '../diagram/unread-places.js';
import type { Message } from '../kubernetes/messages/message.js';
import { type BudgetResult, checkBudgets } from './budget.js';
import { type CheckVerdict, check } from './check.js';
import type { ObservationIndex } from './matching/observation-index.js';
import type { Diagram } from './syntax/diagram.js';
import { isEmpty } from './syntax/parse.js';
import { failuresUnread, type UndecidedExpectation, UnreadTraffic, undecidedIn } from './unread-traffic.js';

type Budgets = Parameters<typeof checkBudgets>[0];

/** What verdicts are about. */
export interface Judged {
  readonly observation: ObservationIndex;
  /** All messages: the observation may have a selection of them. */
  readonly everything: readonly Message[];
  readonly notices: readonly Notice[];
  /** Why nothing can be decided, where no message was read. */
  nothing(): string;
  /** The user broke off reading: what is there is judged. */
  readonly isInterrupted?: boolean;
}

/** Gives the verdicts on one observation. */
export class Judge {
  readonly #observation: ObservationIndex;
  readonly #notices: readonly Notice[];
  readonly #unread: UnreadTraffic;
  /** Why nothing can be decided; null: something was decoded. */
  readonly #nothing: string | null;
  readonly #isInterrupted: boolean;

  constructor({ observation, everything, notices, nothing, isInterrupted = false }: Judged) {
    this.#observation = observation;
    this.#notices = notices;
    this.#unread = new UnreadTraffic(unreadPlaces(notices), everything);
    this.#nothing = everything.length > 0 ? null : nothing();
    this.#isInterrupted = isInterrupted;
  }

  /** @param allFailures look for all arrows that have no match; else for the first. */
  verdict(diagram: Diagram, allFailures: boolean | undefined): CheckVerdict {
    const verdict = check(diagram, this.#observation, { allFailures });
    if (verdict.undecided !== null || isEmpty(diagram) || this.#isInterrupted) return verdict;
    const why = this.#nothing ?? this.#whyUndecided(diagram, verdict);
    return why === null ? verdict : { ...verdict, met: false, undecided: why };
  }

  budgets(budgets: Budgets): BudgetResult[] {
    const results = checkBudgets(budgets, this.#observation);
    const undecided = this.#isInterrupted ? null : this.#nothing;
    return undecided === null ? results : results.map((one) => ({ ...one, undecided }));
  }

  /** Why an expectation cannot be rewritten: its missing arrows may be in unread traffic. null: it can. */
  whyKept(diagram: Diagram): string | null {
    if (this.#nothing !== null) return this.#nothing;
    const verdict = check(diagram, this.#observation, { allFailures: true });
    return this.#sentence(failuresUnread(diagram, verdict, this.#unread), 'may be');
  }

  /** @returns null: the verdict stands. */
  #whyUndecided(diagram: Diagram, verdict: CheckVerdict): string | null {
    if (undecidedIn(diagram, verdict, this.#unread).length === 0) return null;
    // The first failure may be in unread traffic; another one decides.
    const whole = verdict.met ? verdict : check(diagram, this.#observation, { allFailures: true });
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
    return `${arrows} ${what} in what could not be read: ${placesText([...places], this.#notices)}`;
  }
}

/** `2 encrypted connections without secrets (192.0.2.1:40000 to 192.0.2.10:2379, …)` */
export function placesText(places: readonly UnreadPlace[], all: readonly Notice[]): string {
  const ends = new Set(places.map(({ code, ends: at }) => `${code} ${at?.client} ${at?.server}`));
  const notices = all.filter((one) =>
    unreadPlaces([one]).some(({ code, ends: at }) => ends.has(`${code} ${at?.client} ${at?.server}`)),
  );
  const shown = places
    .slice(0, SHOWN_PLACES)
    .flatMap(({ ends: at }) => (at === null ? [] : [`${at.client} to ${at.server}`]));
  const more = places.length > SHOWN_PLACES ? ', …' : '';
  const which = shown.length === 0 ? '' : ` (${shown.join(', ')}${more})`;
  return `${missingParts(notices).join(', ')}${which}; give their key log with --keylog, see kubeseq summary --streams`;
}

const SHOWN_PLACES = 3;
export const NOTHING_THERE = 'there is no request and no answer in the capture';
