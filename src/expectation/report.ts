// Collects the results of a `check` run for all renderers.

import type { BudgetResult } from './budget.js';
import type { CheckVerdict } from './check.js';

export interface CheckedExpectation {
  /** Path as the user wrote it. */
  readonly file: string;
  readonly name: string;
  /** 1-based line of `sequenceDiagram`. */
  readonly line: number;
  /** Text of the diagram, and the 1-based line of the file where it begins. */
  readonly source: string;
  readonly firstLine: number;
  readonly verdict: CheckVerdict;
}

export interface CheckReport {
  readonly expectations: readonly CheckedExpectation[];
  readonly budgets: readonly BudgetResult[];
  /** Parts of the observation that are missing, in words: a missing arrow may be among them. */
  readonly missing: readonly string[];
  /** Names of the captures, if there are several. */
  readonly captures?: readonly string[];
  /** Time of the first frame, ns since the epoch. */
  readonly start: bigint;
}

export function isMet({ expectations, budgets }: CheckReport): boolean {
  return (
    expectations.every(({ verdict }) => verdict.met) &&
    budgets.every(({ exceeded, undecided }) => exceeded.length === 0 && undecided === undefined)
  );
}

export function isUndecided({ expectations, budgets }: CheckReport): boolean {
  return (
    expectations.some(({ verdict }) => verdict.undecided !== null) ||
    budgets.some(({ undecided }) => undecided !== undefined)
  );
}
