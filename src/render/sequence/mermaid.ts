// Renders a sequence as mermaid text: autonumber, activations, boxes, notes.

import { append } from '../../core/collections/many.js';
import { framesText } from '../../core/origin.js';
import {
  type Arrow,
  arrowsOf,
  isFailure,
  labelOf,
  legsOf,
  loopTitle,
  NOTE_WIDTH,
  type Note,
  type PicturedMessage,
  type SequencePicture,
  type Step,
} from '../../diagram/model.js';
import { remarksFor } from '../../diagram/notes/closing-note.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { escapeMermaid, labelLines, shorten, wrap } from '../escape/mermaid-escape.js';

export interface MermaidOptions<Drawn extends PicturedMessage = Message> {
  /** A comment above each arrow with the `seq` of its message: `%% 980`. */
  readonly seqs?: boolean;
  /** The same, with the frames: `%% 980, frames 1791 to 1801`. */
  readonly frames?: boolean;
  /** Number of the first arrow; default 1. */
  readonly start?: number;
  /** Own numbers for arrows that do not follow each other; null for the next number. */
  readonly numbers?: (arrow: Arrow<Drawn>) => number | null;
}

export function renderMermaid<Drawn extends PicturedMessage>(
  sequence: SequencePicture<Drawn>,
  options: MermaidOptions<Drawn> = {},
): string {
  const { start = 1 } = options;
  const { labelWidth } = sequence;
  const numbers = start === 1 ? 'autonumber' : `autonumber ${start}`;
  const hasTable = sequence.steps.some((step) => step.kind === 'note' && step.isTable === true);
  const look = labelWidth !== undefined ? [LABELS_LEFT] : hasTable ? [LETTERS_OF_ONE_WIDTH] : [];
  const lines = [...look, 'sequenceDiagram', ...(sequence.coverage === undefined ? [] : [`${INDENT}${numbers}`])];
  lines.push(...participantLines(sequence.participants, labelWidth));
  if (sequence.participants.length === 0) lines.push(...emptyDiagram(sequence));
  const widths = lineWidthsOf(sequence);
  append(lines, stepsLines(sequence.steps, INDENT, options, widths));
  for (const remark of remarksFor(sequence)) lines.push(`${INDENT}%% ${escapeMermaid(remark)}`);
  return `${lines.join('\n')}\n`;
}

function participantLines(participants: SequencePicture['participants'], width: number | undefined): string[] {
  const lines: string[] = [];
  let box: string | undefined;
  for (const { id, name, box: wanted } of participants) {
    if (wanted !== box) {
      if (box !== undefined) lines.push(`${INDENT}end`);
      // mermaid would take a first word that is a colour for one, so a colour is given.
      if (wanted !== undefined) lines.push(`${INDENT}box transparent ${label(wanted)}`);
      box = wanted;
    }
    lines.push(`${box === undefined ? INDENT : INDENT + INDENT}participant ${id} as ${label(name, width)}`);
  }
  if (box !== undefined) lines.push(`${INDENT}end`);
  return lines;
}

/** A diagram without arrows has a note with the reason; mermaid requires a participant for the note. */
function emptyDiagram({ closing, total }: SequencePicture): string[] {
  const why = total === 0 ? 'no messages in the capture' : 'nothing to draw';
  return [`${INDENT}participant K as capture`, `${INDENT}Note over K: ${noteText([why, ...closing])}`];
}

/** Failures that follow each other, with the notes on them, stand before one red background; what is on a critical path before amber. */
function stepsLines<Drawn extends PicturedMessage>(
  steps: readonly Step<Drawn>[],
  indent: string,
  options: MermaidOptions<Drawn>,
  widths: LineWidths,
): string[] {
  const lines: string[] = [];
  let colour: string | null = null;
  for (const step of steps) {
    const next: string | null = step.kind === 'note' && step.isOnArrow === true ? colour : colourOf(step);
    if (next !== colour) {
      if (colour !== null) lines.push(`${indent}end`);
      if (next !== null) lines.push(`${indent}rect ${next}`);
    }
    colour = next;
    lines.push(...stepLines(step, colour === null ? indent : indent + INDENT, options, widths));
  }
  if (colour !== null) lines.push(`${indent}end`);
  return lines;
}

function colourOf(step: Step<PicturedMessage>): string | null {
  if (step.kind !== 'arrow') return null;
  if (step.isOnlyIn !== undefined) return step.isOnlyIn === 'before' ? ONLY_BEFORE : ONLY_AFTER;
  if (isFailure(step)) return RED;
  return step.isOnPath === true ? AMBER : null;
}

function stepLines<Drawn extends PicturedMessage>(
  step: Step<Drawn>,
  indent: string,
  options: MermaidOptions<Drawn>,
  widths: LineWidths,
): string[] {
  switch (step.kind) {
    case 'arrow':
      return legsOf(step).flatMap((leg, i) =>
        arrowLines(leg, indent, options, widths, i === 0 ? (options.numbers?.(step) ?? null) : null),
      );
    case 'note':
      return [
        ...(step.bar === 'begins' ? [`${indent}activate ${step.over[0]}`] : []),
        `${indent}Note over ${step.over.join(',')}: ${step.isTable === true ? rowsText(step.lines) : noteText(step.lines, widths.noteOf(step))}`,
        ...(step.bar === 'ends' ? [`${indent}deactivate ${step.over[0]}`] : []),
      ];
    case 'loop':
      return [
        `${indent}loop ${label(loopTitle(step), widths.title)}`,
        ...stepsLines(step.steps, indent + INDENT, options, widths),
        `${indent}end`,
      ];
  }
}

