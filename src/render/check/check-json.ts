// Renders the result of `check` as JSON: expectations with their verdicts, budgets, gaps of the observation.

import type { CheckFailure, CheckMatch } from '../../expectation/check.js';
import { type CheckReport, isMet } from '../../expectation/report.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { jsonText } from '../escape/json-text.js';

export function renderCheckJson(report: CheckReport): string {
  const named = (message: Message): object => messageOf(message, report);
  const document = {
    met: isMet(report),
    expectations: report.expectations.map(({ file, name, line, verdict }) => ({
      file,
      name,
      line,
      result: resultOf(verdict.met, verdict.undecided !== null),
      met: verdict.met,
      ...(verdict.undecided === null ? null : { undecided: verdict.undecided }),
      arrows: verdict.arrows,
      matched: verdict.matched.map((match) => matchOf(match, named)),
      reordered: verdict.reordered.map(({ above, below }) => [above, below]),
      beforeStory: verdict.beforeStory.map((match) => matchOf(match, named)),
      names: Object.fromEntries(verdict.names),
      failures: verdict.failures.map((failure) => failureOf(failure, named)),
    })),
    budgets: report.budgets.map(({ budget, count, exceeded, undecided }) => ({
      file: budget.file,
      line: budget.line,
      name: budget.name,
      result: resultOf(exceeded.length === 0, undecided !== undefined),
      met: exceeded.length === 0 && undecided === undefined,
      ...(undecided === undefined ? null : { undecided }),
      max: budget.max,
      count,
      exceeded: exceeded.map(({ group, count: many, message }) => ({ group, count: many, message: named(message) })),
    })),
    missing: report.missing,
  };
  return `${jsonText(document, 2)}\n`;
}

function resultOf(isMet: boolean, isUndecided: boolean): 'pass' | 'FAIL' | 'undecided' {
  if (isUndecided) return 'undecided';
  return isMet ? 'pass' : 'FAIL';
}

function failureOf({ kind, line, arrow, nearest, matched }: CheckFailure, named: (message: Message) => object): object {
  return {
    kind,
    line,
    arrow,
    nearest: nearest === null ? null : { ...named(nearest.message), differences: nearest.differences },
    matched: matched.map((match) => matchOf(match, named)),
  };
}

function matchOf({ line, message }: CheckMatch, named: (message: Message) => object): object {
  return { line, ...named(message) };
}

function messageOf(message: Message, { captures, start }: CheckReport): object {
  return {
    seq: message.seq,
    from: message.from.name,
    to: message.to.name,
    label: message.label,
    frames: message.frames,
    ...(captures === undefined ? null : { capture: captures[message.capture] }),
    seconds: Number((message.time - start) / 1000n) / 1e6,
  };
}
