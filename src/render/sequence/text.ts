// Renders a sequence for a terminal: one line for each arrow, with time, number and frame, lanes for the participants, and the label.

import {
  type Arrow,
  arrowsOf,
  isFailure,
  labelOf,
  legsOf,
  loopTitle,
  type Note,
  type Sequence,
  type Step,
} from '../../diagram/model.js';
import { remarksFor } from '../../diagram/notes/closing-note.js';
import { cellsOf, cutToCells, wrapParts, wrapToCells } from '../escape/cells.js';
import { escapeTerminal } from '../escape/terminal-escape.js';
import { formatOffset } from '../time.js';
import { legendOf, narrowLanes, type TextLanes, wideLanes } from './text-lanes.js';

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
  /** Cells of a line at most; beyond, participants have short ids, labels are cut and notes wrapped. Default: none are. */
  readonly width?: number;
}

export function renderText(sequence: Sequence, { first, paint = PLAIN, width }: TextOptions): string {
  if (sequence.participants.length === 0) {
    return ['nothing to draw', ...sequence.closing].map((line) => `${escapeTerminal(line)}\n`).join('');
  }
  const remarks = remarksFor(sequence).map((remark) => escapeTerminal(remark));
  const lanes = wideLanes(sequence);
  const isTooWide = lanes.empty().length > MAX_LANES;
  const most = width ?? (isTooWide ? MAX_LANES : Number.POSITIVE_INFINITY);
  const whole = isTooWide ? [] : rowsOf(sequence, lanes, first, WIDE_COLUMNS);
  const fits =
    !isTooWide &&
    whole.every((row) => cellsOf(plainText(row)) <= most) &&
    remarks.every((line) => cellsOf(line) <= most);
  if (fits) return textOf([...whole.map((row) => painted(row, paint)), ...remarks]);
  // Numbers take no more room than they need.
  const rows = narrowRows(sequence, first, Math.max(most, MIN_WIDTH));
  const legend = wrapParts(legendOf(sequence), ', ', Math.max(most, MIN_WIDTH));
  const closing = remarks.flatMap((line) => wrapToCells(line, Math.max(most, MIN_WIDTH)));
  return textOf([...legend.map((line) => paint.dim(line)), '', ...rows.map((row) => painted(row, paint)), ...closing]);
}

/** A line in its parts, each with a colour of its own. */
interface TextRow {
  /** Seconds, message and frame. */
  readonly numbers: string;
  readonly lanes: string;
  readonly text: string;
  readonly look: 'arrow' | 'failure' | 'note' | 'head';
  /** Its text says in words what several messages are, so it is wrapped and never cut. */
  readonly isSummary?: boolean;
}

function textOf(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}

function plainText({ numbers, lanes, text }: TextRow): string {
  return text === '' ? `${numbers}  ${lanes}`.trimEnd() : `${numbers}  ${lanes}  ${text}`;
}

function painted(row: TextRow, paint: Paint): string {
  const { numbers, lanes, text, look } = row;
  if (look === 'head') return paint.strong(plainText(row));
  if (look === 'note') return paint.dim(plainText(row));
  return `${paint.dim(numbers)}  ${lanes}  ${look === 'failure' ? paint.bad(text) : text}`;
}

/** Rows that have so many cells at most: labels are cut, notes and summaries are wrapped. */
function narrowRows(sequence: Sequence, first: bigint, most: number): readonly TextRow[] {
  const columns = columnsOf(sequence, first);
  const empty = columns('', '', '').length + 2;
  const lanes = narrowLanes(sequence, Math.floor((most - empty) / 2));
  const room = most - empty - lanes.empty().length - 2;
  return rowsOf(sequence, lanes, first, columns).flatMap((row) => {
    if (row.isSummary === true) return wrappedRows(row, room, columns('', '', ''), lanes.empty());
    if (row.look !== 'note') return [{ ...row, text: cutToCells(row.text, room) }];
    const lines = wrapToCells(row.text, room);
    const shown = lines.slice(0, MAX_NOTE_LINES);
    if (lines.length > shown.length) shown[MAX_NOTE_LINES - 1] = cutToCells(`${shown[MAX_NOTE_LINES - 1]}…`, room);
    return shown.map((text) => ({ ...row, text }));
  });
}

