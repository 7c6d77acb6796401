// Renders the result of `check` for GitHub's workflows: annotations on the lines of the expectation, and a summary with a diagram of
// each failed one. Captured text passes through GitHub's escapes only.

import { utf8Length } from '../../core/bytes/bytes.js';
import { framesText } from '../../core/origin.js';
import type { BudgetResult } from '../../expectation/budget.js';
import type { CheckFailure } from '../../expectation/check.js';
import type { CheckedExpectation, CheckReport } from '../../expectation/report.js';
import { fenced } from '../escape/markdown-escape.js';
import { escapeMermaid, shorten, wrap } from '../escape/mermaid-escape.js';
import { escapeTerminal } from '../escape/terminal-escape.js';
import { earlyTexts, messageText, renderCheckText, reorderedText } from './check-text.js';

/** Workflow commands. GitHub shows ten annotations of a step, so the last one counts the rest. */
export function renderCheckGithub(report: CheckReport): string {
  const all = [
    ...report.expectations.flatMap((one) => expectationAnnotations(one, report)),
    ...report.budgets.flatMap((one) => budgetAnnotations(one, report)),
  ];
  const shown = all.length <= ANNOTATIONS ? all : all.slice(0, ANNOTATIONS - 1);
  if (shown.length < all.length) {
    shown.push(command({ title: 'kubeseq check' }, `${all.length - shown.length} more: see the summary of this step`));
  }
  const warnings = report.expectations.flatMap((one) => warningAnnotations(one, report));
  const checked = report.expectations.length + report.budgets.length;
  const counted = `${checked} checked, ${countText(all.length, 'failure')}`;
  const more = warnings.length === 0 ? '' : `, ${countText(warnings.length, 'warning')}`;
  return `${[...shown, ...warnings.slice(0, ANNOTATIONS), `${counted}${more}`].join('\n')}\n`;
}

/** How a file would have to be for its expectations to pass. */
export interface CheckPatch {
  /** Path as the user wrote it. */
  readonly file: string;
  /** A unified diff, without control characters. */
  readonly patch: string;
}

/** Markdown for the step's summary. What does not fit into it is counted at its end. */
export function renderCheckSummary(report: CheckReport, patches: readonly CheckPatch[] = []): string {
  let out = '## kubeseq check\n\n';
  let leftOut = 0;
  const append = (...parts: readonly string[]): void => {
    for (const part of parts) {
      if (utf8Length(out) + utf8Length(part) > SUMMARY_BYTES) leftOut += 1;
      else out += part;
    }
  };
  for (const one of report.expectations) {
    const { file, name, verdict } = one;
    const mark = verdict.met ? '✅' : '❌';
    const text = (): string => block('text', renderCheckText({ ...report, expectations: [one], budgets: [] }));
    append(`### ${mark} ${markdownText(name)}\n\n\`${markdownText(file).replaceAll('`', '')}:${one.line}\`\n\n`);
    if (verdict.met) {
      append(`pass${reorderedText(verdict)}\n\n`);
      if (verdict.beforeStory.length > 0) append(text());
      if (one.source.length <= MAX_DIAGRAM) append(folded('The expected sequence', block('mermaid', one.source)));
      continue;
    }
    const diagram = verdict.undecided === null ? failedDiagram(one) : null;
    if (diagram !== null) append(block('mermaid', diagram));
    append(text());
  }
  if (report.budgets.length > 0) append(block('text', renderCheckText({ ...report, expectations: [] })));
  for (const { file, patch } of patches)
    append(`### As it would pass: ${markdownText(file)}\n\n${block('diff', patch)}`);
  if (leftOut > 0) out += `${leftOut} more parts are not shown here: a summary has ${SUMMARY_BYTES} bytes at most.\n`;
  return out;
}

function folded(title: string, content: string): string {
  return `<details><summary>${title}</summary>\n\n${content}</details>\n\n`;
}

function expectationAnnotations({ file, line, name, verdict }: CheckedExpectation, report: CheckReport): string[] {
  if (verdict.undecided !== null) return [command({ file, line, title: name }, verdict.undecided)];
  return verdict.failures.map((failure) =>
    command({ file, line: failure.line, title: name }, sentence(failure, report)),
  );
}

/** What passed with matches from before its story began. */
function warningAnnotations({ file, line, name, verdict }: CheckedExpectation, report: CheckReport): string[] {
  return earlyTexts(verdict, report).map((text) => command({ file, line, title: name }, text, 'warning'));
}

function countText(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
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
  level: 'error' | 'warning' = 'error',
): string {
  const pairs = Object.entries(properties).map(([key, value]) => `${key}=${escapeProperty(String(value))}`);
  return `::${level} ${pairs.join(',')}::${escapeData(message)}`;
}

function escapeData(text: string): string {
  return escapeLines(text).replaceAll('%', '%25').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

function escapeLines(text: string): string {
  return text.split('\n').map(escapeTerminal).join('\n');
}

function block(language: string, text: string): string {
  return `${fenced(language, text.trimEnd().split('\n'))}\n`;
}

function markdownText(text: string): string {
  return escapeTerminal(text).replace(/[\\`*_{}[\]<>#+!|&~-]/g, (character) => `\\${character}`);
}

const ANNOTATIONS = 10;
/** Limit in bytes: what `check` writes into a step's summary: GitHub takes 1 MiB for a step, and other programs write into it too. */
const SUMMARY_BYTES = 900_000;

/** The expectation's own text with failed arrows on red and a note on the nearest message; null if it is too long for GitHub. */
export function failedDiagram({ source, firstLine, verdict }: CheckedExpectation): string | null {
  const lines = source.split('\n');
  const byLine = new Map(verdict.failures.map((failure) => [failure.line - firstLine, failure]));
  const out = lines.flatMap((line, i) => {
    const failure = byLine.get(i);
    return failure === undefined ? [line] : marked(line, failure);
  });
  const text = out.join('\n').trim();
  return text.length > MAX_DIAGRAM ? null : text;
}

function marked(line: string, failure: CheckFailure): string[] {
  const indent = /^\s*/.exec(line)?.[0] ?? '';
  const { from, to } = failure.text;
  const over = from === to ? from : `${from},${to}`;
  const note = `${indent}Note over ${over}: ${noteText(failure)}`;
  // A line with other statements beside the arrow stays unchanged.
  if (failure.kind === 'never' || line.includes(';')) return [line, note];
  return [`${indent}rect rgb(255, 205, 205)`, line, note, `${indent}end`];
}

function noteText({ kind, nearest }: CheckFailure): string {
  if (nearest === null) return 'not matched; nothing comes near';
  const { message, differences } = nearest;
  const head = kind === 'never' ? 'must not occur, but did' : 'not matched; nearest';
  const texts = [
    `${head}: ${framesText(message.frames)} (message ${message.seq})`,
    `${message.from.name} → ${message.to.name}`,
    message.label,
    ...differences,
  ];
  return texts
    .flatMap((text) => wrap(shorten(text, NOTE_CHARACTERS)))
    .map(escapeMermaid)
    .join('<br>');
}

const NOTE_CHARACTERS = 200;
/** Limit: characters of a diagram there: mermaid rejects more than 50,000 (`maxTextSize`), which GitHub does not let users change. */
const MAX_DIAGRAM = 45_000;
