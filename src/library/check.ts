// Holds a capture against an expected diagram, for the tests of a program: `await check('capture.pcap', diagram)`.

import {
  type CheckReport,
  type CheckVerdict,
  type Expectation,
  expectationsOf,
  isMet,
  isUndecided,
  Judge,
  kindMistakes,
  messagesAbout,
  missingFrom,
  missingParts,
  NOTHING_THERE,
  ObservationIndex,
  renderCheckText,
} from '../index.js';
import { type CaptureInput, checkOptionNames } from './capture-input.js';
import { type ReadCaptureOptions, readCapture } from './read-capture.js';
import { drawingOf, type StoryOptions } from './story.js';

export interface CaptureCheckOptions extends ReadCaptureOptions, Pick<StoryOptions, 'follow' | 'namespace'> {}

export interface CheckResult {
  /** A verdict for each expected diagram. */
  readonly verdicts: readonly CheckVerdict[];
  /** As `kubeseq check` prints it. */
  readonly report: string;
}

/** A capture does not show what was expected, or too little of it could be read to tell. */
export class UnmetExpectation extends Error {
  readonly result: CheckResult;
  /** Neither pass nor fail: what is missing may be in traffic that could not be decoded. */
  readonly isUndecided: boolean;

  constructor(result: CheckResult, isUndecided: boolean) {
    super(`the capture does not show what is expected\n${result.report}`);
    this.name = 'UnmetExpectation';
    this.result = result;
    this.isUndecided = isUndecided;
  }
}

/**
 * @param expected text of a mermaid sequence diagram, or of a Markdown page with some.
 * @returns the verdicts, all of them pass.
 * @throws UnmetExpectation with the report of `kubeseq check` as its message: a test of vitest, jest or node:test fails with it.
 * @throws UnreadableDiagram for a text that is no diagram.
 */
export async function check(
  input: CaptureInput | readonly CaptureInput[],
  expected: string,
  options: CaptureCheckOptions = {},
): Promise<CheckResult> {
  checkOptionNames('check', options, OPTIONS);
  const { follow } = drawingOf(options);
  const expectations = expectationsOf(expected, !DIAGRAM.test(expected), 'expected');
  refuseMistakes(expectations);
  const { messages, notices, first } = await readCapture(input, options);
  const chosen = follow === undefined ? messages : messagesAbout(messages, follow);
  const judge = new Judge({
    observation: new ObservationIndex(chosen),
    everything: messages,
    notices,
    nothing: () => missingParts(notices).join(', ') || NOTHING_THERE,
  });
  const report: CheckReport = {
    expectations: expectations.map(({ name, diagram, start, end }) => ({
      file: 'expected',
      name,
      line: diagram.line,
      source: expected.slice(start, end),
      firstLine: expected.slice(0, start).split('\n').length,
      verdict: judge.verdict(diagram, true),
    })),
    budgets: [],
    missing: missingFrom({ messages: chosen, notices }),
    start: first,
  };
  const result = { verdicts: report.expectations.map(({ verdict }) => verdict), report: renderCheckText(report) };
  if (!isMet(report)) throw new UnmetExpectation(result, isUndecided(report));
  return result;
}

/** A kind that does not exist would never match. @throws TypeError */
function refuseMistakes(expectations: readonly Expectation[]): void {
  const [mistake] = expectations.flatMap(({ diagram }) => kindMistakes(diagram));
  if (mistake !== undefined) throw new TypeError(`expected, line ${mistake.line}: ${mistake.text}`);
}

/** A diagram, after its comments and its front matter; any other text is a Markdown page. */
const DIAGRAM = /^\s*(?:%%.*\n\s*|---\n[\s\S]*?\n---\s*)*sequenceDiagram\b/;

const OPTIONS: Readonly<Record<keyof CaptureCheckOptions, true>> = {
  follow: true,
  namespace: true,
  secrets: true,
  reveal: true,
  naming: true,
};