function arrowLines<Drawn extends PicturedMessage>(
  arrow: Arrow<Drawn>,
  indent: string,
  options: MermaidOptions<Drawn>,
  widths: LineWidths,
  number: number | null,
): string[] {
  const { message, from, to, activates, deactivates } = arrow;
  const line = message.kind === 'response' ? '-->>' : message.kind === 'end' ? '--x' : '->>';
  const marker = activates ? '+' : deactivates ? '-' : '';
  const text = `${indent}${from} ${line}${marker} ${to}: ${label(labelOf(arrow), widths.labelOf(arrow))}`;
  const comment = commentOn(arrow, options);
  return [
    ...(number === null ? [] : [`${indent}autonumber ${number}`]),
    ...(comment === null ? [] : [`${indent}%% ${comment}`]),
    text,
  ];
}

function commentOn<Drawn extends PicturedMessage>(
  { message, frames, summary }: Arrow<Drawn>,
  options: MermaidOptions<Drawn>,
): string | null {
  if (summary !== undefined && summary.seqs !== String(message.seq))
    return options.seqs === true || options.frames === true ? summary.seqs : null;
  if (options.frames === true) return `${message.seq}, ${framesText(frames ?? message.frames)}`;
  return options.seqs === true ? String(message.seq) : null;
}

function label(text: string, width?: number): string {
  return labelLines(text, width).map(escapeMermaid).join('<br>');
}

function noteText(lines: readonly string[], width: number = NOTE_WIDTH): string {
  return lines
    .flatMap((line) => wrap(shorten(line, MAX_NOTE_LINE), Math.min(width, NOTE_WIDTH)))
    .map(escapeMermaid)
    .join('<br>');
}

/** mermaid measures an entity as the text that it is: the columns' blanks are none. */
function rowsText(lines: readonly string[]): string {
  return lines.map((line) => escapeMermaid(line).replaceAll('#160;', '\u00a0')).join('<br>');
}

const INDENT = '    ';
/** Translucent: it is seen on a light page as on a dark one. */
const RED = 'rgba(255, 0, 0, 0.15)';
const AMBER = 'rgba(255, 170, 0, 0.2)';
const ONLY_BEFORE = 'rgba(248, 81, 73, 0.25)';
const ONLY_AFTER = 'rgba(46, 160, 67, 0.25)';
/** Limit: characters of a line of a note: the reason of a failed scheduling on many nodes can have kilobytes. */
const MAX_NOTE_LINE = 600;

/**
 * How wide lines may be, in characters. mermaid places neighbours as far apart as the longest label between them needs, and a note over
 * several is as wide as their distance; longer lines exceed its edges (packages/mermaid/src/diagrams/sequence/sequenceRenderer.ts).
 */
export interface LineWidths {
  /** Of a note. */
  noteOf(note: Note): number;
  /** Of labels, where they are narrow. */
  labelOf(arrow: Arrow<PicturedMessage>): number | undefined;
  /** Of the title of a loop, the same. */
  readonly title: number | undefined;
}

export function lineWidthsOf({ participants, steps, labelWidth }: SequencePicture): LineWidths {
  const places = new Map(participants.map(({ id }, i) => [id, i]));
  const distances = participants.map(() => NEIGHBOURS);
  const fromLeft = (...ids: readonly string[]): number[] => ids.map((id) => places.get(id) ?? 0).sort((a, b) => a - b);
  const widen = (arrow: Arrow<PicturedMessage>): void => {
    const [left, right] = fromLeft(arrow.from, arrow.to);
    if (right - left !== 1) return;
    for (const line of labelLines(labelOf(arrow), labelWidth))
      distances[left] = Math.max(distances[left], line.length + MARGIN);
  };
  for (const arrow of arrowsOf(steps)) for (const leg of legsOf(arrow)) widen(leg);
  // A note makes the last distance as wide as half of itself.
  const widest = labelWidth === undefined ? Number.POSITIVE_INFINITY : 2 * labelWidth;
  const last = participants[participants.length - 1]?.id;
  return {
    noteOf({ over }) {
      const [left, right = left] = fromLeft(...over);
      // A note over one participant makes room for itself.
      if (left === right) return widest;
      const room = distances.slice(left, right).reduce((sum, one) => sum + one, 0);
      return Math.min(widest, Math.max(NARROWEST, room));
    },
    labelOf: ({ from, to }) =>
      labelWidth !== undefined && from === to && from === last ? Math.min(labelWidth, BEYOND) : labelWidth,
    title: labelWidth,
  };
}

/** A label begins where its arrow does on the left, so that it stands before the next lifeline, not on those that the arrow crosses. */
const LABELS_LEFT = '%%{init: {"sequence": {"messageAlign": "left"}}}%%';
/** Of a table in a note; a note's letters have no other font than all have. At 12 pixels they are as wide as other notes'. */
const LETTERS_OF_ONE_WIDTH =
  '%%{init: {"fontFamily": "monospace", "sequence": {"noteAlign": "left", "noteFontSize": 12}}}%%';
/** Characters of a line beyond the last lifeline, where mermaid leaves 125 pixels. */
const BEYOND = 9;
/** Characters between neighbours: boxes are 150 pixels wide and 50 apart, letters some 7 pixels. */
const NEIGHBOURS = 28;
/** Characters beside the longest label. */
const MARGIN = 2;
/** Characters: narrower notes would be higher than wide. */
const NARROWEST = 48;
