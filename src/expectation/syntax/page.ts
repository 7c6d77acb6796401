// The expectations of a file: a `.mmd` holds one, a Markdown page as many as it has mermaid fences with sequence diagrams,
// each named by the heading above it. Knows fences and headings; the diagrams are parse.ts's.

import { type Diagram, UnreadableDiagram } from './diagram.js';
import { plainText } from './markup.js';
import { parseDiagram } from './parse.js';

export interface Expectation {
  readonly name: string;
  readonly diagram: Diagram;
  /** The diagram's text within the file, [start, end) in characters; places in the diagram count from `start`. */
  readonly start: number;
  readonly end: number;
}

/**
 * @param fallback name of a diagram without a heading or title, such as the file's.
 * @throws UnreadableDiagram, also where the file holds no sequence diagram.
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
  /** Of the text, in characters; the 1-based line of its first one. */
  readonly start: number;
  readonly line: number;
  readonly heading: string | null;
}

/** mermaid fences (CommonMark 0.31, 4.5): a closing one is at least as long as the one it closes. */
function fencesOf(source: string): ExpectationFence[] {
  const fences: ExpectationFence[] = [];
  let heading: string | null = null;
  let open: { mark: string; isMermaid: boolean; start: number; line: number } | null = null;
  let at = 0;
  let line = 0;
  for (const row of source.split('\n')) {
    const start = at;
    at += row.length + 1;
    line += 1;
    if (open === null) {
      const [, mark, info] = /^ {0,3}(`{3,}|~{3,})\s*([^`\s]*)[^`]*$/.exec(row) ?? [];
      if (mark !== undefined) open = { mark, isMermaid: info.toLowerCase() === 'mermaid', start: at, line: line + 1 };
      else heading = /^ {0,3}#{1,6}\s+(.*?)(?:\s+#+)?\s*$/.exec(row)?.[1] ?? heading;
      continue;
    }
    const closing = /^ {0,3}(`{3,}|~{3,})\s*$/.exec(row)?.[1];
    if (closing === undefined || !closing.startsWith(open.mark)) continue;
    if (open.isMermaid)
      fences.push({ text: source.slice(open.start, start), start: open.start, line: open.line, heading });
    open = null;
  }
  if (open?.isMermaid === true) throw new UnreadableDiagram(open.line - 1, 'a mermaid fence is not closed');
  return fences;
}
