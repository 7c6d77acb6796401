// Too many arrows that share too few messages: a depth at which what was wanted is matched above goes in, the depths to
// blame for that come out. Knows whose a message could be (Hall's theorem); nothing of order.

import type { CandidateFinder } from './candidates.js';
import type { ChoicePoint } from './choice-point.js';
import { addConflict, CONFLICT } from './conflicts.js';
import type { PartialMatch } from './partial-match.js';
import type { Plan } from './plan.js';
import type { StepLimit } from './step-limit.js';

/** What is matched so far, and what it was chosen from. */
export interface Matching {
  readonly frames: readonly ChoicePoint[];
  readonly match: PartialMatch;
  readonly plan: Plan;
  readonly finder: CandidateFinder;
  readonly work: StepLimit;
}

/**
 * Messages that were wanted here are matched above. Where those arrows, whichever way they change places, need them all
 * (Hall's theorem), nobody among them is to blame, but what left them so few.
 *
 * @param failed the depth below all that are matched; its blame gets the depths.
 */
export function conflictsOfUsers(failed: ChoicePoint, matching: Matching): void {
  if (failed.wanted.size === 0) return;
  const reasons = failed.options.length === 1 ? hallViolation(failed, matching) : null;
  for (const depth of reasons ?? failed.wanted) addConflict(failed.blame, depth, CONFLICT);
}

/** Depths that decided the lists of all who share too few messages; null: somebody could give way. */
function hallViolation(failed: ChoicePoint, { frames, match, plan, finder, work }: Matching): Set<number> | null {
  const reasons = new Set<number>();
  const crowd = new Set(failed.wanted);
  let steps = 0;
  for (const depth of crowd) {
    const { list, listBlame, options, arrow } = frames[depth];
    if (options.length > 1 || arrow === null || list === null) return null;
    steps += list.length;
    if (steps > HALL_STEPS) return null;
    work.step(list.length);
    const { places } = finder.of(arrow, plan);
    for (const candidate of list) {
      const user = match.userOf(places[candidate]);
      if (user < 0) return null;
      crowd.add(user);
    }
    for (const reason of listBlame) reasons.add(reason);
  }
  return reasons;
}

/** Messages looked at for one proof that too many arrows share too few; most take tens. */
const HALL_STEPS = 10_000;
