// What `check` found, for GitHub's workflows: annotations on the lines of the expectation, and a summary with the picture
// of what failed. Knows GitHub's workflow commands and its limits; captured text passes through their escapes only.

import type { BudgetResult } from '../../expectation/budget.js';
import type { CheckFailure } from '../../expectation/check.js';
import type { CheckedExpectation, CheckReport } from '../../expectation/report.js';
import { escapeTerminal } from '../escape/terminal-escape.js';
import { messageText, renderCheckText, reorderedText } from './check-text.js';
import { failedPicture } from './failed-diagram.js';

/** Workflow commands: GitHub shows ten annotations of a step, so the last tells of those that have no place. */
export function renderCheckGithub(report: CheckReport): string {
  const all = [
    ...report.expectations.flatMap((one) => expectationAnnotations(one, report)),
    ...report.budgets.flatMap((one) => budgetAnnotations(one, report)),
  ];
  const shown = all.length <= ANNOTATIONS ? all : all.slice(0, ANNOTATIONS - 1);
  if (shown.length < all.length) {
    shown.push(command({ title: 'kubeseq check' }, `${all.length - shown.length} more: see the summary of this step`));
  }
  const checked = report.expectations.length + report.budgets.length;
  return `${[...shown, `${checked} checked, ${all.length} failures`].join('\n')}\n`;
}

/** Markdown for the step's summary. */
export function renderCheckSummary(report: CheckReport): string {
  let out = '## kubeseq check\n\n';
  for (const one of report.expectations) {
    const { file, name, verdict } = one;
    const mark = verdict.met ? '✅' : '❌';
    out += `### ${mark} ${markdownText(name)}\n\n\`${markdownText(file).replaceAll('`', '')}:${one.line}\`\n\n`;
    if (verdict.met) {
      out += `pass${reorderedText(verdict)}\n\n`;
      if (verdict.beforeStory.length > 0) {
        out = appended(out, fenced('text', renderCheckText({ ...report, expectations: [one], budgets: [] })));
      }
      continue;
    }
    const picture = verdict.undecided === null ? failedPicture(one) : null;
    if (picture !== null) out = appended(out, fenced('mermaid', picture));
    out = appended(out, fenced('text', renderCheckText({ ...report, expectations: [one], budgets: [] })));
  }
  if (report.budgets.length > 0) out = appended(out, fenced('text', renderCheckText({ ...report, expectations: [] })));
  return out;
}

function expectationAnnotations({ file, line, name, verdict }: CheckedExpectation, report: CheckReport): string[] {
  if (verdict.undecided !== null) return [command({ file, line, title: name }, verdict.undecided)];
  return verdict.failures.map((failure) =>
    command({ file, line: failure.line, title: name }, sentence(failure, report)),
  );
}

function sentence({ kind, arrow, nearest }: CheckFailure, report: CheckReport): string {
  if (kind === 'never') {
    return `must not occur: ${arrow}${nearest === null ? '' : `\noccurred: ${messageText(nearest.message, report)}`}`;
  }
  if (nearest === null) return `not matched: ${arrow}\nno message comes near`;
  return [
    `not matched: ${arrow}`,
    `nearest: ${messageText(nearest.message, report)}`,
    ...nearest.differences.map((difference) => `  ${difference}`),
  ].join('\n');
}

function budgetAnnotations({ budget, exceeded, undecided }: BudgetResult, report: CheckReport): string[] {
  const { file, line, name, max } = budget;
  if (undecided !== undefined) return [command({ file, line, title: name }, undecided)];
  return exceeded.map(({ group, count, message }) =>
    command(
      { file, line, title: name },
      `${count}${group === '' ? '' : ` of ${group}`}, at most ${max}\none too many: ${messageText(message, report)}`,
    ),
  );
}

/** docs.github.com: "Workflow commands for GitHub Actions"; the escapes are those of actions/toolkit. */
function command(
  properties: { readonly file?: string; readonly line?: number; readonly title: string },
  message: string,
): string {
  const pairs = Object.entries(properties).map(([key, value]) => `${key}=${escapeProperty(String(value))}`);
  return `::error ${pairs.join(',')}::${escapeData(message)}`;
}

function escapeData(text: string): string {
  // `##[` begins a command of the older syntax wherever it stands.
  return escapeLines(text).replaceAll('%', '%25').replaceAll('\n', '%0A').replaceAll('##[', '# #[');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

function escapeLines(text: string): string {
  return text.split('\n').map(escapeTerminal).join('\n');
}

function fenced(language: string, text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.trimEnd()}\n${fence}\n\n`;
}

function appended(text: string, more: string): string {
  return Buffer.byteLength(text) + Buffer.byteLength(more) > SUMMARY_BYTES ? text : text + more;
}

function markdownText(text: string): string {
  return escapeTerminal(text).replace(/[\\`*_{}[\]<>#+!|&~-]/g, (character) => `\\${character}`);
}

const ANNOTATIONS = 10;
/** Below GitHub's 1 MiB for a step: others write into the same summary. */
const SUMMARY_BYTES = 900_000;
