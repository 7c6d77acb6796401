// Renders an object history as a mermaid sequence diagram: who wrote the object, in the order of time; of a Lease its holders, each active
// while it holds it.

import { deletionWords } from '../../object-history/deletions.js';
import type { HistoryStep, Incarnation, ObjectHistory, Revision, Tenure } from '../../object-history/model.js';
import { escapeMermaid, labelLines, shorten, wrap } from '../escape/mermaid-escape.js';
import { formatOffset } from '../time.js';
import type { ObjectRenderOptions } from './object-entries.js';
import {
  attemptLine,
  changeLine,
  disruptionLine,
  happenedWords,
  headline,
  k8sEventLine,
  nameOf,
  remarks,
  renewalsText,
  sinceRenewalText,
} from './object-words.js';

export function renderObjectMermaid(object: ObjectHistory, options: ObjectRenderOptions): string {
  const lanes = new WriterLanes(nameOf(object, object.incarnations[0]));
  const lines = object.incarnations.flatMap((life) => [
    ...(life.uid === null ? [] : [note([OBJECT], [`uid ${life.uid}`])]),
    ...(life.deletion === undefined ? [] : [note([OBJECT], [deletionWords(life.deletion)])]),
    ...(life.disruption === undefined ? [] : [note([OBJECT], [disruptionLine(life.disruption, options.captures)])]),
    ...(life.tenures === undefined ? stepsOf(life, lanes, options) : holdersOf(life.tenures, lanes, options)),
  ]);
  if (object.incarnations.length === 0) lines.push(note([OBJECT], ['no message in the capture is about it']));
  const notes = remarks(object).map((line) => note([OBJECT], [line]));
  const all = ['sequenceDiagram', ...lanes.lines(), ...lines, ...notes];
  return all.map((line, i) => `${i === 0 ? '' : INDENT}${line}\n`).join('');
}

/** A lane for each writer or holder, in the order in which they appear, and the object's own behind them. */
class WriterLanes {
  readonly #ids = new Map<string, string>();
  readonly #object: string;

  constructor(object: string) {
    this.#object = object;
  }

  idOf(name: string): string {
    const id = this.#ids.get(name) ?? `P${this.#ids.size + 1}`;
    this.#ids.set(name, id);
    return id;
  }

  lines(): string[] {
    const all = [...this.#ids, [this.#object, OBJECT] as const];
    return all.map(([name, id]) => `participant ${id} as ${label(name)}`);
  }
}

/** Steps of a Lease's holders: their lanes are active while they hold it. */
function holdersOf(tenures: readonly Tenure[], lanes: WriterLanes, options: ObjectRenderOptions): string[] {
  if (tenures.length === 0) return [note([OBJECT], ['nobody held it'])];
  return tenures.flatMap((tenure, i) => {
    const { begin, end, ended, failed } = tenure;
    const id = lanes.idOf(holderName(tenure));
    const seconds = (time: bigint): string => formatOffset(time - options.first);
    const isHandOver = i > 0 && tenures[i - 1].ended === 'taken over' && tenures[i - 1].end?.seq === begin.seq;
    const becomes = isHandOver ? `takes it over from ${tenures[i - 1].holder}` : 'takes it';
    const lines =
      begin.kind === 'request'
        ? [`${id} ->> ${OBJECT}: ${label(`${seconds(begin.time)} s: ${becomes}, message ${begin.seq}`)}`]
        : [note([id], [`${seconds(begin.time)} s: holds it, as message ${begin.seq} shows`])];
    lines.push(`activate ${id}`, note([id], [renewalsText(tenure)]));
    for (const one of failed.slice(0, MAX_FAILED))
      lines.push(`${id} -x ${OBJECT}: ${label(`${seconds(one.time)} s: no success, message ${one.seq}`)}`);
    if (failed.length > MAX_FAILED) lines.push(note([id], [`and ${failed.length - MAX_FAILED} more without success`]));
    if (end === null) return [...lines, note([id], ['holds it at the end of the capture'])];
    const how = `${seconds(end.time)} s: ${ended}${sinceRenewalText(tenure)}, message ${end.seq}`;
    if (ended === 'released' && end.kind === 'request') lines.push(`${id} ->> ${OBJECT}: ${label(how)}`);
    else lines.push(note([id, OBJECT], [how]));
    return [...lines, `deactivate ${id}`];
  });
}

function holderName({ holder, participant }: Tenure): string {
  return participant === null ? holder : `${participant} ${holder}`;
}

function stepsOf(life: Incarnation, lanes: WriterLanes, { first, all }: ObjectRenderOptions): string[] {
  const { steps } = life;
  const shown = all === true ? steps : steps.slice(0, MAX_STEPS);
  const lines = shown.flatMap((step) => stepLines(step, life, lanes, (time) => `${formatOffset(time - first)} s`));
  const more = steps.length - shown.length;
  return more === 0 ? lines : [...lines, note([OBJECT], [`${more} more steps, with --all`])];
}

function stepLines(
  step: HistoryStep,
  life: Incarnation,
  lanes: WriterLanes,
  seconds: (time: bigint) => string,
): string[] {
  if (step.kind === 'k8sEvent')
    return [note([OBJECT], [`${seconds(step.message.time)}: ${k8sEventLine(step)}, message ${step.message.seq}`])];
  if (step.kind === 'attempt') {
    const { request } = step;
    const arrow = step.what === 'refused' || step.what === 'unanswered' ? '-x' : '->>';
    const text = `${seconds(request.time)}: ${attemptLine(step)}, message ${request.seq}`;
    return [`${lanes.idOf(request.from.name)} ${arrow} ${OBJECT}: ${label(text)}`];
  }
  const { author, first, resourceVersion } = step;
  const changes = changesOf(step);
  const version = `version ${resourceVersion}, message ${(author?.request ?? first).seq}`;
  const line =
    author === null
      ? note([OBJECT], [`${seconds(first.time)}: ${headline(step, life)}, ${version}`])
      : `${lanes.idOf(author.request.from.name)} ->> ${OBJECT}: ${label(`${seconds(first.time)}: ${happenedWords(step, life)}, ${version}`)}`;
  return changes.length === 0 ? [line] : [line, note([OBJECT], changes)];
}

function changesOf({ sent, changes }: Revision): string[] {
  const all = sent ?? changes ?? [];
  const shown = all.slice(0, MAX_CHANGES).map(changeLine);
  return all.length > shown.length ? [...shown, `… ${all.length - shown.length} more`] : shown;
}

function label(text: string): string {
  return labelLines(text).map(escapeMermaid).join('<br>');
}

function note(over: readonly string[], lines: readonly string[]): string {
  const text = lines.flatMap((line) => wrap(shorten(line, MAX_NOTE_LINE), NOTE_WIDTH)).map(escapeMermaid);
  return `Note over ${over.join(',')}: ${text.join('<br>')}`;
}

const OBJECT = 'O';
const INDENT = '    ';
const NOTE_WIDTH = 60;
/** Limit: characters of a line of a note, which is cut in the middle. */
const MAX_NOTE_LINE = 240;
/** Limit: failed renewals that are drawn of one holder; a note counts the others. */
const MAX_FAILED = 5;
/** Limit: steps of an object that are drawn without `--all`: mermaid gets slow, and nobody reads more. */
const MAX_STEPS = 200;
/** Limit: fields of one version that a diagram shows; text, Markdown and JSON have the others. */
const MAX_CHANGES = 4;
