// `kubeseq check EXPECTED CAPTURE...` compares a capture with expected sequences and budgets.

import { appendFile, stat } from 'node:fs/promises';
import {
  type Budget,
  budgetMistakes,
  type CheckReport,
  type Expectation,
  isEmpty,
  isMet,
  isUndecided,
  Judge,
  kindMistakes,
  type Message,
  type Mistake,
  messagesAbout,
  missingFrom,
  nameMistakes,
  ObservationIndex,
  readBudgets,
  renderCheckGithub,
  renderCheckJson,
  renderCheckJunit,
  renderCheckSummary,
  renderCheckText,
  Selector,
  UnreadableBudget,
} from '../../index.js';
import {
  CliError,
  describeError,
  EXIT_DIFFERENT,
  EXIT_FINE,
  EXIT_INTERRUPTED,
  EXIT_TROUBLE,
  printError,
} from '../cli-error.js';
import { kindOfFile } from '../input/file-kind.js';
import { STDIN_TWICE } from '../input/inputs.js';
import { Session } from '../input/session.js';
import { printOtherNamespaces, printUnknownParticipants } from '../message-selection.js';
import { checkSelection, followOf, isSelecting, selectionOf } from '../option-values.js';
import type { DiagramCliOptions } from '../options.js';
import { formatOf } from '../output/format.js';
import { openOutput } from '../output/output.js';
import { paintFor } from '../output/paint.js';
import { type MistakeInFile, printMistakes, refuseUnknownOrder, rosterOf } from '../participants.js';
import { nothingRead } from '../unread.js';
import { current, EXPECTATION, type Expected, readExpected, readText } from './expectation-file.js';

export interface CheckCliOptions extends DiagramCliOptions {
  readonly allFailures?: true;
  readonly update?: true;
  readonly budget?: string;
}

const FORMATS = ['text', 'json', 'junit', 'github'] as const;
const ENDINGS = { '.json': 'json', '.xml': 'junit', '.txt': 'text' } as const;

export async function check(first: string, others: readonly string[], options: CheckCliOptions): Promise<number> {
  checkSelection(options);
  const format = formatOf(options, FORMATS, ENDINGS, 'text');
  refuseSwapped(first, others);
  // A budget alone needs no diagram.
  const isBudgetOnly = options.budget !== undefined && !EXPECTATION.test(first);
  const files = isBudgetOnly ? [first, ...others] : others;
  if (files.length === 0) throw new CliError('name a capture behind the expectation');
  if (first === '-' && others.includes('-')) throw new CliError(STDIN_TWICE);
  const expected = isBudgetOnly ? null : readExpected(first, options);
  const budgets = options.budget === undefined ? [] : readBudgetFile(options.budget);
  if (expected !== null && printMistakes(mistakesIn(expected, kindMistakes))) return EXIT_TROUBLE;
  const session = new Session(files, options);
  const everything = await session.collect();
  // An expectation is not rewritten from an incomplete capture.
  if (session.interrupted && options.update === true) return EXIT_INTERRUPTED;
  if (everything.length > 0 && !session.interrupted) {
    refuseUnknownOrder(options, everything);
    const roster = rosterOf(options, everything);
    const unknown = expected === null ? [] : mistakesIn(expected, (diagram) => nameMistakes(diagram, roster));
    if (printMistakes([...unknown, ...budgetMistakes(budgets, roster)])) return EXIT_TROUBLE;
  }
  const messages = selected(everything, options, session);
  const observation = new ObservationIndex(messages);
  const judge = new Judge({
    observation,
    everything,
    notices: session.notices,
    nothing: () => nothingRead(session, options).join('; '),
    isInterrupted: session.interrupted,
  });
  const wanted = expected === null ? [] : await current(expected, { observation, everything, session, options, judge });
  const report: CheckReport = {
    expectations: wanted.map(({ file, source, expectation: { name, diagram, start, end } }) => ({
      file,
      name,
      line: diagram.line,
      source: source.slice(start, end),
      firstLine: lineAt(source, start),
      verdict: judge.verdict(diagram, options.allFailures),
    })),
    budgets: judge.budgets(budgets),
    missing: missingFrom({ messages, notices: session.notices }),
    captures: session.captureNames,
    start: session.firstTime ?? 0n,
  };
  const output = openOutput(options.write);
  await output.write(render(report, format, options));
  await output.done();
  if (format === 'github') await appendStepSummary(renderCheckSummary(report));
  session.printNotices();
  for (const { file, expectation } of wanted)
    if (isEmpty(expectation.diagram))
      printError(`${file}:${expectation.diagram.line}: without arrows, it passes on any capture`);
  if (session.interrupted) return EXIT_INTERRUPTED;
  if (isUndecided(report)) {
    for (const { file, line, verdict } of report.expectations)
      if (verdict.undecided !== null) printError(`${file}:${line}: ${verdict.undecided}`);
    for (const { budget, undecided } of report.budgets)
      if (undecided !== undefined) printError(`${budget.file}:${budget.line}: ${undecided}`);
    return EXIT_TROUBLE;
  }
  return isMet(report) ? EXIT_FINE : EXIT_DIFFERENT;
}

