// `kubeseq check --update`: rewrites the expectation's file so that it holds on the capture, whole or not at all, and says
// on standard error what it changed.

import { existsSync } from 'node:fs';
import {
  type Expectation,
  ExpectationText,
  indexMessages,
  isEmpty,
  type Message,
  type ObservationIndex,
  parseDiagram,
  rewrite,
  stableExpectation,
} from '../../index.js';
import { CliError } from '../cli-error.js';
import type { Session } from '../input/session.js';
import { followOf, layersOf } from '../options.js';
import { openOutput } from '../output/output.js';
import { printError } from '../output/print-error.js';
import type { Judge } from '../undecided.js';
import { type CheckCliOptions, readText } from './check.js';

export interface Update {
  readonly expected: string;
  /** The file's text as it was. */
  readonly written: string;
  readonly before: readonly Expectation[];
  readonly facts: ObservationIndex;
  /** All of the observation: who made up a name need not be among what was chosen. */
  readonly everything: readonly Message[];
  readonly session: Session;
  readonly options: CheckCliOptions;
  readonly judge: Judge;
}

/** The file's text; where there is no file yet, one that waits for its picture. */
export function readOrBegin(path: string): string {
  if (path === '-' || existsSync(path)) return readText(path);
  return /\.(?:md|markdown)$/i.test(path) ? '```mermaid\nsequenceDiagram\n```\n' : 'sequenceDiagram\n';
}

/** @returns the file's text as it is now. */
export async function update({
  expected,
  written,
  before,
  facts,
  everything,
  session,
  options,
  judge,
}: Update): Promise<string> {
  const text = new ExpectationText(indexMessages(everything));
  let source = written;
  const said: string[] = [];
  // From the last to the first: places in front of a change stay where they are.
  for (const { diagram, start, end } of [...before].reverse()) {
    const own = written.slice(start, end);
    const firstLine = written.slice(0, start).split('\n').length;
    let fresh: string;
    if (isEmpty(diagram)) {
      const { sequence, byChance } = drawn(facts, session, options);
      fresh = text.diagram(sequence);
      const without = byChance === 0 ? '' : `, without what is there by chance (requests: ${byChance})`;
      said.unshift(`${expected}:${diagram.line}: drawn from the capture${without}`);
    } else {
      const why = judge.whyKept(diagram);
      if (why !== null) throw new CliError(`${expected}:${diagram.line}: not rewritten: ${why}`);
      const rewritten = rewrite(own, firstLine, facts, { label: (one) => text.label(one) });
      fresh = rewritten.source;
      said.unshift(...rewritten.changes.map(({ line, text: what }) => `${expected}:${line}: ${what}`));
    }
    if (isEmpty(parseDiagram(fresh, firstLine))) throw new CliError(`${expected}:${diagram.line}: ${NO_ARROW}`);
    source = source.slice(0, start) + fresh + source.slice(end);
  }
  if (source !== written) {
    const output = openOutput(expected);
    await output.write(source);
    await output.done();
  }
  if (options.quiet !== true) for (const line of said) printError(line);
  return source;
}

function drawn(
  facts: ObservationIndex,
  session: Session,
  options: CheckCliOptions,
): ReturnType<typeof stableExpectation> {
  return stableExpectation(
    { messages: facts.messages, notices: session.notices },
    { follow: followOf(options), all: options.all, layers: layersOf(options), by: options.by },
  );
}

const NO_ARROW =
  'not written: there is no arrow for it in the capture, and without arrows it would hold on any; check the capture and what is chosen of it (--follow, --where …)';
