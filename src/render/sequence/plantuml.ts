// Renders a sequence as PlantUML text, with the same participants, arrows, bars, notes and loops as in mermaid.

import {
  type Arrow,
  isFailure,
  labelOf,
  legsOf,
  loopTitle,
  type PicturedMessage,
  type SequencePicture,
  type Step,
} from '../../diagram/model.js';
import { remarksFor } from '../../diagram/notes/closing-note.js';
import { shorten } from '../escape/mermaid-escape.js';
import { escapePlantuml, escapePlantumlNote } from '../escape/plantuml-escape.js';

/** A comment above each arrow has the `seq` of its message. */
export function renderPlantuml(sequence: SequencePicture): string {
  const lines = [
    '@startuml',
    ...(sequence.coverage === undefined ? [] : ['autonumber']),
    `skinparam maxMessageSize ${LABEL_WIDTH}`,
  ];
  if (sequence.steps.some((step) => step.kind === 'note' && step.isTable === true))
    lines.push('skinparam noteFontName Monospaced');
  if (sequence.participants.length === 0) lines.push(...emptyDiagram(sequence));
  lines.push(...participantLines(sequence.participants));
  for (const step of sequence.steps) lines.push(...stepLines(step));
  for (const remark of remarksFor(sequence)) lines.push(`' ${escapePlantuml(remark)}`);
  return `${[...lines, '@enduml'].join('\n')}\n`;
}

function participantLines(participants: SequencePicture['participants']): string[] {
  const lines: string[] = [];
  let box: string | undefined;
  for (const { id, name, box: wanted } of participants) {
    if (wanted !== box) {
      if (box !== undefined) lines.push('end box');
      if (wanted !== undefined) lines.push(`box "${escapePlantuml(wanted)}"`);
      box = wanted;
    }
    lines.push(`participant "${escapePlantuml(name)}" as ${id}`);
  }
  if (box !== undefined) lines.push('end box');
  return lines;
}

function emptyDiagram({ closing, total }: SequencePicture): string[] {
  const why = total === 0 ? 'no messages in the capture' : 'nothing to draw';
  return ['participant "capture" as K', ...note('K', [why, ...closing])];
}

function stepLines(step: Step<PicturedMessage>): string[] {
  switch (step.kind) {
    case 'arrow':
      return legsOf(step).flatMap((leg) => [`' ${leg.summary?.seqs ?? leg.message.seq}`, arrowLine(leg)]);
    case 'note':
      return [
        ...(step.bar === 'begins' ? [`activate ${step.over[0]}`] : []),
        ...note(step.over.join(', '), step.lines),
        ...(step.bar === 'ends' ? [`deactivate ${step.over[0]}`] : []),
      ];
    case 'loop':
      return [`loop ${escapePlantuml(shorten(loopTitle(step)))}`, ...step.steps.flatMap(stepLines), 'end'];
  }
}

function arrowLine(arrow: Arrow<PicturedMessage>): string {
  const { message, from, to, activates, deactivates } = arrow;
  const colour = colourOf(arrow);
  const line = message.kind === 'response' ? `-${colour}->` : message.kind === 'end' ? `-${colour}->x` : `-${colour}>`;
  const marker = activates ? ' ++' : deactivates ? ' --' : '';
  return `${from} ${line} ${to}${marker} : ${escapePlantuml(shorten(labelOf(arrow)))}`;
}

function colourOf(arrow: Arrow<PicturedMessage>): string {
  if (arrow.isOnlyIn !== undefined) return arrow.isOnlyIn === 'before' ? '[#red]' : '[#green]';
  if (isFailure(arrow)) return '[#red]';
  return arrow.isOnPath === true ? '[#orange]' : '';
}

function note(over: string, lines: readonly string[]): string[] {
  return [`note over ${over}`, ...lines.map((line) => escapePlantumlNote(shorten(line, MAX_NOTE_LINE))), 'end note'];
}

/** Pixels after which PlantUML breaks a label. */
const LABEL_WIDTH = 480;
/** Limit: characters of a line of a note, as in mermaid. */
const MAX_NOTE_LINE = 600;
