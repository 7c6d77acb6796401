// What `check` says of a file's expectations and a budget, as data that every output tells in its own way.

import type { BudgetResult } from './budget.js';
import type { CheckVerdict } from './check.js';

export interface CheckedExpectation {
  /** As the user named it. */
  readonly file: string;
  readonly name: string;
  /** 1-based line of `sequenceDiagram`. */
  readonly line: number;
  /** Text of the diagram, and the line of the file it begins with. */
  readonly source: string;
  readonly firstLine: number;
  readonly verdict: CheckVerdict;
}

export interface CheckReport {
  readonly expectations: readonly CheckedExpectation[];
  readonly budgets: readonly BudgetResult[];
  /** What is missing from the observation, in words: an arrow that was not found may be in there. */
  readonly missing: readonly string[];
  /** Names of the captures where there are several. */
  readonly captures?: readonly string[];
  /** ns since the epoch: of the first frame. */
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