/** The arrow stands in the first row only. */
function wrappedRows(row: TextRow, room: number, numbers: string, lanes: string): readonly TextRow[] {
  return wrapToCells(row.text, room).map((text, i) => (i === 0 ? { ...row, text } : { ...row, numbers, lanes, text }));
}

type NumberColumns = (seconds: string, seq: string, frame: string) => string;

function rowsOf(sequence: Sequence, lanes: TextLanes, first: bigint, columns: NumberColumns): readonly TextRow[] {
  const nowhere = columns('', '', '');
  const heads = lanes.header.map((text, i) => ({
    numbers: i === 0 ? columns('seconds', 'message', 'frame') : nowhere,
    lanes: text.trimEnd(),
    text: '',
    look: 'head' as const,
  }));
  return [...heads, ...sequence.steps.flatMap((step) => stepRows(step, lanes, first, columns))];
}

function stepRows(step: Step, lanes: TextLanes, start: bigint, columns: NumberColumns): readonly TextRow[] {
  const note = (text: string): TextRow => ({
    numbers: columns('', '', ''),
    lanes: lanes.empty(),
    text,
    look: 'note',
  });
  if (step.kind === 'loop')
    return [
      note(`${escapeTerminal(loopTitle(step))}:`),
      ...step.steps.flatMap((inner) => stepRows(inner, lanes, start, columns)),
    ];
  if (step.kind === 'note') return noteLines(step, lanes).map((line) => note(`-- ${line}`));
  return legsOf(step).map((leg) => ({
    numbers: columns(...numbersOf(leg, start)),
    lanes: lanes.arrow(leg),
    text: escapeTerminal(labelOf(leg)),
    look: isFailure(leg) ? 'failure' : 'arrow',
    isSummary: leg.summary !== undefined,
  }));
}

/** Seconds since the first frame, number of the message, and its last frame. */
function numbersOf(arrow: Arrow, start: bigint): [string, string, string] {
  const { message } = arrow;
  return [formatOffset(message.time - start), String(message.seq), String((arrow.frames ?? message.frames)[1])];
}

/** Columns as wide as the numbers of this sequence. */
function columnsOf({ steps }: Sequence, start: bigint): NumberColumns {
  const widths = ['seconds', 'message', 'frame'].map((head) => head.length);
  for (const arrow of arrowsOf(steps).flatMap(legsOf))
    numbersOf(arrow, start).forEach((text, i) => {
      widths[i] = Math.max(widths[i], text.length);
    });
  return (...texts) => texts.map((text, i) => text.padStart(widths[i])).join(' ');
}

/** A note on a single participant names it, as no arrow shows it. */
function noteLines({ lines, over }: Note, lanes: TextLanes): string[] {
  const whose = over.length === 1 ? lanes.nameOf(over[0]) : '';
  const escaped = lines.map((line) => escapeTerminal(line));
  if (whose !== '' && !escaped.some((line) => line.includes(whose))) escaped[0] = `${whose}: ${escaped[0]}`;
  return escaped;
}

const WIDE_COLUMNS: NumberColumns = (seconds, seq, frame) =>
  `${seconds.padStart(11)} ${seq.padStart(7)} ${frame.padStart(7)}`;
/** Cells below which a diagram is not readable. */
const MIN_WIDTH = 60;
/** Limit: cells of the lanes of all participants; beyond, they are as narrow as on a terminal, since each line has all of them. */
const MAX_LANES = 2000;
/** Limit: lines of a note where the width is limited: the reason why a Pod fits no node is long. */
const MAX_NOTE_LINES = 3;
