// Records which candidates of an arrow failed, so that the search skips them as long as the matches that made them
// fail are unchanged.

import type { ChoicePoint } from './choice-point.js';
import { addConflict } from './conflicts.js';
import type { ExpectedArrow } from './plan.js';

export class Nogoods {
  readonly #byArrow = new Map<ExpectedArrow, Resume>();
  /** Changes whenever another message is matched at a depth. */
  readonly #stamps: number[] = [];

  reach(depth: number): void {
    this.#stamps[depth] ??= 0;
  }

  /** The match at a depth changed. */
  moved(depth: number): void {
    this.#stamps[depth] += 1;
  }

  /** A candidate was accepted: records why all before it failed. */
  remember(point: ChoicePoint, arrow: ExpectedArrow, depth: number): void {
    const reasons: Reason[] = [];
    for (let i = 0; i < depth; i++)
      if (point.conflicts[i] !== 0) reasons.push({ depth: i, conflicts: point.conflicts[i], stamp: this.#stamps[i] });
    for (const i of point.wanted) reasons.push({ depth: i, conflicts: WANTED, stamp: this.#stamps[i] });
    this.#byArrow.set(arrow, { list: point.list as readonly number[], depth, at: point.at - 1, reasons });
  }

  /** Skips candidates that failed before if all the matches that made them fail are unchanged. */
  resume(point: ChoicePoint, arrow: ExpectedArrow, depth: number): void {
    const resume = this.#byArrow.get(arrow);
    if (resume === undefined || resume.list !== point.list || resume.depth !== depth) return;
    if (resume.reasons.some((reason) => this.#stamps[reason.depth] !== reason.stamp)) return;
    for (const reason of resume.reasons) {
      if (reason.conflicts === WANTED) point.wanted.add(reason.depth);
      else addConflict(point.conflicts, reason.depth, reason.conflicts);
    }
    point.at = resume.at;
  }
}

interface Resume {
  readonly list: readonly number[];
  readonly depth: number;
  readonly at: number;
  readonly reasons: readonly Reason[];
}

interface Reason {
  readonly depth: number;
  readonly conflicts: number;
  readonly stamp: number;
}

/** No blame: the message that is matched there was wanted here too. */
const WANTED = 0;
