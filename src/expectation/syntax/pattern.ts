// Compiles text with wildcards: `*` up to a blank or `/`, `**` across `/`, `…` for anything, `{name}` for a value that is the same in the
// whole diagram, `a|b` for alternatives, `2xx` for a class of codes. Matching takes time linear in the text.

import { literally, SOFT } from './markup.js';

/** Values of an arrow's names, in their order; undefined for a name that the pattern does not have, which is for a part of the label. */
export type Binding = readonly (string | undefined)[];

export interface Pattern {
  /** All values that the names can have in the text; null if it does not fit. Patterns without names have `ONE_WAY`. */
  read(text: string): readonly Binding[] | null;
  fits(text: string): boolean;
}

export interface PatternOptions {
  /** Compares letters without case. */
  readonly foldCase?: boolean;
  /** `2xx` stands for a 2 and at least two more digits. */
  readonly codeClasses?: boolean;
}

/** Names can have more values in one text than `READINGS_LIMIT`. */
export class TooManyReadings extends Error {}

/** @param marked result of `readMarkup`. @param names all names of the arrow; new ones are added. */
export function compilePattern(marked: string, names: string[], options: PatternOptions = {}): Pattern {
  const nodes: Node[] = [];
  const start = compileText(marked, push(nodes, { kind: 'end' }), nodes, names, options);
  const hasNames = nodes.some((node) => node.kind === 'name');
  return {
    fits: (text) => new PatternMatcher(nodes, text).fits(start),
    read(text) {
      const matcher = new PatternMatcher(nodes, text);
      if (!matcher.fits(start)) return null;
      if (!hasNames) return ONE_WAY;
      const bindings = matcher.bindings(start, names);
      return bindings.length === 0 ? null : bindings;
    },
  };
}

/** The bindings on which two parts of a label agree. */
export function joinBindings(left: readonly Binding[], right: readonly Binding[]): readonly Binding[] {
  if (right === ONE_WAY) return left;
  if (left === ONE_WAY) return right;
  const joined: Binding[] = [];
  for (const a of left) {
    for (const b of right) {
      const both = joinedBinding(a, b);
      if (both !== null) joined.push(both);
      if (joined.length > READINGS_LIMIT) throw new TooManyReadings();
    }
  }
  return joined;
}

function joinedBinding(a: Binding, b: Binding): Binding | null {
  const both: (string | undefined)[] = [];
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    if (a[i] !== undefined && b[i] !== undefined && a[i] !== b[i]) return null;
    both.push(a[i] ?? b[i]);
  }
  return both;
}

type Node =
  | { readonly kind: 'end' }
  | { readonly kind: 'text'; readonly text: string; readonly fold: boolean; readonly next: number }
  | Span
  | { readonly kind: 'either'; readonly nexts: readonly number[] };

/** At least `least` characters up to one that `end` matches; null: up to the end of the text. */
type Span = {
  readonly kind: 'blanks' | 'wildcard' | 'name';
  readonly end: RegExp | null;
  readonly least: number;
  /** Of a name: its index. */
  readonly name?: number;
  readonly next: number;
};

/** Compiles from the end to the beginning, so that each piece links to its successor. */
function compileText(marked: string, end: number, nodes: Node[], names: string[], options: PatternOptions): number {
  let next = end;
  const pieces = marked.split(DELIMITERS);
  for (let i = pieces.length - 1; i >= 0; i--) {
    const piece = pieces[i];
    if (piece === '') continue;
    if (i % 2 === 1) next = push(nodes, delimiter(piece, next));
    else if (!piece.includes('|')) next = compileWord(piece, next, nodes, names, options);
    else {
      const nexts = piece.split('|').map((word) => compileWord(word, next, nodes, names, options));
      next = push(nodes, { kind: 'either', nexts });
    }
  }
  return next;
}

function delimiter(piece: string, next: number): Node {
  if (piece === SOFT) return { kind: 'blanks', end: NO_BLANK, least: 0, next };
  if (/^\s/.test(piece)) return { kind: 'blanks', end: NO_BLANK, least: 1, next };
  return { kind: 'text', text: piece, fold: false, next };
}

function compileWord(word: string, end: number, nodes: Node[], names: string[], options: PatternOptions): number {
  if (options.codeClasses === true && /^[1-5]xx$/i.test(word)) {
    const digits = push(nodes, { kind: 'wildcard', end: NO_DIGIT, least: 2, next: end });
    return push(nodes, { kind: 'text', text: word[0], fold: false, next: digits });
  }
  let next = end;
  const tokens = word.match(TOKENS) ?? [];
  for (const token of tokens.reverse()) {
    if (token === '**') next = push(nodes, { kind: 'wildcard', end: BLANK, least: 0, next });
    else if (token === '*') next = push(nodes, { kind: 'wildcard', end: BLANK_OR_SLASH, least: 0, next });
    else if (token === '…') next = push(nodes, { kind: 'wildcard', end: null, least: 0, next });
    else if (NAME.test(token)) {
      const name = nameIndex(token.slice(1, -1), names);
      next = push(nodes, { kind: 'name', name, end: NAME_END, least: 1, next });
    } else {
      const text = [...token].map(literally).join('');
      const fold = options.foldCase === true;
      next = push(nodes, { kind: 'text', text: fold ? text.toLowerCase() : text, fold, next });
    }
  }
  return next;
}

function nameIndex(name: string, names: string[]): number {
  const known = names.indexOf(name);
  return known >= 0 ? known : names.push(name) - 1;
}

function push(nodes: Node[], node: Node): number {
  return nodes.push(node) - 1;
}

