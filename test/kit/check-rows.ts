// Rows of `check`: an expectation, a capture, the verdict, the sentence that is said. A row is judged in this process, each capture read
// once; the tests of the command hold its exit status and its reports against the same verdicts.

import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
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
  /** Messages that are taken out of it. */
  readonly without?: RegExp | Exchanges;
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

/** Those that a participant began, with this in their label, about an object whose name begins so. */
export interface Exchanges {
  readonly from: string;
  readonly label: string;
  readonly about: string;
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
  const isWhole = isFile || /^sequenceDiagram/m.test(expectation);
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
  const messages = row.without === undefined ? all : rest(all, row.without);
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
    const report: CheckReport = {
      expectations: [one],
      budgets: judge.budgets(budgets),
      missing: [],
      start: all[0]?.time ?? START,
    };
    const lines = [...verdict.failures.map(({ line }) => line)].join(', ');
    const word = isUndecided(report) ? 'undecided' : isMet(report) ? 'pass' : `FAIL ${lines}`.trim();
    return { verdict: word, said: renderCheckText(report), report };
  } catch (error) {
    if (!(error instanceof UnreadableDiagram)) throw error;
    return unreadable(`:${error.line}: ${error.message}`);
  }
}

/** The test of a row: its verdict, the sentences, and the same verdict in every report. */
export async function said(row: Row): Promise<void> {
  const { verdict, said: text, report } = await judged(row);
  expect(verdict, text).toBe(row.verdict);
  for (const sentence of row.says ?? []) expect(text).toMatch(sentence);
  if (row.never !== undefined) expect(text).not.toMatch(row.never);
  if (report === null) return;
  const [github, junit, summary, json] = [
    renderCheckGithub(report),
    renderCheckJunit(report),
    renderCheckSummary(report),
    renderCheckJson(report),
  ];
  if (row.everywhere === true)
    for (const one of [github, junit, summary, json])
      for (const sentence of row.says ?? []) expect(one).toMatch(sentence);
  const { met, expectations } = JSON.parse(json) as { met: boolean; expectations: { result: string }[] };
  expect(met).toBe(row.verdict === 'pass');
  const [{ verdict: of }] = report.expectations;
  const result = of.undecided !== null ? 'undecided' : of.met ? 'pass' : 'FAIL';
  expect(expectations.map((one) => one.result)).toEqual([result]);
  const annotated = [...github.matchAll(/^::error file=story\.mmd,line=(\d+),title=story::/gm)].map(([, line]) => line);
  const lines = of.failures.map(({ line }) => `${line}`);
  if (result === 'FAIL') expect(annotated).toEqual(lines.slice(0, 10));
  if (result === 'FAIL') expect(junit).toContain(`message="line ${lines[0]} `);
  if (result === 'FAIL') expect(summary).toContain('❌');
  if (result === 'undecided') expect(junit).toMatch(/ failures="0" errors="[1-9]/);
}

function rest(messages: readonly Message[], without: RegExp | Exchanges): readonly Message[] {
  if (without instanceof RegExp) return messages.filter(({ label }) => !without.test(label));
  const { from, label, about } = without;
  const begun = messages.filter((one) => one.kind === 'request' && one.from.name === from && one.label.includes(label));
  const named = messages.filter(({ object }) => object?.name?.startsWith(about) === true);
  const ofThem = new Set(named.map(({ exchange }) => exchange));
  const gone = new Set(begun.map(({ exchange }) => exchange).filter((exchange) => ofThem.has(exchange)));
  expect(gone.size).toBeGreaterThan(0);
  return messages.filter(({ exchange }) => !gone.has(exchange));
}

function unreadable(said: string): Judged {
  return { verdict: 'unreadable', said, report: null };
}
