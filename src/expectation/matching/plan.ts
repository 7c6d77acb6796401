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
  readonly critical: Critical | null;
  /** Of an event: its label has a wildcard, or a name that no arrow above has bound. */
  readonly hasFreeName: boolean;
  /** Of a response: the requests above that it may belong to; null: any request. */
  readonly answers: readonly ExpectedArrow[] | null;
}

/** A `critical` block: only its arrows occur between its participants. */
export interface Critical {
  readonly participants: ReadonlySet<number>;
}

export type PlanStep =
  | { readonly kind: 'arrow'; readonly arrow: ExpectedArrow }
  | { readonly kind: 'sequence'; readonly steps: readonly PlanStep[] }
  | { readonly kind: 'choice'; readonly choice: number; readonly branches: readonly PlanStep[] }
  /** Any interleaving; only inside `critical`, where the order counts. */
  | { readonly kind: 'interleave'; readonly branches: readonly Continuation[] }
  | { readonly kind: 'repeat'; readonly choice: number; readonly step: PlanStep };

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
  /** Blocks (`opt`, `alt`, `loop`) that this option enters or skips, by their number. */
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
    case 'repeat': {
      // A round matches at least one arrow before the next round begins.
      const round = optionsOf({ step: step.step, next: null }).filter(({ arrow }) => arrow !== null);
      const repeats = round.map((option) => ({ ...option, rest: followed(option.rest, rest) }));
      return [...choosing(step.choice, repeats), ...choosing(step.choice, optionsOf(next))];
    }
    case 'interleave':
      return interleavings(step.branches, next);
  }
}

function followed(first: Continuation, then: Continuation): Continuation {
  return first === null ? then : { step: first.step, next: followed(first.next, then) };
}

function choosing(choice: number, options: readonly Option[]): Option[] {
  return options.map((option) => ({ ...option, chosen: [...option.chosen, choice] }));
}

function interleavings(branches: readonly Continuation[], next: Continuation): Option[] {
  const options: Option[] = [];
  let mayEnd = true;
  for (const [i, branch] of branches.entries()) {
    let canEnd = false;
    for (const option of optionsOf(branch)) {
      if (option.arrow === null) canEnd = true;
      else {
        const left = branches.map((one, at) => (at === i ? option.rest : one));
        options.push({ ...option, rest: { step: { kind: 'interleave', branches: left }, next } });
      }
    }
    mayEnd &&= canEnd;
  }
  return mayEnd ? [...options, ...optionsOf(next)] : options;
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
      case 'repeat':
        return { ...step, step: cut(step.step) };
      case 'interleave':
        return { ...step, branches: step.branches.map(cutRest) };
    }
  };
  const cutRest = (rest: Continuation): Continuation =>
    rest === null ? null : { step: cut(rest.step), next: cutRest(rest.next) };
  return { ...plan, rest: cutRest(plan.rest), arrows, nevers: [] };
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
