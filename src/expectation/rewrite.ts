// Rewrites an expectation so that it passes on an observation: each failing arrow gets the label of the most similar
// message between the same participants, moves to its position, or is removed.

import type { Message } from '../kubernetes/messages/message.js';
import { type CheckFailure, type CheckVerdict, check } from './check.js';
import type { ObservationIndex } from './matching/observation-index.js';
import { type ArrowText, arrowTexts, type Diagram } from './syntax/diagram.js';
import { plainText, protect, readMarkup } from './syntax/markup.js';
import { parseDiagram } from './syntax/parse.js';
import { compilePattern } from './syntax/pattern.js';

export interface RewriteTools {
  /** A message's label as the diagram writes it, with generated names replaced. */
  label(message: Message): string;
}

export interface Rewritten {
  readonly source: string;
  /** Changes in words, by lines of the original text. */
  readonly changes: readonly { readonly line: number; readonly text: string }[];
  /** Verdict on the new text. */
  readonly verdict: CheckVerdict;
}

/** @param source text of one diagram. @param firstLine 1-based line of its file. */
export function rewrite(
  source: string,
  firstLine: number,
  observation: ObservationIndex,
  tools: RewriteTools,
): Rewritten {
  const changes: { line: number; text: string }[] = [];
  let text = source;
  let verdict = check(parseDiagram(text, firstLine), observation, { allFailures: true });
  // An arrow that was changed or moved in one round may fail in the next one for another reason.
  for (let round = 0; round < ROUNDS && !verdict.met && verdict.undecided === null; round++) {
    const diagram = parseDiagram(text, firstLine);
    const failures = verdict.failures.filter(({ kind }) => kind === 'missing');
    if (failures.length === 0) break;
    const edits = failures.flatMap((failure) => {
      const change = editFor(failure, verdict, diagram, text, tools);
      if (change.what === null) return [];
      const { edits: made, what } = round === ROUNDS - 1 ? removal(failure, text) : change;
      if (what !== null) changes.push({ line: failure.line, text: what });
      return made;
    });
    if (edits.length === 0) break;
    text = balanced(applied(text, edits), firstLine);
    verdict = check(parseDiagram(text, firstLine), observation, { allFailures: true });
  }
  const written = changes.length === 0 ? text : withoutSeqs(text);
  if (written !== text) verdict = check(parseDiagram(written, firstLine), observation, { allFailures: true });
  return { source: written, changes, verdict };
}

