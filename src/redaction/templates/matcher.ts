// Finds the template that matches a text at a position, by its first word.

import { type HoleType, holeTypeOf, MAX_HOLE_LENGTH, MAX_LIST_LENGTH, type TemplateRow } from './grammar.js';

type TemplatePart = string | HoleType;

interface Template {
  readonly row: TemplateRow;
  readonly parts: readonly TemplatePart[];
  /** Letters of its literals: of two matching templates, the more specific one is tried first. */
  readonly weight: number;
  /** The longest literal of a template that begins with a hole: a text without it cannot match. */
  readonly longest: string;
}

/** A matched hole. */
interface Filled {
  readonly hole: HoleType;
  readonly start: number;
  readonly end: number;
}

export interface Match {
  readonly row: TemplateRow;
  readonly holes: readonly Filled[];
  readonly end: number;
}

const NONE: readonly Template[] = [];
const HOLE = /\{[a-zA-Z_|]+\}/;
const HOLES = /(\{[a-zA-Z_|]+\})/;
/** Limit: ends of a hole that are tried: a name may contain the text that follows it, rarely twice. */
const MAX_ENDS = 4;
/** Limit: holes and literals tried at one position of a text; past them no template fits: a hostile text has many near matches. */
const MAX_STEPS = 600;

/** Templates of one first word, parsed when a text has this word. */
interface Bucket {
  readonly rows: TemplateRow[];
  templates: readonly Template[] | null;
}

export class TemplateMatcher {
  readonly #byWord = new Map<string, Bucket>();
  readonly #beginningWithHole: readonly Template[];

  constructor(rows: readonly TemplateRow[]) {
    const others: TemplateRow[] = [];
    for (const row of rows) {
      const hole = HOLE.exec(row.template)?.index ?? row.template.length;
      const word = hole === 0 ? '' : firstWord(row.template, 0);
      // A literal that ends within its first word would be found under another one: `{`, `pod{`.
      if (word === '' || word.length > hole || (word.length === hole && hole < row.template.length)) {
        others.push(row);
        continue;
      }
      const known = this.#byWord.get(word);
      if (known === undefined) this.#byWord.set(word, { rows: [row], templates: null });
      else known.rows.push(row);
    }
    this.#beginningWithHole = parsed(others);
  }

  #ofWord(word: string): readonly Template[] {
    const bucket = this.#byWord.get(word);
    if (bucket === undefined) return NONE;
    bucket.templates ??= parsed(bucket.rows);
    return bucket.templates;
  }

  /** Templates that begin with a hole and whose longest literal the text contains, for `matchAt`. */
  candidatesIn(text: string): readonly Template[] {
    return this.#beginningWithHole.filter(({ longest }) => text.includes(longest));
  }

  /** @param candidates of `candidatesIn`. @returns null if no template matches from `at` to the end of a clause. */
  matchAt(text: string, at: number, candidates: readonly Template[]): Match | null {
    const budget = { steps: MAX_STEPS };
    for (const template of this.#ofWord(firstWord(text, at))) {
      const match = matchFrom(template, text, at, budget);
      if (match !== null) return match;
    }
    for (const template of candidates) {
      const match = matchFrom(template, text, at, budget);
      if (match !== null) return match;
    }
    return null;
  }
}

/** Of two matching templates, the more specific one is tried first. */
function parsed(rows: readonly TemplateRow[]): readonly Template[] {
  return rows.map(parse).sort((a, b) => b.weight - a.weight);
}

/** @throws on an unknown type of hole, and on two adjacent holes. */
export function parse(row: TemplateRow): Template {
  const parts: TemplatePart[] = [];
  let literal = '';
  for (const piece of row.template.split(HOLES)) {
    const hole = piece.startsWith('{') && piece.length > 2 ? holeTypeOf(piece.slice(1, -1)) : null;
    if (hole === null) literal += piece;
    else {
      if (literal === '' && parts.length > 0) throw new Error(`two holes touch: ${row.template}`);
      if (literal !== '') parts.push(literal);
      literal = '';
      parts.push(hole);
    }
  }
  if (literal !== '') parts.push(literal);
  const literals = parts.filter((part) => typeof part === 'string');
  return {
    row,
    parts,
    weight: literals.join('').length,
    longest: literals.reduce((a, b) => (b.length > a.length ? b : a), ''),
  };
}

