// Renders a sequence for a terminal: one line for each arrow, with time, number and frame, lanes for the participants, and the label.

import {
  type Arrow,
  isFailure,
  labelOf,
  legsOf,
  loopTitle,
  type Note,
  type Sequence,
  type Step,
} from '../../diagram/model.js';
import { remarksFor } from '../../diagram/notes/closing-note.js';
import { escapeTerminal } from '../escape/terminal-escape.js';
import { formatOffset } from '../time.js';

/** Colours a piece of text; the identity without colour. */
export interface Paint {
  dim(text: string): string;
  strong(text: string): string;
  bad(text: string): string;
}

export const PLAIN: Paint = { dim: (text) => text, strong: (text) => text, bad: (text) => text };

export interface TextOptions {
  /** ns since the epoch: the first frame of the captures, zero of the printed times. */
  readonly first: bigint;
  /** Default: no colours. */
  readonly paint?: Paint;
}

export function renderText(sequence: Sequence, { first, paint = PLAIN }: TextOptions): string {
  if (sequence.participants.length === 0) {
    return ['nothing to draw', ...sequence.closing].map((line) => `${escapeTerminal(line)}\n`).join('');
  }
  const lanes = new Lanes(sequence);
  const [names, bars] = lanes.header();
  const lines = [`${HEAD}  ${names}`, `${' '.repeat(PREFIX)}${bars}`].map((line) => paint.strong(line.trimEnd()));
  for (const step of sequence.steps) lines.push(...stepLines(step, lanes, first, paint));
  for (const remark of remarksFor(sequence)) lines.push(escapeTerminal(remark));
  return `${lines.join('\n')}\n`;
}

function stepLines(step: Step, lanes: Lanes, start: bigint, paint: Paint): string[] {
  if (step.kind === 'loop') {
    const head = `${' '.repeat(PREFIX)}${lanes.empty()}  ${escapeTerminal(loopTitle(step))}:`;
    return [paint.dim(head), ...step.steps.flatMap((inner) => stepLines(inner, lanes, start, paint))];
  }
  if (step.kind === 'note') return noteLines(step, lanes).map((line) => paint.dim(line));
  return legsOf(step).map((leg) => arrowLine(leg, lanes, start, paint));
}

function arrowLine(arrow: Arrow, lanes: Lanes, start: bigint, paint: Paint): string {
  const { message } = arrow;
  const where = columns(
    formatOffset(message.time - start),
    String(message.seq),
    String((arrow.frames ?? message.frames)[1]),
  );
  const label = escapeTerminal(labelOf(arrow));
  return `${paint.dim(where)}  ${lanes.arrow(arrow)}  ${isFailure(arrow) ? paint.bad(label) : label}`;
}

/** A note on a single participant names it, as no arrow shows it. */
function noteLines({ lines, over }: Note, lanes: Lanes): string[] {
  const whose = over.length === 1 ? lanes.nameOf(over[0]) : '';
  const escaped = lines.map((line) => escapeTerminal(line));
  if (whose !== '' && !escaped.some((line) => line.includes(whose))) escaped[0] = `${whose}: ${escaped[0]}`;
  return escaped.map((line) => `${' '.repeat(PREFIX)}${lanes.empty()}  -- ${line}`);
}

function columns(seconds: string, seq: string, frame: string): string {
  return `${seconds.padStart(11)} ${seq.padStart(7)} ${frame.padStart(7)}`;
}

//   kubectl    kube-apiserver  kubelet (node-1)
//   |          |               |
//   |--------->|               |                 [REQ] POST …
class Lanes {
  readonly #names: readonly string[];
  readonly #columns = new Map<string, number>();
  readonly #width: number;

  constructor(sequence: Sequence) {
    this.#names = sequence.participants.map((one) => escapeTerminal(one.name).slice(0, MAX_NAME));
    let column = 0;
    sequence.participants.forEach((one, i) => {
      this.#columns.set(one.id, column);
      column += Math.max(this.#names[i].length + 2, MIN_LANE);
    });
    this.#width = column;
  }

  header(): readonly [names: string, bars: string] {
    const names = [...this.#columns.values()].map((at, i, all) =>
      this.#names[i].padEnd((all[i + 1] ?? this.#width) - at),
    );
    return [names.join(''), this.empty()];
  }

  nameOf(id: string): string {
    return this.#names[[...this.#columns.keys()].indexOf(id)] ?? '';
  }

  empty(): string {
    return this.#bars().join('');
  }

  arrow({ from, to, message }: Arrow): string {
    const cells = this.#bars();
    const a = this.#columns.get(from) ?? 0;
    const b = this.#columns.get(to) ?? 0;
    if (a === b) cells.splice(a + 1, 2, '<', ')');
    const [left, right] = a < b ? [a, b] : [b, a];
    const line = message.kind === 'response' ? '.' : '-';
    for (let at = left + 1; at < right; at++) if (cells[at] !== '|' || message.kind !== 'response') cells[at] = line;
    if (a < b) cells[b - 1] = '>';
    else if (a > b) cells[b + 1] = '<';
    return cells.join('');
  }

  #bars(): string[] {
    const cells = new Array<string>(this.#width).fill(' ');
    for (const at of this.#columns.values()) cells[at] = '|';
    return cells;
  }
}

const HEAD = columns('seconds', 'seq', 'frame');
const PREFIX = HEAD.length + 2;
const MIN_LANE = 10;
/** Limit: characters of a participant's name in text diagrams. */
const MAX_NAME = 30;
