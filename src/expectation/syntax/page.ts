// Finds the expectations of a file: a `.mmd` has one, a Markdown page one in each mermaid fence with a sequence
// diagram, named by the heading above it.

import { closingFence, linesOf, openingFence } from '../../markdown/fences.js';
import { type Diagram, UnreadableDiagram } from './diagram.js';
import { plainText } from './markup.js';
import { parseDiagram } from './parse.js';

export interface Expectation {
  readonly name: string;
  readonly diagram: Diagram;
  /** The diagram's text within the file, [start, end) in characters; spans in the diagram count from `start`. */
  readonly start: number;
  readonly end: number;
}

/**
 * @param fallback name of a diagram without a heading or title, such as the file's.
 * @throws UnreadableDiagram, also if the file has no sequence diagram.
 */
export function expectationsOf(source: string, isMarkdown: boolean, fallback: string): Expectation[] {
  if (!isMarkdown) {
    const diagram = parseDiagram(source);
    const name = diagram.title === null ? fallback : plainText(diagram.title);
    return [{ name, diagram, start: 0, end: source.length }];
  }
  const used = new Map<string, number>();
  const found = fencesOf(source)
    .filter(({ text }) => /^\s*sequenceDiagram\b/im.test(text))
    .map(({ text, start, line, heading }): Expectation => {
      const diagram = parseDiagram(text, line);
      const name = diagram.title === null ? (heading ?? fallback) : plainText(diagram.title);
      const count = (used.get(name) ?? 0) + 1;
      used.set(name, count);
      return { name: count === 1 ? name : `${name} (${count})`, diagram, start, end: start + text.length };
    });
  if (found.length === 0) throw new UnreadableDiagram(1, 'expected a mermaid fence with a sequenceDiagram');
  return found;
}

interface ExpectationFence {
  readonly text: string;
  /** Offset of the text in characters. */
  readonly start: number;
  /** 1-based line of its first line. */
  readonly line: number;
  readonly heading: string | null;
}

function fencesOf(source: string): ExpectationFence[] {
  const fences: ExpectationFence[] = [];
  const lines = linesOf(source);
  let heading: string | null = null;
  for (let at = 0; at < lines.length; at++) {
    const fence = openingFence(lines[at].text);
    if (fence === null) {
      heading = HEADING.exec(lines[at].text)?.[1] ?? heading;
      continue;
    }
    const isMermaid = fence.info.toLowerCase() === 'mermaid';
    const last = closingFence(lines, at, fence);
    if (last < 0 && isMermaid) throw new UnreadableDiagram(at + 1, 'a mermaid fence is not closed');
    if (last < 0) break;
    const start = lines[at].end;
    if (isMermaid) fences.push({ text: source.slice(start, lines[last].start), start, line: at + 2, heading });
    at = last;
  }
  return fences;
}

const HEADING = /^ {0,3}#{1,6}\s+(.*?)(?:\s+#+)?\s*$/;
