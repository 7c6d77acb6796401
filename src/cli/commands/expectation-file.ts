// Reads the file of an expectation and rewrites it for `kubeseq check --update`.

import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import {
  type Expectation,
  ExpectationText,
  expectationsOf,
  indexMessages,
  isEmpty,
  type Judge,
  type Message,
  type ObservationIndex,
  parseDiagram,
  rewrite,
  stableExpectation,
  UnreadableDiagram,
} from '../../index.js';
import { CliError, printError } from '../cli-error.js';
import { kindOfFile, WHAT } from '../files/file-kind.js';
import { readText } from '../input/input.js';
import type { Session } from '../input/session.js';
import { followOf, layersOf } from '../option-values.js';
import type { DiagramCliOptions } from '../options.js';
import { writeOutput } from '../output/output.js';

export interface Expected {
  /** Path as the user wrote it. */
  readonly file: string;
  readonly source: string;
  readonly expectations: readonly Expectation[];
}

export function readExpected(file: string, options: DiagramCliOptions & { readonly update?: true }): Expected {
  const written = options.update === true ? readOrCreate(file) : readText(file);
  const source = options.anonymizer?.written(written) ?? written;
  return { file, source, expectations: readExpectations(file, source) };
}

/** The expectations as they are, or as `--update` rewrote them. */
export async function current(
  { file, source: written, expectations: before }: Expected,
  seen: Observed,
): Promise<{ file: string; source: string; expectation: Expectation }[]> {
  const isUpdated = seen.options.update === true;
  const source = isUpdated ? await update({ expected: file, written, before, ...seen }) : written;
  const expectations = source === written ? before : readExpectations(file, source);
  return expectations.map((expectation) => ({ file, source, expectation }));
}

function readExpectations(path: string, source: string): Expectation[] {
  const kind = kindOfFile(path);
  if (kind !== null && kind !== 'diagram')
    throw new CliError(`${path} is ${WHAT[kind]}; the expectation comes first, a mermaid diagram: .mmd, or a .md page`);
  return diagramsIn(source, path, basename(path).replace(/\.[^.]*$/, ''));
}

/** The written diagrams of a file. @param name of one without a heading. Throws CliError with the line of what is none. */
export function diagramsIn(source: string, path: string, name: string): Expectation[] {
  try {
    return expectationsOf(source, /\.(?:md|markdown)$/i.test(path), name);
  } catch (error) {
    if (error instanceof UnreadableDiagram) throw new CliError(`${path}:${error.line}: ${error.message}`);
    throw error;
  }
}

/** The file's text; if there is no file yet, that of an empty diagram. */
function readOrCreate(path: string): string {
  if (path === '-' || existsSync(path)) return readText(path);
  return /\.(?:md|markdown)$/i.test(path) ? '```mermaid\nsequenceDiagram\n```\n' : 'sequenceDiagram\n';
}

/** Rewrites the file so that it passes on the capture, or leaves it unchanged. @returns its new text. */
async function update({ expected, written, before, ...seen }: Update): Promise<string> {
  let source = written;
  const changes: string[] = [];
  const labels = labelsOf(seen);
  // From the last to the first, so that offsets before a change stay valid.
  for (const one of [...before].reverse()) {
    const fresh = rewritten(expected, written, one, seen, labels);
    changes.unshift(...fresh.changes);
    source = source.slice(0, one.start) + fresh.text + source.slice(one.end);
  }
  if (source !== written) await writeOutput(expected, source);
  if (seen.options.quiet !== true) for (const line of changes) printError(line);
  return source;
}

/** The file's text with each failed expectation as `--update` writes it; what cannot be rewritten is printed, and stays. */
export function corrected(
  { file, source: written, expectations }: Expected,
  isFailed: (line: number) => boolean,
  seen: Observed,
): string {
  const failed = expectations.filter(({ diagram }) => isFailed(diagram.line));
  if (failed.length === 0) return written;
  let source = written;
  const labels = labelsOf(seen);
  for (const one of failed.reverse()) {
    try {
      source = source.slice(0, one.start) + rewritten(file, written, one, seen, labels).text + source.slice(one.end);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      printError(error.message);
    }
  }
  return source;
}

function labelsOf({ everything }: Observed): ExpectationText {
  return new ExpectationText(indexMessages(everything));
}

/** One expectation so that it passes on the capture, and lines on what was changed. Throws CliError if that cannot be. */
function rewritten(
  file: string,
  written: string,
  { diagram, start, end }: Expectation,
  { observation, session, options, judge }: Observed,
  labels: ExpectationText,
): { readonly text: string; readonly changes: readonly string[] } {
  const own = written.slice(start, end);
  const firstLine = written.slice(0, start).split('\n').length;
  let fresh: { readonly text: string; readonly changes: readonly string[] };
  if (isEmpty(diagram)) {
    const { sequence, nondeterministic } = drawn(observation, session, options);
    const without = nondeterministic === 0 ? '' : `, without what is nondeterministic (requests: ${nondeterministic})`;
    const changes = [`${file}:${diagram.line}: drawn from the capture${without}`];
    fresh = { text: labels.diagram(sequence), changes };
  } else {
    const why = judge.whyKept(diagram);
    if (why !== null) throw new CliError(`${file}:${diagram.line}: not rewritten: ${why}`);
    const { source, changes } = rewrite(own, firstLine, observation, { label: (one) => labels.label(one) });
    fresh = { text: source, changes: changes.map(({ line, text: what }) => `${file}:${line}: ${what}`) };
  }
  if (isEmpty(parseDiagram(fresh.text, firstLine))) throw new CliError(`${file}:${diagram.line}: ${NO_ARROW}`);
  return fresh;
}

function drawn(
  observation: ObservationIndex,
  session: Session,
  options: DiagramCliOptions,
): ReturnType<typeof stableExpectation> {
  return stableExpectation(
    { messages: observation.messages, notices: session.notices },
    { follow: followOf(options), all: options.all, layers: layersOf(options), by: options.by },
  );
}

interface Update extends Observed {
  readonly expected: string;
  /** The file's text as it was. */
  readonly written: string;
  readonly before: readonly Expectation[];
}

/** What an expectation is rewritten from. */
export interface Observed {
  readonly observation: ObservationIndex;
  /** The whole observation: the message that shows where a generated name came from may not be selected. */
  readonly everything: readonly Message[];
  readonly session: Session;
  readonly options: DiagramCliOptions & { readonly update?: true };
  readonly judge: Judge;
}

export const EXPECTATION = /\.(?:mmd|mermaid|md|markdown)$/i;
const NO_ARROW =
  'not written: there is no arrow for it in the capture, and without arrows it would hold on any; check the capture and what is chosen of it (--follow, --where …)';
