// `kubeseq check EXPECTED... CAPTURE...` compares a capture with expected sequences and budgets.

import { appendFile, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import {
  type Budget,
  budgetMistakes,
  type CheckPatch,
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
  renderCheckSummary,
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
import { type Command, textOf } from '../command.js';
import { kindOfFile } from '../files/file-kind.js';
import { FORMATS, formatByEnding, REPORTS } from '../formats.js';
import { readText } from '../input/input.js';
import { STDIN_TWICE } from '../input/inputs.js';
import { MessageChoice } from '../input/message-choice.js';
import { Session } from '../input/session.js';
import { checkSelection, followOf } from '../option-values.js';
import type { DiagramCliOptions } from '../options.js';
import { writeOutput } from '../output/output.js';
import { makeFolders } from '../output/output-folder.js';
import { patchOf } from '../output/patch.js';
import type { CheckedCapture } from '../output/results.js';
import { type MistakeInFile, mistakeText, refuseUnknownOrder, rosterOf } from '../participants.js';
import { nothingRead } from '../unread.js';
import { corrected, current, EXPECTATION, type Expected, type Observed, readExpected } from './expectation-file.js';

export interface CheckCliOptions extends DiagramCliOptions {
  readonly allFailures?: true;
  readonly update?: true;
  readonly budget?: string;
  readonly report?: readonly string[];
  readonly corrected?: string;
}

export const check: Command<[first: string, others: readonly string[]], CheckCliOptions, CheckedCapture> = {
  formats: FORMATS.check,
  async run([first, others], options, { name: format }) {
    checkSelection(options);
    refuseSwapped(first, others);
    // A budget alone needs no diagram.
    const isBudgetOnly = options.budget !== undefined && !EXPECTATION.test(first);
    const names = isBudgetOnly ? [] : [...new Set([first, ...others.filter((one) => EXPECTATION.test(one))])];
    const files = isBudgetOnly ? [first, ...others] : others.filter((one) => !EXPECTATION.test(one));
    const reports = (options.report ?? []).map((file) => ({ file, format: formatOfReport(file) }));
    if (files.length === 0)
      throw new CliError(
        `name a capture behind ${names.length === 1 ? 'the expectation' : 'the expectations'}: kubeseq check ${names.join(' ')} CAPTURE`,
      );
    if (first === '-' && others.includes('-')) throw new CliError(STDIN_TWICE);
    const expected = names.map((name) => readExpected(name, options));
    const budgets = options.budget === undefined ? [] : readBudgetFile(options.budget, options);
    const wrongKinds = mistakesIn(expected, kindMistakes);
    if (wrongKinds.length > 0) return { reasons: wrongKinds.map(mistakeText), status: EXIT_TROUBLE };
    const session = new Session(files, options);
    const everything = await session.collect();
    // An expectation is not rewritten from an incomplete capture.
    if (session.interrupted && options.update === true) return { status: EXIT_INTERRUPTED };
    if (everything.length > 0 && !session.interrupted) {
      const roster = rosterOf(options, everything);
      refuseUnknownOrder(options, () => roster);
      const unknown = mistakesIn(expected, (diagram) => nameMistakes(diagram, roster));
      const wrongNames = [...unknown, ...budgetMistakes(budgets, roster)];
      if (wrongNames.length > 0) return { reasons: wrongNames.map(mistakeText), status: EXIT_TROUBLE };
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
    const observed = { observation, everything, session, options, judge };
    const wanted: Awaited<ReturnType<typeof current>> = [];
    for (const one of expected) wanted.push(...(await current(one, observed)));
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
    const patches = options.corrected === undefined ? [] : await correct(expected, report, options.corrected, observed);
    const result = { report, patches };
    return {
      result,
      captures: session,
      async end() {
        for (const { file, format: one } of reports) await writeOutput(file, await textOf(REPORTS[one], result));
        if (format === 'github') await appendStepSummary(renderCheckSummary(report, patches));
        const remarks = session.remarks();
        const empty = wanted.flatMap(({ file, expectation: { diagram } }) =>
          isEmpty(diagram) ? [`${file}:${diagram.line}: without arrows, it passes on any capture`] : [],
        );
        if (session.interrupted) return { remarks, reasons: empty, status: EXIT_INTERRUPTED };
        if (isUndecided(report))
          return { remarks, reasons: [...empty, ...undecidedLines(report)], status: EXIT_TROUBLE };
        return { remarks, reasons: empty, status: isMet(report) ? EXIT_FINE : EXIT_DIFFERENT };
      },
    };
  },
};

function undecidedLines({ expectations, budgets }: CheckReport): readonly string[] {
  return [
    ...expectations.flatMap(({ file, line, verdict: { undecided } }) =>
      undecided === null ? [] : [`${file}:${line}: ${undecided}`],
    ),
    ...budgets.flatMap(({ budget, undecided }) =>
      undecided === undefined ? [] : [`${budget.file}:${budget.line}: ${undecided}`],
    ),
  ];
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
  expected: readonly Expected[],
  find: (diagram: Expectation['diagram']) => readonly Mistake[],
): readonly MistakeInFile[] {
  return expected.flatMap(({ file, expectations }) =>
    expectations.flatMap(({ diagram }) => find(diagram).map((mistake) => ({ file, ...mistake }))),
  );
}

/** Writes files that fail as they would pass into a folder, by their paths. @returns what was changed in each. */
async function correct(
  expected: readonly Expected[],
  report: CheckReport,
  folder: string,
  observed: Observed,
): Promise<CheckPatch[]> {
  const patches: CheckPatch[] = [];
  for (const one of expected) {
    const failed = report.expectations.filter(({ file, verdict }) => file === one.file && !verdict.met);
    const text = corrected(one, (line) => failed.some((other) => other.line === line), observed);
    if (text === one.source) continue;
    const path = relative(process.cwd(), one.file);
    const place = join(folder, path.startsWith('..') || isAbsolute(path) ? basename(path) : path);
    try {
      makeFolders(resolve(dirname(place)), []);
    } catch (error) {
      throw new CliError(`${place}: ${describeError(error)}`);
    }
    await writeOutput(place, text);
    patches.push({ file: one.file, patch: patchOf(one.file, one.source, text) });
  }
  return patches;
}

function formatOfReport(file: string): string {
  const format = formatByEnding(file, REPORTS);
  if (format !== undefined) return format;
  const endings = Object.values(REPORTS).flatMap((one) => one.endings ?? []);
  throw new CliError(`--report ${file}: its ending is its format: ${endings.join(', ')}`);
}

function readBudgetFile(path: string, { anonymizer }: CheckCliOptions): Budget[] {
  try {
    const text = readText(path).replace(/(?<=: ).*/g, (value) => anonymizer?.asked(value) ?? value);
    return readBudgets(text, path);
  } catch (error) {
    if (error instanceof UnreadableBudget) throw new CliError(`${path}:${error.line}: ${error.message}`);
    throw error;
  }
}

function selected(messages: readonly Message[], options: CheckCliOptions, session: Session): readonly Message[] {
  const followed = followOf(options);
  const about = followed === undefined ? messages : messagesAbout(messages, followed);
  const choice = new MessageChoice(options, session);
  for (const message of messages) choice.observe(message);
  const remarks = [...(about.length === 0 ? choice.elsewhere(messages) : []), ...choice.unknownNames()];
  if (options.quiet !== true) for (const line of remarks) printError(line);
  return choice.of(about);
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
    else printError(`not in the summary of this step, which has ${before} bytes: GitHub takes 1 MiB`);
  } catch (error) {
    throw new CliError(`GITHUB_STEP_SUMMARY ${path}: ${describeError(error)}`);
  }
}

/** Limit in bytes: a step's summary on GitHub, with what others wrote into it. */
const SUMMARY_LIMIT = 1024 * 1024;
