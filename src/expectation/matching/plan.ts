// Defines the plan of an expectation, and computes which arrows can come next in what is left of it.

import type { ArrowText, NeverText } from '../syntax/diagram.js';
import type { LabelPattern } from '../syntax/label.js';
import { plainText } from '../syntax/markup.js';

export interface ExpectedArrow {
  /** Position in the text. */
  readonly index: number;
  readonly text: ArrowText;
  readonly label: LabelPattern;
  /** Index among the participants. */
  readonly from: number;
  readonly to: number;
  /** Arrows with the same number stand in the same branches of all `par` blocks around them: see `areApart`. */
  readonly branch: number;
  /** Optional and alternative blocks that contain it. */
  readonly choices: readonly number[];
  /** Of an event: its label has a wildcard, or a name that no arrow above has bound. */
  readonly hasFreeName: boolean;
  /** Of a response: the requests above that it may belong to; null: any request. */
  readonly answers: readonly ExpectedArrow[] | null;
}

export type PlanStep =
  | { readonly kind: 'arrow'; readonly arrow: ExpectedArrow }
  | { readonly kind: 'sequence'; readonly steps: readonly PlanStep[] }
  | { readonly kind: 'choice'; readonly choice: number; readonly branches: readonly PlanStep[] };

/** The rest of the plan, as a linked list. */
export type Continuation = { readonly step: PlanStep; readonly next: Continuation } | null;

export interface Plan {
  readonly rest: Continuation;
  readonly arrows: readonly ExpectedArrow[];
  readonly participants: readonly PlannedParticipant[];
  readonly nevers: readonly Never[];
  /** Are two arrows in different branches of one `par`, so that their order is free? */
  areApart(branch: number, other: number): boolean;
  readonly branches: number;
  /** `%% order: strict`: every participant waits for its responses, not only clients that people run. */
  readonly isStrict: boolean;
}

export interface PlannedParticipant {
  readonly id: string;
  /** With the escapes of `readMarkup`. */
  readonly name: string;
}

export interface Never {
  readonly text: NeverText;
  readonly label: LabelPattern;
  readonly from: number;
  readonly to: number;
}

/** An arrow that can come next, with the rest of the plan after it; no arrow: the plan can end. */
export interface Option {
  readonly arrow: ExpectedArrow | null;
  readonly rest: Continuation;
  /** Blocks (`opt`, `alt`) that this option enters or skips, by their number. */
  readonly chosen: readonly number[];
}

export function optionsOf(rest: Continuation): Option[] {
  if (rest === null) return [{ arrow: null, rest: null, chosen: [] }];
  const { step, next } = rest;
  switch (step.kind) {
    case 'arrow':
      return [{ arrow: step.arrow, rest: next, chosen: [] }];
    case 'sequence':
      return optionsOf(step.steps.reduceRight<Continuation>((behind, one) => ({ step: one, next: behind }), next));
    case 'choice':
      return step.branches.flatMap((branch) => choosing(step.choice, optionsOf({ step: branch, next })));
  }
}

function choosing(choice: number, options: readonly Option[]): Option[] {
  return options.map((option) => ({ ...option, chosen: [...option.chosen, choice] }));
}

/** The plan of the arrows before an index, without `%% never:`. */
export function beginningOf(plan: Plan, end: number): Plan {
  const arrows = plan.arrows.slice(0, end);
  const kept = new Set(arrows);
  const cut = (step: PlanStep): PlanStep => {
    switch (step.kind) {
      case 'arrow':
        return kept.has(step.arrow) ? step : EMPTY_STEP;
      case 'sequence':
        return { ...step, steps: step.steps.map(cut) };
      case 'choice':
        return { ...step, branches: step.branches.map(cut) };
    }
  };
  return { ...plan, rest: plan.rest && { step: cut(plan.rest.step), next: null }, arrows, nevers: [] };
}

/** `CLIENT → SERVER: LABEL`, with names instead of ids, in one line. */
export function shownArrow(
  plan: Plan,
  { from, to, label }: Pick<ExpectedArrow | Never, 'from' | 'to' | 'label'>,
): string {
  return `${shownParticipant(plan, from)} → ${shownParticipant(plan, to)}: ${label.shown}`;
}

export function shownParticipant(plan: Plan, participant: number): string {
  return plainText(plan.participants[participant].name);
}

export const EMPTY_STEP: PlanStep = { kind: 'sequence', steps: [] };
