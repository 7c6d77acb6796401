// An expectation made ready for matching, and which of its arrows can come next: what is left of a plan goes in, the ways
// on come out. Knows what is still to be matched; how a diagram becomes a plan is planner.ts's, and nothing is known of
// messages.

import type { ArrowText, NeverText } from '../syntax/diagram.js';
import type { LabelPattern } from '../syntax/label.js';

export interface ExpectedArrow {
  /** In the order of the text. */
  readonly index: number;
  readonly text: ArrowText;
  readonly label: LabelPattern;
  /** Index among the participants. */
  readonly from: number;
  readonly to: number;
  /** Number of the branches of `par` that it stands in. */
  readonly branch: number;
  /** Blocks inside of which it is only if something was chosen. */
  readonly choices: readonly number[];
  readonly critical: Critical | null;
  /** Of an event: is there something in its label that is left open, and that no arrow above has bound? */
  readonly opens: boolean;
  /** Of an answer: request arrows above that it may answer; null: any request. */
  readonly answers: readonly ExpectedArrow[] | null;
}

/** Exactly its arrows, nothing else between its participants. */
export interface Critical {
  readonly participants: ReadonlySet<number>;
}

export type PlanStep =
  | { readonly kind: 'arrow'; readonly arrow: ExpectedArrow }
  | { readonly kind: 'all'; readonly steps: readonly PlanStep[] }
  | { readonly kind: 'one'; readonly choice: number; readonly branches: readonly PlanStep[] }
  /** Any interleaving; only inside `critical`, where the order counts. */
  | { readonly kind: 'mixed'; readonly branches: readonly Continuation[] }
  | { readonly kind: 'again'; readonly choice: number; readonly step: PlanStep };

/** What is still to be matched. */
export type Continuation = { readonly step: PlanStep; readonly next: Continuation } | null;

export interface Plan {
  readonly rest: Continuation;
  readonly arrows: readonly ExpectedArrow[];
  readonly participants: readonly PlannedParticipant[];
  readonly nevers: readonly Never[];
  /** Does the first of two branches of `par` say nothing about the order to the other? */
  areApart(branch: number, other: number): boolean;
  readonly branches: number;
  /** Does every lifeline wait for its answers, not only those of clients that people run? */
  readonly isStrict: boolean;
}

export interface PlannedParticipant {
  readonly id: string;
  /** Escapes of markup.ts in it. */
  readonly name: string;
}

export interface Never {
  readonly text: NeverText;
  readonly label: LabelPattern;
  readonly from: number;
  readonly to: number;
}

/** The arrows that can come next, with what is left behind each; no arrow: nothing has to follow. */
export interface Option {
  readonly arrow: ExpectedArrow | null;
  readonly rest: Continuation;
  /** Choices that are made by taking it. */
  readonly chosen: readonly number[];
}

export function optionsOf(rest: Continuation): Option[] {
  if (rest === null) return [{ arrow: null, rest: null, chosen: [] }];
  const { step, next } = rest;
  switch (step.kind) {
    case 'arrow':
      return [{ arrow: step.arrow, rest: next, chosen: [] }];
    case 'all':
      return optionsOf(step.steps.reduceRight<Continuation>((behind, one) => ({ step: one, next: behind }), next));
    case 'one':
      return step.branches.flatMap((branch) => choosing(step.choice, optionsOf({ step: branch, next })));
    case 'again': {
      // A round takes an arrow of its own before the next may begin.
      const round = optionsOf({ step: step.step, next: null }).filter(({ arrow }) => arrow !== null);
      const repeats = round.map((option) => ({ ...option, rest: followed(option.rest, rest) }));
      return [...choosing(step.choice, repeats), ...choosing(step.choice, optionsOf(next))];
    }
    case 'mixed':
      return mixedOptions(step.branches, next);
  }
}

function followed(first: Continuation, then: Continuation): Continuation {
  return first === null ? then : { step: first.step, next: followed(first.next, then) };
}

function choosing(choice: number, options: readonly Option[]): Option[] {
  return options.map((option) => ({ ...option, chosen: [...option.chosen, choice] }));
}

function mixedOptions(branches: readonly Continuation[], next: Continuation): Option[] {
  const options: Option[] = [];
  let mayEnd = true;
  for (const [i, branch] of branches.entries()) {
    let canEnd = false;
    for (const option of optionsOf(branch)) {
      if (option.arrow === null) canEnd = true;
      else {
        const left = branches.map((one, at) => (at === i ? option.rest : one));
        options.push({ ...option, rest: { step: { kind: 'mixed', branches: left }, next } });
      }
    }
    mayEnd &&= canEnd;
  }
  return mayEnd ? [...options, ...optionsOf(next)] : options;
}

/** The plan of the arrows before an index only, without what must never occur. */
export function beginningOf(plan: Plan, end: number): Plan {
  const arrows = plan.arrows.slice(0, end);
  const kept = new Set(arrows);
  const cut = (step: PlanStep): PlanStep => {
    switch (step.kind) {
      case 'arrow':
        return kept.has(step.arrow) ? step : NOTHING;
      case 'all':
        return { ...step, steps: step.steps.map(cut) };
      case 'one':
        return { ...step, branches: step.branches.map(cut) };
      case 'again':
        return { ...step, step: cut(step.step) };
      case 'mixed':
        return { ...step, branches: step.branches.map(cutRest) };
    }
  };
  const cutRest = (rest: Continuation): Continuation =>
    rest === null ? null : { step: cut(rest.step), next: cutRest(rest.next) };
  return { ...plan, rest: cutRest(plan.rest), arrows, nevers: [] };
}

/** Nothing to match. */
export const NOTHING: PlanStep = { kind: 'all', steps: [] };