function matchFrom(template: Template, text: string, at: number, budget: { steps: number }): Match | null {
  const holes: Filled[] = [];
  const end = matchParts(template.parts, 0, text, at, holes, budget);
  return end < 0 ? null : { row: template.row, holes: holes.reverse(), end };
}

/** @returns where the remaining parts end, -1 if they do not match; holes are added from the last on. */
function matchParts(
  parts: readonly TemplatePart[],
  index: number,
  text: string,
  at: number,
  holes: Filled[],
  budget: { steps: number },
): number {
  budget.steps -= 1;
  if (budget.steps < 0) return -1;
  if (index === parts.length) return endsClause(text, at) ? at : -1;
  const part = parts[index];
  if (typeof part === 'string') {
    return text.startsWith(part, at) ? matchParts(parts, index + 1, text, at + part.length, holes, budget) : -1;
  }
  const next = parts[index + 1] as string | undefined;
  if (next === undefined) {
    const end = part.shows === 'content' && !part.hasSpaces ? endOfRun(text, at) : text.length;
    if (part.shows === 'content' && !part.fits(text.slice(at, end))) return -1;
    holes.push({ hole: part, start: at, end });
    return end;
  }
  const window =
    part.shows === 'content'
      ? text.slice(at, at + (part.hasSpaces ? MAX_LIST_LENGTH : MAX_HOLE_LENGTH) + next.length)
      : text;
  const shift = part.shows === 'content' ? at : 0;
  let found = window.indexOf(next, at - shift);
  for (let tries = 0; found >= 0 && tries < MAX_ENDS; ) {
    const end = found + shift;
    const isEscaped = next[0] === '"' && text[end - 1] === '\\';
    if (!isEscaped && (part.shows !== 'content' || part.fits(text.slice(at, end)))) {
      const whole = matchParts(parts, index + 1, text, end, holes, budget);
      if (whole >= 0) {
        holes.push({ hole: part, start: at, end });
        return whole;
      }
    }
    // Any number of quotes around a quoted text is skipped.
    if (!isEscaped) tries += 1;
    found = window.indexOf(next, found + 1);
  }
  return -1;
}

function firstWord(text: string, at: number): string {
  let end = at;
  while (end < text.length && end - at < 40 && WORD_END[text.charCodeAt(end)] !== 1) end += 1;
  return text.slice(at, end);
}

/** Where a hole at the end of a template ends: before white space or a quote, and before punctuation in front of these. */
function endOfRun(text: string, at: number): number {
  let end = at;
  while (end < text.length && end - at <= MAX_HOLE_LENGTH && RUN_END[text.charCodeAt(end)] !== 1) end += 1;
  while (end > at && TRAILING.includes(text[end - 1]) && !closes(text, at, end)) end -= 1;
  return end;
}

/** Whether the run ends with a bracket that it also opens: `web_default(uid)`. */
function closes(text: string, at: number, end: number): boolean {
  const opening = text[end - 1] === ')' ? '(' : text[end - 1] === ']' ? '[' : '';
  return opening !== '' && text.slice(at, end).includes(opening);
}

function endsClause(text: string, at: number): boolean {
  return at === text.length || ENDS.includes(text[at]) || ENDS.includes(text[at - 1]);
}

const ENDS = ' \t\n\r,;:.)]}"\'\\';
const TRAILING = ',;:.)]}!';
const codes = (characters: string): Uint8Array => {
  const table = new Uint8Array(128);
  for (const one of characters) table[one.charCodeAt(0)] = 1;
  return table;
};
const WORD_END = codes(' \t\n\r,;:."\'');
const RUN_END = codes(' \t\n\r"\'\\');
