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
  const numbers = start === 1 ? 'autonumber' : `autonumber ${start}`;
  const lines = ['sequenceDiagram', ...(sequence.coverage === undefined ? [] : [`${INDENT}${numbers}`])];
  lines.push(...participantLines(sequence.participants));
  if (sequence.participants.length === 0) lines.push(...emptyDiagram(sequence));
  const widths = noteWidthsOf(sequence);
  append(lines, stepsLines(sequence.steps, INDENT, options, widths));
  for (const remark of remarksFor(sequence)) lines.push(`${INDENT}%% ${escapeMermaid(remark)}`);
  return `${lines.join('\n')}\n`;
}

function participantLines(participants: SequencePicture['participants']): string[] {
  const lines: string[] = [];
  let box: string | undefined;
  for (const { id, name, box: wanted } of participants) {
    if (wanted !== box) {
      if (box !== undefined) lines.push(`${INDENT}end`);
      // mermaid would take a first word that is a colour for one, so a colour is given.
      if (wanted !== undefined) lines.push(`${INDENT}box transparent ${label(wanted)}`);
      box = wanted;
    }
    lines.push(`${box === undefined ? INDENT : INDENT + INDENT}participant ${id} as ${label(name)}`);
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
  widths: NoteWidths,
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
  widths: NoteWidths,
): string[] {
  switch (step.kind) {
    case 'arrow':
      return legsOf(step).flatMap((leg, i) =>
        arrowLines(leg, indent, options, i === 0 ? (options.numbers?.(step) ?? null) : null),
      );
    case 'note':
      return [
        ...(step.bar === 'begins' ? [`${indent}activate ${step.over[0]}`] : []),
        `${indent}Note over ${step.over.join(',')}: ${noteText(step.lines, widths.of(step))}`,
        ...(step.bar === 'ends' ? [`${indent}deactivate ${step.over[0]}`] : []),
      ];
    case 'loop':
      return [
        `${indent}loop ${label(loopTitle(step))}`,
        ...stepsLines(step.steps, indent + INDENT, options, widths),
        `${indent}end`,
      ];
  }
}

function arrowLines<Drawn extends PicturedMessage>(
  arrow: Arrow<Drawn>,
  indent: string,
  options: MermaidOptions<Drawn>,
  number: number | null,
): string[] {
  const { message, from, to, activates, deactivates } = arrow;
  const line = message.kind === 'response' ? '-->>' : message.kind === 'end' ? '--x' : '->>';
  const marker = activates ? '+' : deactivates ? '-' : '';
  const text = `${indent}${from} ${line}${marker} ${to}: ${label(labelOf(arrow))}`;
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

function label(text: string): string {
  return labelLines(text).map(escapeMermaid).join('<br>');
}

function noteText(lines: readonly string[], width: number = NOTE_WIDTH): string {
  return lines
    .flatMap((line) => wrap(shorten(line, MAX_NOTE_LINE), Math.min(width, NOTE_WIDTH)))
    .map(escapeMermaid)
    .join('<br>');
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
 * How wide notes may be, in characters. mermaid places neighbours as far apart as the longest label between them needs, and a note over
 * several is as wide as their distance; longer lines exceed its edges (packages/mermaid/src/diagrams/sequence/sequenceRenderer.ts).
 */
export interface NoteWidths {
  /** Characters of a line in a note. */
  of(note: Note): number;
}

export function noteWidthsOf({ participants, steps }: SequencePicture): NoteWidths {
  const places = new Map(participants.map(({ id }, i) => [id, i]));
  const distances = participants.map(() => NEIGHBOURS);
  const fromLeft = (...ids: readonly string[]): number[] => ids.map((id) => places.get(id) ?? 0).sort((a, b) => a - b);
  const widen = (arrow: Arrow<PicturedMessage>): void => {
    const [left, right] = fromLeft(arrow.from, arrow.to);
    if (right - left !== 1) return;
    for (const line of labelLines(labelOf(arrow))) distances[left] = Math.max(distances[left], line.length + MARGIN);
  };
  for (const arrow of arrowsOf(steps)) for (const leg of legsOf(arrow)) widen(leg);
  return {
    of({ over }) {
      const [left, right = left] = fromLeft(...over);
      // A note over one participant makes room for itself.
      if (left === right) return Number.POSITIVE_INFINITY;
      return Math.max(
        NARROWEST,
        distances.slice(left, right).reduce((sum, one) => sum + one, 0),
      );
    },
  };
}

/** Characters between neighbours: boxes are 150 pixels wide and 50 apart, letters some 7 pixels. */
const NEIGHBOURS = 28;
/** Characters beside the longest label. */
const MARGIN = 2;
/** Characters: narrower notes would be higher than wide. */
const NARROWEST = 48;
