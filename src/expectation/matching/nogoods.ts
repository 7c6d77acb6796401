// Where the search for an arrow can begin again: what was tried in vain at a depth goes in, how far its list need not be
// tried once more comes out, as long as those that it was held up by stay where they are. Knows that they moved; not why.

import type { ChoicePoint } from './choice-point.js';
import { addConflict } from './conflicts.js';
import type { ExpectedArrow } from './plan.js';

export class Nogoods {
  readonly #byArrow = new Map<ExpectedArrow, Resume>();
  /** Changes whenever another message is matched at a depth. */
  readonly #stamps: number[] = [];

  /** The search reaches a depth. */
  reach(depth: number): void {
    this.#stamps[depth] ??= 0;
  }

  /** Another message is matched at a depth, or none any more. */
  moved(depth: number): void {
    this.#stamps[depth] += 1;
  }

  /** The first message of the arrow's list was accepted: what is before it fails for these reasons. */
  remember(frame: ChoicePoint, arrow: ExpectedArrow, depth: number): void {
    const reasons: Reason[] = [];
    for (let i = 0; i < depth; i++)
      if (frame.blame[i] !== 0) reasons.push({ depth: i, blame: frame.blame[i], stamp: this.#stamps[i] });
    for (const i of frame.wanted) reasons.push({ depth: i, blame: WANTED, stamp: this.#stamps[i] });
    this.#byArrow.set(arrow, { list: frame.list as readonly number[], depth, at: frame.at - 1, reasons });
  }

  /** Puts the frame where the arrow's list was left, with the reasons for what is passed over. */
  resume(frame: ChoicePoint, arrow: ExpectedArrow, depth: number): void {
    const resume = this.#byArrow.get(arrow);
    if (resume === undefined || resume.list !== frame.list || resume.depth !== depth) return;
    if (resume.reasons.some((reason) => this.#stamps[reason.depth] !== reason.stamp)) return;
    for (const reason of resume.reasons) {
      if (reason.blame === WANTED) frame.wanted.add(reason.depth);
      else addConflict(frame.blame, reason.depth, reason.blame);
    }
    frame.at = resume.at;
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
  readonly blame: number;
  readonly stamp: number;
}

/** No blame: the message that is matched there was wanted here too. */
const WANTED = 0;
