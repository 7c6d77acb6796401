// Compiles text with wildcards, in time linear in the text: `*` within a word, `**` across `/`, `…` for anything,
// `{name}` for a value that is the same everywhere, `a|b` for alternatives, `2xx` for a class of codes.

import { literally, SOFT } from './markup.js';

/** Values of the pattern's names, in their order; undefined for names in other parts of a label. */
export type Binding = readonly (string | undefined)[];

export interface Pattern {
  /** Every way to read the text; null if it does not fit. Patterns without names have one way. */
  read(text: string): readonly Binding[] | null;
  fits(text: string): boolean;
}

export interface PatternOptions {
  /** Letters compare without case. */
  readonly foldCase?: boolean;
  /** `2xx` stands for 200 to 299. */
  readonly codeClasses?: boolean;
}

/** More ways to read one text than `READINGS_LIMIT`. */
export class TooManyReadings extends Error {}

/** @param marked result of `readMarkup`. @param names all names of the arrow; new ones are added. */
export function compilePattern(marked: string, names: string[], options: PatternOptions = {}): Pattern {
  const nodes: Node[] = [];
  const start = compileText(marked, push(nodes, { kind: 'end' }), nodes, names, options);
  const isOpen = nodes.some((node) => node.kind === 'name');
  return {
    fits: (text) => new PatternMatcher(nodes, text).fits(start),
    read(text) {
      const run = new PatternMatcher(nodes, text);
      if (!run.fits(start)) return null;
      if (!isOpen) return ONE_WAY;
      const readings = run.readings(start, names);
      return readings.length === 0 ? null : readings;
    },
  };
}

