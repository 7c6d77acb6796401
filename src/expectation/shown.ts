// Arrows of an expectation as people read them: names instead of ids, one line.

import type { ExpectedArrow, Never, Plan } from './matching/plan.js';
import { plainText } from './syntax/markup.js';

export function shownArrow(
  plan: Plan,
  { from, to, label }: Pick<ExpectedArrow | Never, 'from' | 'to' | 'label'>,
): string {
  return `${shownParticipant(plan, from)} -> ${shownParticipant(plan, to)}: ${label.shown}`;
}

export function shownParticipant(plan: Plan, participant: number): string {
  return plainText(plan.participants[participant].name);
}
