// Renders the result of `check` for a terminal: the first unmatched arrow, the matches before it, and the nearest message.

import { largestOf, smallestOf } from '../../core/collections/many.js';
import { framesText } from '../../core/origin.js';
import { counted } from '../../core/quantity.js';
import type { BudgetResult } from '../../expectation/budget.js';
import type { CheckFailure, CheckMatch, CheckVerdict } from '../../expectation/check.js';
import type { CheckedExpectation, CheckReport } from '../../expectation/report.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { escapeTerminal } from '../escape/terminal-escape.js';
import { type Paint, PLAIN } from '../sequence/text.js';
import { formatOffset } from '../time.js';

export function renderCheckText(report: CheckReport, paint: Paint = PLAIN): string {
  const lines = [
    ...report.expectations.flatMap((one) => expectationLines(one, report, paint)),
    ...report.budgets.flatMap((one) => budgetLines(one, report, paint)),
  ];
  const failed = report.expectations.some(({ verdict }) => !verdict.met);
  if (failed) for (const line of report.missing) lines.push(paint.dim(escapeTerminal(line)));
  return lines.map((line) => `${line}\n`).join('');
}

/** `frame 1783 (message 976), 7.163775 s after the first frame: kubectl → kube-apiserver: [REQ] …` */
export function messageText(message: Message, report: Pick<CheckReport, 'start' | 'captures'>): string {
  const { from, to, label } = message;
  return `${frameText(message, report)}, ${formatOffset(message.time - report.start)} s after the first frame: ${from.name} → ${to.name}: ${label}`;
}

/** With the capture's name if there are several. */
function frameText({ seq, frames, capture }: Message, { captures }: Pick<CheckReport, 'captures'>): string {
  const file = captures === undefined ? '' : `${captures[capture]} `;
  return `${file}${framesText(frames)} (message ${seq})`;
}

function expectationLines(
  { file, name, line, verdict }: CheckedExpectation,
  report: CheckReport,
  paint: Paint,
): string[] {
  const title = escapeTerminal(`${file}:${line}: diagram ${name}`);
  if (verdict.undecided !== null)
    return [`${paint.bad('undecided')}  ${title}`, `  ${escapeTerminal(verdict.undecided)}`];
  if (verdict.met) {
    const count = counted(verdict.matched.length, 'arrow');
    return [
      `${paint.strong('pass')}  ${title}: ${count}${spanText(verdict.matched, report)}${namesText(verdict.names)}${reorderedText(verdict)}`,
      ...earlyTexts(verdict, report).map((text) => escapeTerminal(`  warning: ${text}`)),
    ];
  }
  return [
    `${paint.bad('FAIL')}  ${title}`,
    ...verdict.failures.flatMap((failure) => failureLines(failure, file, report, paint)),
  ];
}

function failureLines(failure: CheckFailure, file: string, report: CheckReport, paint: Paint): string[] {
  const { kind, line, arrow, nearest, matched } = failure;
  const lines = [
    kind === 'never'
      ? `  ${escapeTerminal(file)}:${line}: ${paint.strong('must not occur')}: ${escapeTerminal(arrow)}`
      : `  ${escapeTerminal(file)}:${line}: ${paint.strong('not matched')}: ${escapeTerminal(arrow)}`,
  ];
  if (nearest === null) lines.push('    nearest:  none; no message has a similar label, sender and receiver');
  else {
    const word = kind === 'never' ? 'occurred:' : 'nearest: ';
    lines.push(`    ${word} ${escapeTerminal(messageText(nearest.message, report))}`);
    for (const difference of nearest.differences) lines.push(`              ${escapeTerminal(difference)}`);
  }
  if (matched.length === 0) lines.push(`    ${paint.dim('no line above it was matched')}`);
  else lines.push(`    ${paint.dim('matched above it:')}`);
  for (const one of matched) lines.push(paint.dim(`      ${matchText(one, report)}`));
  return lines;
}

function matchText({ line, message }: CheckMatch, report: CheckReport): string {
  return escapeTerminal(
    `line ${line}: ${frameText(message, report)}, ${message.from.name} → ${message.to.name}: ${message.label}`,
  );
}

function spanText(matched: readonly CheckMatch[], { captures }: CheckReport): string {
  if (matched.length === 0 || captures !== undefined) return '';
  const frames = matched.flatMap(({ message }) => message.frames);
  return `, frames ${smallestOf(frames)} to ${largestOf(frames)}`;
}

/** What came before the story began may belong to another story. */
export function earlyTexts({ beforeStory, matched }: CheckVerdict, report: CheckReport): string[] {
  const [first] = matched;
  const lines = beforeStory.slice(0, SHOWN_PAIRS).map(({ line, message }) => {
    const begins = `line ${first.line} (${frameText(first.message, report)}), with which the story begins`;
    return `line ${line} (${frameText(message, report)}) came before ${begins}`;
  });
  const more = beforeStory.length - lines.length;
  return more > 0 ? [...lines, `the same of ${more} more lines`] : lines;
}

/** `, lines 1 and 3 happened in the other order` */
export function reorderedText({ reordered }: Pick<CheckVerdict, 'reordered'>): string {
  if (reordered.length === 0) return '';
  const pairs = reordered.slice(0, SHOWN_PAIRS).map(({ above, below }) => `${above} and ${below}`);
  const more = reordered.length - pairs.length;
  return `, lines ${pairs.join(', ')}${more > 0 ? ` (and ${more} more pairs)` : ''} happened in the other order`;
}

function namesText(names: ReadonlyMap<string, string>): string {
  if (names.size === 0) return '';
  return `, ${escapeTerminal([...names].map(([name, value]) => `{${name}} is ${value}`).join(', '))}`;
}

function budgetLines(
  { budget, count, exceeded, undecided }: BudgetResult,
  report: CheckReport,
  paint: Paint,
): string[] {
  const title = escapeTerminal(`${budget.file}:${budget.line}: ${budget.name}`);
  if (undecided !== undefined) return [`${paint.bad('undecided')}  ${title}`, `  ${escapeTerminal(undecided)}`];
  if (exceeded.length === 0) return [`${paint.strong('pass')}  ${title}: ${count} of at most ${budget.max}`];
  return [
    `${paint.bad('FAIL')}  ${title}: at most ${budget.max}`,
    ...exceeded.flatMap(({ group, count: many, message }) => [
      `    ${many}${group === '' ? '' : ` of ${escapeTerminal(group)}`}`,
      `    one too many: ${escapeTerminal(messageText(message, report))}`,
    ]),
  ];
}

/** Pairs of reordered arrows; a diagram of racing informers has hundreds. */
const SHOWN_PAIRS = 3;
