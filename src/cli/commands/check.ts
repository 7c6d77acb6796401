// `kubeseq check EXPECTED CAPTURE...`: does the capture contain the expected sequence? Reads expectations and budgets;
// what they mean is the library's.

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import {
  type Budget,
  budgetMistakes,
  type CheckReport,
  type Expectation,
  expectationsOf,
  isEmpty,
  isMet,
  isUndecided,
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
  UnreadableDiagram,
} from '../../index.js';
import { CliError, EXIT_DIFFERENT, EXIT_FINE, EXIT_INTERRUPTED, EXIT_TROUBLE } from '../cli-error.js';
import { sayElsewhere } from '../follow-hints.js';
import { sayWhy } from '../input/input.js';
import { STDIN_TWICE } from '../input/inputs.js';
import { Session } from '../input/session.js';
import { kindOfFile, WHAT } from '../mistaken.js';
import { type MistakeInFile, refuseUnknownOrder, rosterOf, sayMistakes } from '../names.js';
import { checkSelection, followOf, isSelecting, type PictureCliOptions, selectionOf } from '../options.js';
import { formatOf } from '../output/format.js';
import { openOutput } from '../output/output.js';
import { paintFor } from '../output/paint.js';
import { printError } from '../output/print-error.js';
import { Judge } from '../undecided.js';
import { sayNobody } from '../unknown-participants.js';
import { writeSummary } from './check-summary.js';
import { readOrBegin, type Update, update } from './check-update.js';

export interface CheckCliOptions extends PictureCliOptions {
  readonly allFailures?: true;
  readonly update?: true;
  readonly budget?: string;
}

const FORMATS = ['text', 'json', 'junit', 'github'] as const;
const EXPECTATION = /\.(?:mmd|mermaid|md|markdown)$/i;
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
  if (expected !== null && sayMistakes(mistakesIn(expected, kindMistakes))) return EXIT_TROUBLE;
  const session = new Session(files, options);
  const everything = await session.collect();
  // Half a capture is nothing to rewrite an expectation from.
  if (session.interrupted && options.update === true) return EXIT_INTERRUPTED;
  if (everything.length > 0 && !session.interrupted) {
    refuseUnknownOrder(options, everything);
    const roster = rosterOf(options, everything);
    const unknown = expected === null ? [] : mistakesIn(expected, (diagram) => nameMistakes(diagram, roster));
    if (sayMistakes([...unknown, ...budgetMistakes(budgets, roster)])) return EXIT_TROUBLE;
  }
  const messages = selected(everything, options, session);
  const facts = new ObservationIndex(messages);
  const judge = new Judge(facts, everything, session, options);
  const wanted = expected === null ? [] : await current(expected, { facts, everything, session, options, judge });
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
  if (format === 'github') await writeSummary(renderCheckSummary(report));
  session.sayNotices();
  for (const { file, expectation } of wanted)
    if (isEmpty(expectation.diagram))
      printError(`${file}:${expectation.diagram.line}: without arrows, it holds on any capture`);
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

/** Throws Trouble where a capture stands in place of the expectation: the expectation may stand behind it. */
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

interface Expected {
  readonly file: string;
  readonly source: string;
  readonly expectations: readonly Expectation[];
}

function readExpected(file: string, options: CheckCliOptions): Expected {
  const source = options.update === true ? readOrBegin(file) : readText(file);
  return { file, source, expectations: readExpectations(file, source) };
}

function mistakesIn(
  { file, expectations }: Expected,
  find: (diagram: Expectation['diagram']) => readonly Mistake[],
): readonly MistakeInFile[] {
  return expectations.flatMap(({ diagram }) => find(diagram).map((mistake) => ({ file, ...mistake })));
}

/** As they are, or as `--update` has made them. */
async function current(
  { file, source: written, expectations: before }: Expected,
  seen: Pick<Update, 'facts' | 'everything' | 'session' | 'options' | 'judge'>,
): Promise<{ file: string; source: string; expectation: Expectation }[]> {
  const isUpdated = seen.options.update === true;
  const source = isUpdated ? await update({ expected: file, written, before, ...seen }) : written;
  const expectations = source === written ? before : readExpectations(file, source);
  return expectations.map((expectation) => ({ file, source, expectation }));
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

function readExpectations(path: string, source: string): Expectation[] {
  const kind = kindOfFile(path);
  if (kind !== null && kind !== 'diagram')
    throw new CliError(`${path} is ${WHAT[kind]}; the expectation comes first, a mermaid diagram: .mmd, or a .md page`);
  const name = basename(path).replace(/\.[^.]*$/, '');
  try {
    return expectationsOf(source, /\.(?:md|markdown)$/i.test(path), name);
  } catch (error) {
    if (error instanceof UnreadableDiagram) throw new CliError(`${path}:${error.line}: ${error.message}`);
    throw error;
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

export function readText(path: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8');
  } catch (error) {
    throw new CliError(`${path}: ${sayWhy(error)}`);
  }
}

function selected(messages: readonly Message[], options: CheckCliOptions, session: Session): readonly Message[] {
  const followed = followOf(options);
  const about = followed === undefined ? messages : messagesAbout(messages, followed);
  if (about.length === 0) sayElsewhere(options, messages);
  sayNobody(options, messages);
  if (!isSelecting(options)) return about;
  const selector = new Selector(selectionOf(options, session));
  return [...about.flatMap((message) => [...selector.feed(message)]), ...selector.end()];
}

function lineAt(source: string, place: number): number {
  return source.slice(0, place).split('\n').length;
}