/** Removes the message numbers that `diagram` writes above arrows: they belong to another capture. */
function withoutSeqs(source: string): string {
  return source.replace(/^[ \t]*%% \d+(?:, frames? \d+(?: to \d+)?)?\n/gm, '');
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface LineChange {
  readonly edits: readonly Edit[];
  /** In words; null: nothing is changed, because only the author can decide. */
  readonly what: string | null;
}

function editFor(
  failure: CheckFailure,
  verdict: CheckVerdict,
  diagram: Diagram,
  source: string,
  tools: RewriteTools,
): LineChange {
  const { nearest, arrow: written } = failure;
  const arrow = failure.text as ArrowText;
  // Another participant sent the message: that may be the failure that the expectation is there to find.
  if (nearest?.isBetweenOthers === true && nearest.hasSameLabel) return { edits: [], what: null };
  const own = failure.nearestOwn ?? null;
  const isTaken = own !== null && verdict.matched.some(({ message }) => message === own.message);
  if (own === null || isTaken) return removal(failure, source);
  if (own.fits) return movement(failure, own.message, verdict, diagram, source);
  const old = source.slice(arrow.text.start, arrow.text.end);
  const label = withWrittenWords(tools.label(own.message), own.message.label, old, verdict.names);
  const edits: Edit[] = [{ ...arrow.text, text: ` ${label}` }];
  return { edits, what: `${written} becomes ${plainText(readMarkup(label))}` };
}

/**
 * A new label with the words of the old one that fit it: names and wildcards stay open.
 * @param label with generated names replaced. @param seen as captured. @param names values of the expectation's names.
 */
function withWrittenWords(label: string, seen: string, old: string, names: ReadonlyMap<string, string>): string {
  const [written, captured] = [wordsOf(old.trim()), wordsOf(seen)];
  const parts = label.split(WORD_ENDS);
  const count = (parts.length + 1) / 2;
  if (captured.length !== count) return label;
  const valueOr = (whole: string, name: string): string => {
    const value = names.get(name);
    return value === undefined ? whole : protect(value);
  };
  const bound = written.map((word) => word.replace(NAME, valueOr));
  const fits = (i: number, word: string): boolean => compilePattern(readMarkup(bound[i]), []).fits(word);
  for (const [i, word] of captured.entries()) {
    // In a label of another shape, only names with a value tell which words they stand for.
    const from =
      written.length === count ? i : bound.findIndex((one, j) => one !== written[j] && one === protect(word));
    if (from >= 0 && fits(from, word)) parts[2 * i] = written[from];
  }
  return parts.join('');
}

function wordsOf(label: string): string[] {
  return label.split(WORD_ENDS).filter((_, i) => i % 2 === 0);
}

const WORD_ENDS = /((?:<br\s*\/?>|[\s/?&=,])+)/i;
const NAME = /\{([A-Za-z_][\w-]*)\}/g;

function removal(failure: CheckFailure, source: string): LineChange {
  const what = `${failure.arrow}: removed, as no message between them comes near`;
  return { edits: [lineOf(failure.text as ArrowText, source)], what };
}

/** Moves the arrow above the first one whose message came later. */
function movement(
  failure: CheckFailure,
  message: Message,
  verdict: CheckVerdict,
  diagram: Diagram,
  source: string,
): LineChange {
  const arrow = failure.text as ArrowText;
  const line = lineOf(arrow, source);
  const at = new Map(verdict.matched.map((match) => [match.line, match.message]));
  const later = arrowTexts(diagram.body).find((other) => {
    const matched = at.get(other.line);
    return matched !== undefined && matched.seq > message.seq;
  });
  const place = later === undefined ? source.trimEnd().length + 1 : lineOf(later, source).start;
  const moved = { start: place, end: place, text: source.slice(line.start, line.end) };
  return { edits: [line, moved], what: `${failure.arrow}: moved to where it happened` };
}

/** The statement, with its line if nothing else is on it. */
function lineOf({ span }: ArrowText, source: string): Edit {
  const start = source.lastIndexOf('\n', span.start - 1) + 1;
  const next = source.indexOf('\n', span.end);
  const end = next < 0 ? source.length : next + 1;
  const isAlone = source.slice(start, span.start).trim() === '' && source.slice(span.end, end).trim() === '';
  return isAlone ? { start, end, text: '' } : { ...span, text: '' };
}

function applied(source: string, edits: readonly Edit[]): string {
  let out = source;
  for (const { start, end, text } of [...edits].sort((a, b) => b.start - a.start || b.end - a.end))
    out = out.slice(0, start) + text + out.slice(end);
  return out;
}

/** Removes deactivations without an activation, which mermaid rejects. */
function balanced(source: string, firstLine: number): string {
  const active = new Map<string, number>();
  const edits: Edit[] = [];
  for (const arrow of arrowTexts(parseDiagram(source, firstLine).body)) {
    if (arrow.activation === '+') active.set(arrow.to, (active.get(arrow.to) ?? 0) + 1);
    if (arrow.activation !== '-') continue;
    const open = active.get(arrow.from) ?? 0;
    if (open === 0) edits.push({ ...arrow.sign, text: '' });
    else active.set(arrow.from, open - 1);
  }
  return applied(source, edits);
}

/** Limit: rounds of `--update`: one changes labels, one moves arrows, the last one removes arrows that still fail. */
const ROUNDS = 4;
