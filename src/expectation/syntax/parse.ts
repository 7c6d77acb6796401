// Parses mermaid's grammar for sequence diagrams, and the conditions of an expectation in comments: `%% never: ARROW`, `%% within: 2s`,
// `%% order: strict`. Notes, links and statements of the layout are checked and dropped.

import { dictionary } from '../../core/collections/dictionary.js';
import { parseDuration } from '../../core/duration.js';
import { SHORT_LABELS_REMARK } from '../../diagram/layout/short-labels.js';
import { OVERVIEW_REMARK } from '../../diagram/model.js';
import {
  type ArrowText,
  arrowTexts,
  type BlockKind,
  type Diagram,
  type NeverText,
  type NodeText,
  type ParticipantText,
  UnreadableDiagram,
} from './diagram.js';
import { readMarkup } from './markup.js';

/**
 * @param source text of one diagram.
 * @param firstLine 1-based line of its file where it begins.
 * @throws UnreadableDiagram
 */
export function parseDiagram(source: string, firstLine = 1): Diagram {
  return new DiagramReader(firstLine).read(statementsOf(source));
}

interface OpenBlock {
  readonly kind: BlockKind | 'box';
  readonly line: number;
  readonly label: string;
  readonly parts: NodeText[][];
}

class DiagramReader {
  readonly #firstLine: number;
  readonly #participants = new Map<string, ParticipantText>();
  readonly #nevers: NeverText[] = [];
  readonly #body: NodeText[] = [];
  readonly #open: OpenBlock[] = [];
  #line: number;
  #header: number | null = null;
  #title: string | null = null;
  /** A `%% within:`, which stands between two arrows and limits the time between them, while the second has not followed. */
  #within: { readonly time: bigint; readonly line: number } | null = null;
  /** Position of the last arrow, for a `%% within:` that no arrow follows: `index` in its branch. */
  #last: { readonly nodes: NodeText[]; readonly index: number } | null = null;
  #arrows = 0;
  #isStrict = false;

  constructor(firstLine: number) {
    this.#firstLine = firstLine;
    this.#line = firstLine;
  }

  read(statements: readonly Statement[]): Diagram {
    for (const statement of statements) {
      this.#line = this.#firstLine + statement.line - 1;
      if (statement.isComment) this.#comment(statement.text);
      else if (this.#header === null) this.#begin(statement);
      else this.#statement(statement);
    }
    if (this.#header === null) throw this.#wrong('expected sequenceDiagram');
    const block = this.#open[this.#open.length - 1];
    if (block !== undefined) {
      this.#line = block.line;
      throw this.#wrong(`${block.kind} is not closed; expected end`);
    }
    this.#endWithin();
    return {
      line: this.#header,
      title: this.#title,
      participants: this.#participants,
      body: this.#body,
      nevers: this.#nevers,
      isStrict: this.#isStrict,
    };
  }

  #begin({ text, ...rest }: Statement): void {
    const found = /^sequenceDiagram\b/i.exec(text);
    if (found === null) throw this.#wrong(`${quoted(text)}: expected sequenceDiagram`);
    this.#header = this.#line;
    const more = text.slice(found[0].length).trim();
    if (more !== '') this.#statement({ ...rest, text: more, start: rest.start + text.indexOf(more, found[0].length) });
  }

  #statement(statement: Statement): void {
    const { text } = statement;
    const [, word, rest] = /^(\S+)\s*(.*)$/.exec(text) as unknown as [string, string, string];
    const keyword = word.toLowerCase();
    if (!RESERVED.has(keyword) && this.#arrow(statement)) return;
    if (BLOCKS.has(keyword)) this.#openBlock(keyword, rest);
    else if (DIVIDERS[keyword] !== undefined) this.#nextPart(keyword);
    else if (keyword === 'end' && rest === '') this.#closeBlock();
    else if (keyword === 'participant' || keyword === 'actor') this.#declare(rest);
    else if (keyword === 'create') this.#declare(rest.replace(/^(?:participant|actor)\s+/i, ''));
    else if (keyword === 'title' || keyword === 'title:') this.#title = readMarkup(rest.replace(/^:\s*/, ''));
    else if (keyword === 'note') this.#note(rest);
    else if (!LAYOUT.test(text)) throw this.#wrong(`${quoted(text)}: expected ${expectedAt(text)}`);
  }

  #arrow(statement: Statement): boolean {
    const found = ARROW.exec(statement.text);
    if (found === null) return false;
    const { from, style, sign, to, text = '' } = found.groups as Record<string, string>;
    const label = readMarkup(text);
    if (label === '') throw this.#wrong('an arrow without a label; expected : and a label');
    const { start } = statement;
    const indices = (found as RegExpExecArray & { indices: { groups: Record<string, [number, number]> } }).indices
      .groups;
    const span = ([begin, end]: [number, number]): { start: number; end: number } => ({
      start: start + begin,
      end: start + end,
    });
    const nodes = this.#nodes();
    const arrow: ArrowText = {
      kind: 'arrow',
      line: this.#line,
      from: this.#mention(from),
      to: this.#mention(to),
      isCut: style.endsWith('x'),
      activation: sign as ArrowText['activation'],
      label,
      within: this.#within?.time ?? null,
      span: { start, end: start + statement.text.length },
      sign: span(indices['sign']),
      text: span(indices['text']),
    };
    this.#within = null;
    this.#last = { nodes, index: nodes.length };
    nodes.push(arrow);
    this.#arrows += 1;
    return true;
  }