/** The bindings on which two parts of a label agree. */
export function joinBindings(some: readonly Binding[], others: readonly Binding[]): readonly Binding[] {
  if (others === ONE_WAY) return some;
  if (some === ONE_WAY) return others;
  const joined: Binding[] = [];
  for (const a of some) {
    for (const b of others) {
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
  | { readonly kind: 'run'; readonly stops: RegExp | null; readonly least: number; readonly next: number }
  | { readonly kind: 'name'; readonly name: number; readonly next: number }
  | { readonly kind: 'either'; readonly nexts: readonly number[] };

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
  if (piece === SOFT) return { kind: 'run', stops: NO_SPACE, least: 0, next };
  if (/^\s/.test(piece)) return { kind: 'run', stops: NO_SPACE, least: 1, next };
  return { kind: 'text', text: piece, fold: false, next };
}

function compileWord(word: string, end: number, nodes: Node[], names: string[], options: PatternOptions): number {
  if (options.codeClasses === true && /^[1-5]xx$/i.test(word)) {
    const digits = push(nodes, { kind: 'run', stops: NO_DIGIT, least: 2, next: end });
    return push(nodes, { kind: 'text', text: word[0], fold: false, next: digits });
  }
  let next = end;
  const tokens = word.match(TOKENS) ?? [];
  for (const token of tokens.reverse()) {
    if (token === '**') next = push(nodes, { kind: 'run', stops: SPACE, least: 0, next });
    else if (token === '*') next = push(nodes, { kind: 'run', stops: WORD_END, least: 0, next });
    else if (token === '…') next = push(nodes, { kind: 'run', stops: null, least: 0, next });
    else if (NAME.test(token)) next = push(nodes, { kind: 'name', name: nameIndex(token.slice(1, -1), names), next });
    else {
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

/** Matches one text. It computes from the end which positions lead to it, so that time is linear in the text. */
class PatternMatcher {
  readonly #nodes: readonly Node[];
  readonly #text: string;
  readonly #lower: string;
  /** Node → positions from which the end can be reached. */
  #leading: Uint8Array[] | null = null;

  constructor(nodes: readonly Node[], text: string) {
    this.#nodes = nodes;
    this.#text = text;
    this.#lower = nodes.some((node) => node.kind === 'text' && node.fold) ? text.toLowerCase() : text;
  }

  /** Does the whole text fit? Up to the first wildcard or name there is only one way. */
  fits(start: number): boolean {
    let at = start;
    let place = 0;
    for (;;) {
      const node = this.#nodes[at];
      if (node.kind === 'end') return place === this.#text.length;
      if (node.kind === 'text') {
        if (!this.#has(node, place)) return false;
        place += node.text.length;
      } else if (node.kind === 'run' && node.stops === NO_SPACE) {
        const end = this.#runEnd(node, place);
        if (end - place < node.least) return false;
        place = end;
      } else return this.#leads(at, place);
      at = node.next;
    }
  }

  readings(start: number, names: readonly string[]): readonly Binding[] {
    const found = new Map<string, Binding>();
    const values: (string | undefined)[] = names.map(() => undefined);
    const walk = (at: number, place: number): void => {
      if (!this.#leads(at, place)) return;
      const node = this.#nodes[at];
      if (node.kind === 'end') {
        found.set(JSON.stringify(values), [...values]);
        if (found.size > READINGS_LIMIT) throw new TooManyReadings();
      } else if (node.kind === 'text') walk(node.next, place + node.text.length);
      else if (node.kind === 'either') for (const next of node.nexts) walk(next, place);
      else if (node.kind === 'run') {
        const end = this.#runEnd(node, place);
        for (let to = place + node.least; to <= end; to++) walk(node.next, to);
      } else this.#bind(node, place, values, walk);
    };
    walk(start, 0);
    return [...found.values()];
  }

  #bind(
    node: Extract<Node, { kind: 'name' }>,
    place: number,
    values: (string | undefined)[],
    walk: (at: number, place: number) => void,
  ): void {
    const before = values[node.name];
    const end = this.#runEnd(node, place);
    if (before !== undefined) {
      if (this.#text.startsWith(before, place) && place + before.length <= end) walk(node.next, place + before.length);
      return;
    }
    for (let to = place + 1; to <= end; to++) {
      values[node.name] = this.#text.slice(place, to);
      walk(node.next, to);
    }
    values[node.name] = undefined;
  }

  #leads(at: number, place: number): boolean {
    this.#leading ??= this.#computeLeading();
    return this.#leading[at][place] === 1;
  }

  /** Successors have lower indices, so that their positions are known. */
  #computeLeading(): Uint8Array[] {
    const { length } = this.#text;
    const leading: Uint8Array[] = [];
    for (const node of this.#nodes) {
      const places = new Uint8Array(length + 1);
      leading.push(places);
      if (node.kind === 'end') places[length] = 1;
      else if (node.kind === 'text') {
        for (let at = 0; at + node.text.length <= length; at++)
          if (leading[node.next][at + node.text.length] === 1 && this.#has(node, at)) places[at] = 1;
      } else if (node.kind === 'either') {
        for (const next of node.nexts) for (let at = 0; at <= length; at++) places[at] |= leading[next][at];
      } else this.#runPlaces(node, leading[node.next], places);
    }
    return leading;
  }

  #runPlaces(node: Extract<Node, { kind: 'run' | 'name' }>, next: Uint8Array, places: Uint8Array): void {
    const { length } = this.#text;
    const stops = node.kind === 'name' ? NAME_END : node.stops;
    const least = node.kind === 'name' ? 1 : node.least;
    // Positions from which some end of the run leads on, before the next stop.
    const open = new Uint8Array(length + 1);
    let run = 0;
    for (let at = length; at >= 0; at--) {
      const goesOn = at < length && stops?.test(this.#text[at]) !== true;
      run = goesOn ? run + 1 : 0;
      open[at] = next[at] | (goesOn ? open[at + 1] : 0);
      if (run >= least) places[at] = open[at + least];
    }
  }

  #has({ text, fold }: { readonly text: string; readonly fold: boolean }, place: number): boolean {
    return (fold ? this.#lower : this.#text).startsWith(text, place);
  }

  /** Position up to which a wildcard or a name can extend. */
  #runEnd(node: Extract<Node, { kind: 'run' | 'name' }>, place: number): number {
    const stops = node.kind === 'name' ? NAME_END : node.stops;
    if (stops === null) return this.#text.length;
    for (let at = place; at < this.#text.length; at++) if (stops.test(this.#text[at])) return at;
    return this.#text.length;
  }
}

export const ONE_WAY: readonly Binding[] = [[]];
const NAME = /^\{[A-Za-z_][\w-]*\}$/;
const TOKENS = /\{[A-Za-z_][\w-]*\}|\*\*+|\*|…|(?:(?!\{[A-Za-z_][\w-]*\})[^*…])+/gu;
/** Alternatives do not extend across these. */
const DELIMITERS = new RegExp(`(${SOFT}|\\s+|[/?&=,])`, 'u');
const SPACE = /\s/;
const NO_SPACE = /\S/;
const NO_DIGIT = /\D/;
const WORD_END = /[\s/]/;
const NAME_END = /[\s/,&?]/;
/** Limit: ways to read one label: `{a}-{b}` in a name of six parts has five; past it `check` exits 2. */
export const READINGS_LIMIT = 256;
