// Renders the result of `check` as JUnit XML: a test suite for each file, a test case for each expectation or budget.

import { append } from '../../core/collections/many.js';
import type { BudgetResult } from '../../expectation/budget.js';
import type { CheckedExpectation, CheckReport } from '../../expectation/report.js';
import { escapeXml } from '../escape/html-escape.js';
import { renderCheckText } from './check-text.js';

export function renderCheckJunit(report: CheckReport): string {
  const suites = new Map<string, TestSuite>();
  const add = (file: string, lines: readonly string[], isFailed: boolean, isUndecided: boolean): void => {
    const suite = suites.get(file) ?? { lines: [], tests: 0, failures: 0, errors: 0 };
    suites.set(file, suite);
    append(suite.lines, lines);
    suite.tests += 1;
    suite.failures += isFailed ? 1 : 0;
    suite.errors += isUndecided ? 1 : 0;
  };
  for (const one of report.expectations) {
    const isUndecided = one.verdict.undecided !== null;
    add(one.file, expectationCase(one, report), !one.verdict.met && !isUndecided, isUndecided);
  }
  for (const one of report.budgets)
    add(one.budget.file, budgetCase(one, report), one.exceeded.length > 0, one.undecided !== undefined);
  const sum = (count: 'tests' | 'failures' | 'errors'): number =>
    [...suites.values()].reduce((total, suite) => total + suite[count], 0);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="kubeseq check" tests="${sum('tests')}" failures="${sum('failures')}" errors="${sum('errors')}">`,
    ...[...suites].flatMap(([file, { lines, tests, failures, errors }]) => [
      `  <testsuite name="${escapeXml(file)}" tests="${tests}" failures="${failures}" errors="${errors}">`,
      ...lines,
      '  </testsuite>',
    ]),
    '</testsuites>',
    '',
  ].join('\n');
}

interface TestSuite {
  readonly lines: string[];
  tests: number;
  failures: number;
  errors: number;
}

function expectationCase(one: CheckedExpectation, report: CheckReport): string[] {
  const { file, name, line, verdict } = one;
  const open = `    <testcase name="${escapeXml(name)}" classname="${escapeXml(file)}" file="${escapeXml(file)}" line="${line}"`;
  if (verdict.met && verdict.reordered.length + verdict.beforeStory.length === 0) return [`${open}/>`];
  const text = renderCheckText({ ...report, expectations: [one], budgets: [] });
  if (verdict.met) return [`${open}>`, `      <system-out>${escapeXml(text)}</system-out>`, '    </testcase>'];
  if (verdict.undecided !== null) return failed(open, 'error', verdict.undecided, text);
  const [first] = verdict.failures;
  const what = first.kind === 'never' ? 'must not occur' : 'not matched';
  return failed(open, 'failure', `line ${first.line} ${what}: ${first.arrow}`, text);
}

function budgetCase(one: BudgetResult, report: CheckReport): string[] {
  const { budget, count, exceeded, undecided } = one;
  const file = escapeXml(budget.file);
  const open = `    <testcase name="${escapeXml(budget.name)}" classname="${file}" file="${file}" line="${budget.line}"`;
  if (exceeded.length === 0 && undecided === undefined) return [`${open}/>`];
  const text = renderCheckText({ ...report, expectations: [], budgets: [one] });
  if (undecided !== undefined) return failed(open, 'error', undecided, text);
  return failed(open, 'failure', `${count}, at most ${budget.max}`, text);
}

function failed(open: string, element: 'failure' | 'error', message: string, text: string): string[] {
  return [
    `${open}>`,
    `      <${element} message="${escapeXml(message)}">${escapeXml(text)}</${element}>`,
    '    </testcase>',
  ];
}
