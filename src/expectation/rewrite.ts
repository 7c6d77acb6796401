// Makes an expectation hold on an observation: each arrow that fails becomes the message that came nearest, moves to where
// it happened, or goes. What holds stays as its author wrote it. Knows places in the text; how mermaid writes a label is
// the caller's.

import type { Message, Speaker } from '../kubernetes/message.js';
import { check, type Failure, type Verdict } from './check.js';
import { type ArrowText, arrowTexts, type Diagram } from './diagram.js';
import type { Facts } from './facts.js';
import { parseDiagram } from './parse.js';

export interface RewriteTools {
  /** A message's label as the diagram has to say it, generated names replaced. */
  label(message: Message): string;
  /** A name as the diagram has to say it. */
  alias(name: string): string;
}

export interface Rewritten {
  readonly source: string;
  /** In words: what was done, by lines of the text as it was. */
  readonly changes: readonly { readonly line: number; readonly text: string }[];
  /** Of the text as it is now. */
  readonly verdict: Verdict;
}

/** @param source text of one diagram. @param firstLine 1-based line of its file. */
export function rewrite(source: string, firstLine: number, facts: Facts, tools: RewriteTools): Rewritten {
  const changes: { line: number; text: string }[] = [];
  let text = source;
  let verdict = check(parseDiagram(text, firstLine), facts, { allFailures: true });
  // Each round mends what failed; what has moved may fail once more, for another reason.
  for (let round = 0; round < ROUNDS && !verdict.met && verdict.undecided === null; round++) {
    const diagram = parseDiagram(text, firstLine);
    const failures = verdict.failures.filter(({ kind }) => kind === 'missing');
    if (failures.length === 0) break;
    const joined: Joined = new Map();
    const edits = failures.flatMap((failure) => {
      const edit =
        round === ROUNDS - 1 ? removal(failure, text) : editFor(failure, verdict, diagram, joined, text, tools);
      changes.push({ line: failure.line, text: edit.what });
      return edit.edits;
    });
    text = balanced(applied(text, edits), firstLine);
    verdict = check(parseDiagram(text, firstLine), facts, { allFailures: true });
  }
  return { source: text, changes, verdict };
}

/** Names of participants that this round declares, by id. */
type Joined = Map<string, string>;

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function editFor(
  failure: Failure,
  verdict: Verdict,
  diagram: Diagram,
  joined: Joined,
  source: string,
  tools: RewriteTools,
): { readonly edits: readonly Edit[]; readonly what: string } {
  const { nearest } = failure;
  const arrow = failure.text as ArrowText;
  const isTaken = nearest !== null && verdict.matched.some(({ message }) => message === nearest.message);
  if (nearest === null || isTaken) return removal(failure, source);
  if (nearest.fits) return movement(arrow, nearest.message, verdict, diagram, source);
  const { message } = nearest;
  const edits: Edit[] = [{ ...arrow.text, text: ` ${tools.label(message)}` }];
  const sides: [string, Speaker][] = [
    [arrow.from, message.from],
    [arrow.to, message.to],
  ];
  if (nearest.isBetweenOthers) {
    const ids = sides.map(([, speaker]) => participantFor(speaker, diagram, joined, edits, source, tools));
    const { span, text } = arrow;
    const sign = arrow.activation;
    edits.push({ start: span.start, end: text.start, text: `${ids[0]} ${arrow.style}${sign} ${ids[1]}:` });
  }
  return { edits, what: `now says what happened: ${message.label}` };
}

function removal(failure: Failure, source: string): { readonly edits: readonly Edit[]; readonly what: string } {
  return { edits: [lineOf(failure.text as ArrowText, source)], what: 'removed: no message comes near' };
}

/** To before the first arrow whose message came later. */
function movement(
  arrow: ArrowText,
  message: Message,
  verdict: Verdict,
  diagram: Diagram,
  source: string,
): { readonly edits: readonly Edit[]; readonly what: string } {
  const line = lineOf(arrow, source);
  const at = new Map(verdict.matched.map((match) => [match.line, match.message]));
  const later = arrowTexts(diagram.body).find((other) => {
    const matched = at.get(other.line);
    return matched !== undefined && matched.seq > message.seq;
  });
  const place = later === undefined ? source.trimEnd().length + 1 : lineOf(later, source).start;
  const moved = { start: place, end: place, text: source.slice(line.start, line.end) };
  return { edits: [line, moved], what: 'moved to where it happened' };
}

/** The statement with its line, where it has the line for itself. */
function lineOf({ span }: ArrowText, source: string): Edit {
  const start = source.lastIndexOf('\n', span.start - 1) + 1;
  const next = source.indexOf('\n', span.end);
  const end = next < 0 ? source.length : next + 1;
  const isAlone = source.slice(start, span.start).trim() === '' && source.slice(span.end, end).trim() === '';
  return isAlone ? { start, end, text: '' } : { ...span, text: '' };
}

function participantFor(
  speaker: Speaker,
  diagram: Diagram,
  joined: Joined,
  edits: Edit[],
  source: string,
  tools: RewriteTools,
): string {
  for (const { id, name } of diagram.participants.values()) {
    if ([speaker.name, speaker.component].includes(name)) return id;
  }
  for (const [id, name] of joined) if (name === speaker.name) return id;
  const stem = speaker.shortId ?? 'P';
  let id = stem;
  for (let i = 2; diagram.participants.has(id) || joined.has(id); i++) id = `${stem}${i}`;
  joined.set(id, speaker.name);
  const [first] = arrowTexts(diagram.body);
  const { start } = lineOf(first, source);
  edits.push({ start, end: start, text: `    participant ${id} as ${tools.alias(speaker.name)}\n` });
  return id;
}

function applied(source: string, edits: readonly Edit[]): string {
  let out = source;
  for (const { start, end, text } of [...edits].sort((a, b) => b.start - a.start || b.end - a.end))
    out = out.slice(0, start) + text + out.slice(end);
  return out;
}

/** mermaid refuses to end a bar that was never begun: such signs go. */
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

/** One mends labels, one places, the last removes what still does not fit. */
const ROUNDS = 4;