  #comment(text: string): void {
    // It would expect arrows that no capture has.
    if (text === OVERVIEW_REMARK)
      throw this.#wrong(
        'this is an overview, whose arrows stand for many messages; draw one story (--follow), or all (--no-overview)',
      );
    if (text === SHORT_LABELS_REMARK)
      throw this.#wrong('its labels are short and match no message; draw it with --labels full');
    const [, word, rest] = /^(never|within|order)\s*:\s*(.*)$/i.exec(text) ?? [];
    if (word === undefined) return;
    if (word.toLowerCase() === 'never') {
      const found = ARROW.exec(rest);
      const label = readMarkup(found?.groups?.['text'] ?? '');
      if (found === null || label === '') throw this.#wrong(`${quoted(rest)}: expected an arrow behind never:`);
      const { from, style, to } = found.groups as Record<string, string>;
      const isCut = style.endsWith('x');
      this.#nevers.push({ line: this.#line, from: this.#mention(from), to: this.#mention(to), isCut, label });
      return;
    }
    if (word.toLowerCase() === 'order') {
      if (rest.toLowerCase() !== 'strict') throw this.#wrong(`${quoted(rest)}: expected strict behind order:`);
      this.#isStrict = true;
      return;
    }
    const time = parseDuration(rest);
    if (time === null) throw this.#wrong(`${quoted(rest)}: expected a time behind within:, such as 2s or 500ms`);
    if (this.#arrows === 0)
      throw this.#wrong('within: limits the time since the arrow above; expected an arrow above it');
    this.#within = { time, line: this.#line };
  }

  /** A `%% within:` below the last arrow limits the time between the last two arrows. */
  #endWithin(): void {
    if (this.#within === null || this.#last === null) return;
    if (this.#arrows < 2) {
      this.#line = this.#within.line;
      throw this.#wrong('within: expected an arrow below it, or two above it');
    }
    const { nodes, index } = this.#last;
    nodes[index] = { ...(nodes[index] as ArrowText), within: this.#within.time };
  }

  #openBlock(keyword: string, label: string): void {
    if (this.#open.length >= DEPTH_LIMIT) throw this.#wrong(`blocks stand deeper in each other than ${DEPTH_LIMIT}`);
    const kind = keyword === 'par_over' ? 'par' : (keyword as OpenBlock['kind']);
    this.#open.push({ kind, line: this.#line, label: readMarkup(label), parts: [[]] });
  }

  #nextPart(keyword: string): void {
    const block = this.#open[this.#open.length - 1];
    if (block?.kind !== DIVIDERS[keyword]) throw this.#wrong(`${keyword} outside of ${DIVIDERS[keyword]}`);
    block.parts.push([]);
  }

  #closeBlock(): void {
    const block = this.#open.pop();
    if (block === undefined) throw this.#wrong('end without a block that it closes');
    if (block.kind === 'box') {
      for (const node of block.parts[0]) this.#nodes().push(node);
    } else this.#nodes().push({ kind: block.kind, line: block.line, label: block.label, parts: block.parts });
  }

  #declare(text: string): void {
    const [, id, alias] = /^([^\s<>:,;@]+(?:\s+[^\s<>:,;@]+)*?)(?:\s*@\{.*\})?(?:\s+as\s+(.+))?$/i.exec(text) ?? [];
    if (id === undefined)
      throw this.#wrong(`${quoted(text)}: expected a participant, as in: participant AS as kube-apiserver`);
    const known = this.#participants.get(id);
    const name = alias === undefined ? (known?.name ?? id) : readMarkup(alias);
    this.#participants.set(id, { id, name, line: known?.line ?? this.#line });
  }

  #note(text: string): void {
    if (!/^(?:over|left\s+of|right\s+of)\s+[^:]+:/i.test(text)) {
      throw this.#wrong(`${quoted(text)}: expected over, left of or right of, a participant, : and a text behind Note`);
    }
  }

  /** Adds the participant if this is its first mention. */
  #mention(id: string): string {
    if (!this.#participants.has(id)) this.#participants.set(id, { id, name: readMarkup(id), line: this.#line });
    return id;
  }

  #nodes(): NodeText[] {
    const block = this.#open[this.#open.length - 1];
    return block === undefined ? this.#body : block.parts[block.parts.length - 1];
  }

  #wrong(message: string): UnreadableDiagram {
    return new UnreadableDiagram(this.#line, message);
  }
}