/** Throws CliError if the first file is a capture and a later one the expectation. */
function refuseSwapped(first: string, others: readonly string[]): void {
  const kind = kindOfFile(first);
  if (kind !== 'capture' && kind !== 'saved messages') return;
  const expected = others.find((one) => EXPECTATION.test(one) || kindOfFile(one) === 'diagram');
  if (expected === undefined) return;
  const captures = [first, ...others.filter((one) => one !== expected)].join(' ');
  throw new CliError(
    `${first} is a capture, and ${expected} the expectation: they are the other way round; kubeseq check ${expected} ${captures}`,
  );
}

function mistakesIn(
  { file, expectations }: Expected,
  find: (diagram: Expectation['diagram']) => readonly Mistake[],
): readonly MistakeInFile[] {
  return expectations.flatMap(({ diagram }) => find(diagram).map((mistake) => ({ file, ...mistake })));
}

function render(report: CheckReport, format: (typeof FORMATS)[number], options: CheckCliOptions): string {
  switch (format) {
    case 'text':
      return renderCheckText(
        report,
        paintFor(options.color && options.write === undefined && process.stdout.isTTY === true),
      );
    case 'json':
      return renderCheckJson(report);
    case 'junit':
      return renderCheckJunit(report);
    case 'github':
      return renderCheckGithub(report);
  }
}

function readBudgetFile(path: string): Budget[] {
  try {
    return readBudgets(readText(path), path);
  } catch (error) {
    if (error instanceof UnreadableBudget) throw new CliError(`${path}:${error.line}: ${error.message}`);
    throw error;
  }
}

function selected(messages: readonly Message[], options: CheckCliOptions, session: Session): readonly Message[] {
  const followed = followOf(options);
  const about = followed === undefined ? messages : messagesAbout(messages, followed);
  if (about.length === 0) printOtherNamespaces(options, messages);
  printUnknownParticipants(options, messages);
  if (!isSelecting(options)) return about;
  const selector = new Selector(selectionOf(options, session));
  return [...about.flatMap((message) => [...selector.feed(message)]), ...selector.end()];
}

function lineAt(source: string, place: number): number {
  return source.slice(0, place).split('\n').length;
}

/** Appends to the page that GitHub shows beside a workflow run, if a workflow is running. */
async function appendStepSummary(text: string): Promise<void> {
  const path = process.env['GITHUB_STEP_SUMMARY'] ?? '';
  if (path === '' || text === '') return;
  try {
    // GitHub drops the whole summary if it is over the limit.
    const before = await stat(path).then(
      ({ size }) => size,
      () => 0,
    );
    if (before + Buffer.byteLength(text) <= SUMMARY_LIMIT) await appendFile(path, text);
  } catch (error) {
    throw new CliError(`GITHUB_STEP_SUMMARY ${path}: ${describeError(error)}`);
  }
}

/** Limit in bytes: a step's summary on GitHub, with what others wrote into it. */
const SUMMARY_LIMIT = 1024 * 1024;
