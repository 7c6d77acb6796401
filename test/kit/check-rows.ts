// Rows of `check`: an expectation, a capture, the verdict, the sentence that is said. A row is judged in this process, each capture read
// once; the tests of the command hold its exit status and its reports against the same verdicts.

import { readFileSync } from 'node:fs';
import {
  type Budget,
  budgetMistakes,
  type CheckReport,
  expectationsOf,
  isMet,
  isUndecided,
  Judge,
  kindMistakes,
  type Message,
  type Notice,
  nameMistakes,
  ObservationIndex,
  Roster,
  readBudgets,
  renderCheckGithub,
  renderCheckJson,
  renderCheckJunit,
  renderCheckSummary,
  renderCheckText,
  UnreadableDiagram,
} from '../../src/index.js';
import { fixture, fixturePath } from './fixtures.js';
import { madeCapture } from './made-captures.js';
import { observed } from './observed.js';
import { START } from './packetiser.js';
import { observeWhole } from './whole-fixtures.js';

export interface Row {
  /** What is so, or is wrong, in this row. */
  readonly name: string;
  /** A fixture's file, arrows below `HEAD`, or a whole diagram. */
  readonly expectation: string;
  /** In lines of the expectation, by their numbers from 1: this becomes that; `+`: a line below it. */
  readonly edits?: Readonly<Record<number, readonly [string, string]>>;
  /** Two lines that change their places. */
  readonly swap?: readonly [number, number];
  /** A folder of fixtures, `run-nginx-tls/capture.pcap` alone: without keys, or a made capture (made-captures.ts). */
  readonly capture: string;
  /** Only these of its messages are there. */
  readonly without?: (message: Message) => boolean;
  /** A budget file. */
  readonly budget?: string;
  readonly allFailures?: true;
  /** `FAIL` with the lines that are named; `unreadable`: no diagram, or names nobody: nothing is judged. */
  readonly verdict: 'pass' | 'FAIL' | `FAIL ${string}` | 'undecided' | 'unreadable';
  /** What is said on the terminal. */
  readonly says?: readonly (string | RegExp)[];
  /** In all reports: JUnit, JSON, GitHub and its summary, too. */
  readonly everywhere?: true;
  readonly never?: RegExp;
}

/** Arrows of rows begin in line 3. */
export const HEAD = `sequenceDiagram
${[
  ['C', 'kubectl'],
  ['AS', 'kube-apiserver'],
  ['S', 'kube-scheduler'],
  ['L', 'kubelet'],
  ['M', 'kube-controller-manager'],
  ['D', 'deployment-controller'],
  ['R', 'replicaset-controller'],
  ['J', 'job-controller'],
]
  .map(([id, name]) => `participant ${id} as ${name}`)
  .join('; ')}
`;

/** Exit statuses of the command. */
export const STATUSES = { pass: 0, FAIL: 1, undecided: 2, unreadable: 2 } as const;

export interface Judged {
  readonly verdict: string;
  /** On standard output, and the reasons on standard error. */
  readonly said: string;
  readonly report: CheckReport | null;
}

export interface Seen {
  readonly messages: readonly Message[];
  readonly notices: readonly Notice[];
}

const readings = new Map<string, Promise<Seen>>();

/** What was read of a row's capture, once for all rows. */
export function readingOf(capture: string): Promise<Seen> {
  let reading = readings.get(capture);
  if (reading === undefined) {
    if (/\s/.test(capture)) reading = observed([madeCapture(capture)]);
    else reading = /\.pcap(?:ng)?$/.test(capture) ? observed([fixture(capture)]) : observeWhole(capture);
    readings.set(capture, reading);
  }
  return reading;
}

/** The text of a row's expectation. */
export function expectationText({
  expectation,
  edits = {},
  swap,
}: Pick<Row, 'expectation' | 'edits' | 'swap'>): string {
  const isFile = /^\S+\.mmd$/.test(expectation);
  const isWhole = isFile || /^\s*(?:sequenceDiagram|%%)/m.test(expectation);
  const text = isFile ? readFileSync(fixturePath(expectation), 'utf8') : isWhole ? expectation : HEAD + expectation;
  const lines = text.replace(/\n?$/, '\n').split('\n');
  if (swap !== undefined) {
    const [a, b] = swap.map((line) => line - 1);
    [lines[a], lines[b]] = [lines[b], lines[a]];
  }
  return lines.flatMap((line, i) => edited(line, edits[i + 1])).join('\n');
}

function edited(line: string, edit: readonly [string, string] | undefined): string[] {
  if (edit === undefined) return [line];
  if (edit[0] === '+') return [line, edit[1]];
  if (!line.includes(edit[0])) throw new Error(`nothing to edit in: ${line}`);
  return [line.replace(edit[0], edit[1])];
}

export async function judged(row: Row): Promise<Judged> {
  const { messages: all, notices } = await readingOf(row.capture);
  const messages = row.without === undefined ? all : all.filter((one) => !row.without!(one));
  const source = expectationText(row);
  try {
    const [{ diagram }] = expectationsOf(source, false, 'story');
    const roster = new Roster([]);
    for (const message of all) roster.observe(message);
    const budgets: Budget[] = row.budget === undefined ? [] : readBudgets(row.budget, 'budget.yaml');
    const wrong = [...kindMistakes(diagram), ...(all.length > 0 ? nameMistakes(diagram, roster) : [])];
    const mistakes = [...wrong, ...budgetMistakes(budgets, roster)];
    if (mistakes.length > 0) return unreadable(mistakes.map(({ line, text }) => `:${line}: ${text}`).join('\n'));
    const observation = new ObservationIndex(messages);
    const judge = new Judge({ observation, everything: all, notices, nothing: () => 'nothing could be read' });
    const verdict = judge.verdict(diagram, row.allFailures);
    const one = { file: 'story.mmd', name: 'story', line: diagram.line, source, firstLine: 1, verdict };
    const report: CheckReport = { expectations: [one], budgets: judge.budgets(budgets), missing: [], start: START };
    const lines = [...verdict.failures.map(({ line }) => line)].join(', ');
    const word = isUndecided(report) ? 'undecided' : isMet(report) ? 'pass' : `FAIL ${lines}`.trim();
    return { verdict: word, said: renderCheckText(report), report };
  } catch (error) {
    if (!(error instanceof UnreadableDiagram)) throw error;
    return unreadable(`:${error.line}: ${error.message}`);
  }
}

/** The same verdict in every report. */
export function reportsOf(report: CheckReport): readonly string[] {
  return [renderCheckText, renderCheckGithub, renderCheckJunit, renderCheckSummary, renderCheckJson].map((render) =>
    render(report),
  );
}

function unreadable(said: string): Judged {
  return { verdict: 'unreadable', said, report: null };
}