export function isEmpty(diagram: Diagram): boolean {
  return arrowTexts(diagram.body).length === 0 && diagram.nevers.length === 0;
}

interface Statement {
  /** 1-based, within the text. */
  readonly line: number;
  /** Trimmed; mermaid's entities (`#59;`) are not decoded. */
  readonly text: string;
  /** Offset of `text`, in characters. */
  readonly start: number;
  /** `%% …`; `text` is what follows the signs. */
  readonly isComment: boolean;
}

/** Cuts a diagram into statements as mermaid's lexer does: a line break or `;` ends one, `#` and `%%` begin a comment. */
function statementsOf(source: string): Statement[] {
  const text = withoutDirectives(source);
  const statements: Statement[] = [];
  let start = 0;
  let line = 1;
  for (const row of text.split('\n')) {
    addRow(row.endsWith('\r') ? row.slice(0, -1) : row, start, line, statements);
    start += row.length + 1;
    line += 1;
  }
  return statements;
}

function addRow(row: string, start: number, line: number, statements: Statement[]): void {
  const comment = /^\s*%%(.*)$/.exec(row);
  if (comment !== null) {
    statements.push({ line, text: comment[1].trim(), start: start + row.indexOf('%%'), isComment: true });
    return;
  }
  let from = 0;
  const add = (end: number): void => {
    const piece = row.slice(from, end);
    const text = piece.trim();
    if (text === '') return;
    const begin = start + from + piece.length - piece.trimStart().length;
    statements.push({ line, text, start: begin, isComment: false });
  };
  for (const { 0: sign, index } of row.matchAll(/#\w+;|[;#]/g)) {
    if (sign.length > 1) continue;
    add(index);
    from = index + 1;
    // `#` begins a comment up to the end of the line.
    if (sign === '#') return;
  }
  add(row.length);
}

/** Replaces mermaid's directives (`%%{…}%%`), front matter and blocks `accDescr {…}` by blanks, so that offsets stay the same. */
function withoutDirectives(source: string): string {
  const blank = (found: string): string => found.replace(/[^\n]/g, ' ');
  return source
    .replace(/^\s*---\n[\s\S]*?\n---(?=\n|$)/, blank)
    .replace(/%%\{[\s\S]*?\}%%/g, blank)
    .replace(/^\s*accDescr\s*\{[^}]*\}/gim, blank);
}

function expectedAt(text: string): string {
  if (/--?[>x)]|<</.test(text)) return 'an arrow as in: A ->> B: [REQ] GET /api';
  if (/^critical\b/i.test(text)) return 'another block: in an expectation, critical means nothing';
  return 'an arrow, a participant, a note, a block or end';
}

function quoted(text: string): string {
  return `"${text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text}"`;
}

const BLOCKS: ReadonlySet<string> = new Set(['par', 'par_over', 'opt', 'alt', 'loop', 'break', 'rect', 'box']);
/** Keywords that begin statements; they cannot name a participant. */
const RESERVED: ReadonlySet<string> = new Set([
  ...BLOCKS,
  ...['and', 'else', 'end', 'participant', 'actor', 'note'],
  // Mermaid's, of no meaning here.
  ...['critical', 'option'],
]);
/** The block that a keyword divides into branches. */
const DIVIDERS: Readonly<Record<string, BlockKind>> = dictionary({ and: 'par', else: 'alt' });
const LAYOUT =
  /^(?:autonumber(?:\s+(?:off|[\d.]+(?:\s+[\d.]+)?))?|(?:activate|deactivate|destroy)\s+\S.*|(?:links?|properties|details)\s+[^:]+:.*|acc(?:Title|Descr)\s*:.*)$/i;
/**
 * Arrows, those before others that are a beginning of them. Half arrows and bidirectional arrows count as going from the first
 * participant to the second.
 */
const STYLES =
  '<<-->>|<<->>|-->>|->>|-->|->|--x|-x|--\\)|-\\)|--\\|\\\\|--\\|/|--\\\\\\\\|--//|/\\|--|\\\\\\|--|//--|\\\\\\\\--|-\\|\\\\|-\\|/|-\\\\\\\\|-//|/\\|-|\\\\\\|-|//-|\\\\\\\\-';
const ARROW = new RegExp(
  `^(?<from>[^\\s<>:,;+()](?:[^<>:,;+()]*?[^\\s<>:,;+()])??)\\s*(?:\\(\\))?\\s*(?<style>${STYLES})\\s*(?:\\(\\))?\\s*(?<sign>[+-]?)\\s*(?<to>[^\\s<>:,;+()-](?:[^<>:,;+()]*?[^\\s<>:,;+()])??)\\s*:(?<text>.*)$`,
  'id',
);
/** Characters. */
const LONGEST_QUOTE = 60;
/** Limit: nesting of blocks of a diagram; a deeper one is unreadable. */
const DEPTH_LIMIT = 32;