/**
 * Matches one text. For each node it computes, backwards, from which positions the rest of the pattern fits the rest of the text, so that
 * time is linear in the text.
 */
class PatternMatcher {
  readonly #nodes: readonly Node[];
  readonly #text: string;
  readonly #lower: string;
  /** By node and position: 1 if the pattern from that node on fits the text from that position on. */
  #fitting: Uint8Array[] | null = null;

  constructor(nodes: readonly Node[], text: string) {
    this.#nodes = nodes;
    this.#text = text;
    this.#lower = nodes.some((node) => node.kind === 'text' && node.fold) ? text.toLowerCase() : text;
  }

  /** Whether the whole text fits. Up to the first wildcard, name or alternative there is one way, and no table is needed. */
  fits(start: number): boolean {
    let index = start;
    let position = 0;
    for (;;) {
      const node = this.#nodes[index];
      if (node.kind === 'end') return position === this.#text.length;
      if (node.kind === 'text') {
        if (!this.#has(node, position)) return false;
        position += node.text.length;
      } else if (node.kind === 'blanks') {
        const end = this.#endOf(node, position);
        if (end - position < node.least) return false;
        position = end;
      } else return this.#restFits(index, position);
      index = node.next;
    }
  }

  bindings(start: number, names: readonly string[]): readonly Binding[] {
    const found = new Map<string, Binding>();
    const values: (string | undefined)[] = names.map(() => undefined);
    const walk = (index: number, position: number): void => {
      if (!this.#restFits(index, position)) return;
      const node = this.#nodes[index];
      if (node.kind === 'end') {
        found.set(JSON.stringify(values), [...values]);
        if (found.size > READINGS_LIMIT) throw new TooManyReadings();
      } else if (node.kind === 'text') walk(node.next, position + node.text.length);
      else if (node.kind === 'either') for (const next of node.nexts) walk(next, position);
      else if (node.name !== undefined) this.#bind(node, node.name, position, values, walk);
      else {
        const end = this.#endOf(node, position);
        for (let to = position + node.least; to <= end; to++) walk(node.next, to);
      }
    };
    walk(start, 0);
    return [...found.values()];
  }

  #bind(
    node: Span,
    name: number,
    position: number,
    values: (string | undefined)[],
    walk: (index: number, position: number) => void,
  ): void {
    const known = values[name];
    const end = this.#endOf(node, position);
    if (known !== undefined) {
      const to = position + known.length;
      if (this.#text.startsWith(known, position) && to <= end) walk(node.next, to);
      return;
    }
    for (let to = position + 1; to <= end; to++) {
      values[name] = this.#text.slice(position, to);
      walk(node.next, to);
    }
    values[name] = undefined;
  }

  #restFits(index: number, position: number): boolean {
    this.#fitting ??= this.#computeFitting();
    return this.#fitting[index][position] === 1;
  }

  /** Successors have lower indices, so that their positions are known. */
  #computeFitting(): Uint8Array[] {
    const { length } = this.#text;
    const fitting: Uint8Array[] = [];
    for (const node of this.#nodes) {
      const own = new Uint8Array(length + 1);
      fitting.push(own);
      if (node.kind === 'end') own[length] = 1;
      else if (node.kind === 'text') {
        for (let at = 0; at + node.text.length <= length; at++)
          if (fitting[node.next][at + node.text.length] === 1 && this.#has(node, at)) own[at] = 1;
      } else if (node.kind === 'either') {
        for (const next of node.nexts) for (let at = 0; at <= length; at++) own[at] |= fitting[next][at];
      } else this.#computeSpan(node, fitting[node.next], own);
    }
    return fitting;
  }

  /** @param next where the rest after the span fits. @param own result: where the span and that rest fit. */
  #computeSpan({ end, least }: Span, next: Uint8Array, own: Uint8Array): void {
    const { length } = this.#text;
    // 1 where the rest fits at the position, or at a later one that the span can extend to.
    const reaching = new Uint8Array(length + 1);
    let longest = 0;
    for (let at = length; at >= 0; at--) {
      const canExtend = at < length && end?.test(this.#text[at]) !== true;
      longest = canExtend ? longest + 1 : 0;
      reaching[at] = next[at] | (canExtend ? reaching[at + 1] : 0);
      if (longest >= least) own[at] = reaching[at + least];
    }
  }

  #has({ text, fold }: { readonly text: string; readonly fold: boolean }, position: number): boolean {
    return (fold ? this.#lower : this.#text).startsWith(text, position);
  }

  /** Position up to which a span that begins at `position` can extend. */
  #endOf({ end }: Span, position: number): number {
    if (end === null) return this.#text.length;
    for (let at = position; at < this.#text.length; at++) if (end.test(this.#text[at])) return at;
    return this.#text.length;
  }
}

/** Of a pattern without names. */
export const ONE_WAY: readonly Binding[] = [[]];
const NAME = /^\{[A-Za-z_][\w-]*\}$/;
const TOKENS = /\{[A-Za-z_][\w-]*\}|\*\*+|\*|…|(?:(?!\{[A-Za-z_][\w-]*\})[^*…])+/gu;
/** Blanks, possible line breaks and signs of URLs, across which an alternative `a|b` does not extend. */
const DELIMITERS = new RegExp(`(${SOFT}|\\s+|[/?&=,])`, 'u');
const BLANK = /\s/;
const NO_BLANK = /\S/;
const NO_DIGIT = /\D/;
const BLANK_OR_SLASH = /[\s/]/;
const NAME_END = /[\s/,&?]/;
/** Limit: values that the names can have in one label: `{a}-{b}` in a name of six parts has five; past it `check` exits 2. */
export const READINGS_LIMIT = 256;
