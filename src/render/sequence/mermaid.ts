// A sequence as mermaid text, as the article has it: autonumber, activations, boxes, notes. Knows mermaid's grammar for
// sequence diagrams; captured text passes through mermaid-escape.ts only.

import { framesText } from '../../core/origin.js';
import { type Arrow, type Lifeline, legsOf, loopTitle, type Sequence, type Step } from '../../diagram/model.js';
import { escapeMermaid, labelLines, shorten, wrap } from '../escape/mermaid-escape.js';

import { distancesOf, type Room } from './mermaid-room.js';

export interface MermaidOptions {
  /** A comment above each arrow with the `seq` of its message: `%% 980`. */
  readonly seqs?: boolean;
  /** The same, with the frames: `%% 980, frames 1791 to 1801`. */
  readonly frames?: boolean;
  /** Number of the first arrow; default 1. */
  readonly start?: number;
  /** Arrows that do not follow each other have numbers of their own; null: the next one. */
  readonly numbers?: (arrow: Arrow) => number | null;
}

export function renderMermaid(sequence: Sequence, options: MermaidOptions = {}): string {
  const { start = 1 } = options;
  const autonumber = start === 1 ? 'autonumber' : `autonumber ${start}`;
  const lines = ['sequenceDiagram', `${INDENT}${autonumber}`, ...participantLines(sequence.participants)];
  if (sequence.participants.length === 0) lines.push(...emptyPicture(sequence));
  const room = distancesOf(sequence);
  for (const step of sequence.steps) lines.push(...stepLines(step, INDENT, options, room));
  return `${lines.join('\n')}\n`;
}

function participantLines(participants: readonly Lifeline[]): string[] {
  const lines: string[] = [];
  let box: string | undefined;
  for (const { id, name, box: wanted } of participants) {
    if (wanted !== box) {
      if (box !== undefined) lines.push(`${INDENT}end`);
      // A first word that is a colour would be taken for one: so one is given.
      if (wanted !== undefined) lines.push(`${INDENT}box transparent ${label(wanted)}`);
      box = wanted;
    }
    lines.push(`${box === undefined ? INDENT : INDENT + INDENT}participant ${id} as ${label(name)}`);
  }
  if (box !== undefined) lines.push(`${INDENT}end`);
  return lines;
}

/** mermaid wants a participant for a note: a picture without arrows still says why it is empty. */
function emptyPicture({ closing, total }: Sequence): string[] {
  const why = total === 0 ? 'no messages in the capture' : 'nothing to draw';
  return [`${INDENT}participant K as capture`, `${INDENT}Note over K: ${noteText([why, ...closing])}`];
}

function stepLines(step: Step, indent: string, options: MermaidOptions, room: Room): string[] {
  switch (step.kind) {
    case 'arrow':
      return legsOf(step).flatMap((leg, i) =>
        arrowLines(leg, indent, options, i === 0 ? (options.numbers?.(step) ?? null) : null),
      );
    case 'note':
      return [`${indent}Note over ${step.over.join(',')}: ${noteText(step.lines, room.of(step))}`];
    case 'loop':
      return [
        `${indent}loop ${label(loopTitle(step))}`,
        ...step.steps.flatMap((inner) => stepLines(inner, indent + INDENT, options, room)),
        `${indent}end`,
      ];
  }
}

function arrowLines(arrow: Arrow, indent: string, options: MermaidOptions, number: number | null): string[] {
  const { message, from, to, activates, deactivates } = arrow;
  const line = message.kind === 'response' ? '-->>' : '->>';
  const marker = activates ? '+' : deactivates ? '-' : '';
  const text = `${indent}${from} ${line}${marker} ${to}: ${label(message.label)}`;
  const comment = commentOn(arrow, options);
  return [
    ...(number === null ? [] : [`${indent}autonumber ${number}`]),
    ...(comment === null ? [] : [`${indent}%% ${comment}`]),
    text,
  ];
}

function commentOn({ message, frames }: Arrow, options: MermaidOptions): string | null {
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
const NOTE_WIDTH = 90;
/** The reason of a failed scheduling on many nodes can be kilobytes long. */
const MAX_NOTE_LINE = 600;
