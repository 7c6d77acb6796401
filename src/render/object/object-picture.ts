// Draws an object history as a sequence: who wrote the object, in the order of time; of a Lease its holders, each active while it holds it.

import type { Arrow, Note, SequencePicture, Step } from '../../diagram/model.js';
import { deletionWords } from '../../kubernetes/lives/deletion-words.js';
import type { Message } from '../../kubernetes/messages/message.js';
import type { HistoryStep, Incarnation, ObjectHistory, Revision, Tenure } from '../../object-history/model.js';
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

export function objectPicture(object: ObjectHistory, options: ObjectRenderOptions): SequencePicture {
  const lanes = new WriterLanes(nameOf(object, object.incarnations[0]));
  const steps = object.incarnations.flatMap((life) => [
    ...(life.uid === null ? [] : [note([OBJECT], `uid ${life.uid}`)]),
    ...(life.deletion === undefined ? [] : [note([OBJECT], deletionWords(life.deletion))]),
    ...(life.disruption === undefined ? [] : [note([OBJECT], disruptionLine(life.disruption, options.captures))]),
    ...(life.tenures === undefined ? stepsOf(life, lanes, options) : holdersOf(life.tenures, lanes, options)),
  ]);
  if (object.incarnations.length === 0) steps.push(note([OBJECT], 'no message in the capture is about it'));
  steps.push(...remarks(object).map((line) => note([OBJECT], line)));
  return { participants: lanes.all(), steps, closing: [], total: steps.length };
}

/** A lane for each writer or holder, in the order in which they appear, and the object's own after them. */
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

  all(): SequencePicture['participants'] {
    return [...this.#ids, [this.#object, OBJECT] as const].map(([name, id]) => ({ id, name }));
  }
}

/** Steps of a Lease's holders: their lanes are active while they hold it. */
function holdersOf(tenures: readonly Tenure[], lanes: WriterLanes, options: ObjectRenderOptions): Step[] {
  if (tenures.length === 0) return [note([OBJECT], 'nobody held it')];
  return tenures.flatMap((tenure, i) => {
    const { begin, end, ended, failed } = tenure;
    const id = lanes.idOf(holderName(tenure));
    const seconds = (time: bigint): string => formatOffset(time - options.first);
    const isHandOver = i > 0 && tenures[i - 1].ended === 'taken over' && tenures[i - 1].end?.seq === begin.seq;
    const becomes = isHandOver ? `takes it over from ${tenures[i - 1].holder}` : 'takes it';
    const steps: Step[] = [
      begin.kind === 'request'
        ? arrow(id, begin, `${seconds(begin.time)} s: ${becomes}, message ${begin.seq}`)
        : note([id], `${seconds(begin.time)} s: holds it, as message ${begin.seq} shows`),
      { ...note([id], renewalsText(tenure)), bar: 'begins' },
      ...failed
        .slice(0, MAX_FAILED)
        .map((one) => arrow(id, one, `${seconds(one.time)} s: no success, message ${one.seq}`, true)),
    ];
    if (failed.length > MAX_FAILED) steps.push(note([id], `and ${failed.length - MAX_FAILED} more without success`));
    if (end === null) return [...steps, note([id], 'holds it at the end of the capture')];
    const how = `${seconds(end.time)} s: ${ended}${sinceRenewalText(tenure)}, message ${end.seq}`;
    const isReleased = ended === 'released' && end.kind === 'request';
    return [
      ...steps,
      isReleased ? { ...arrow(id, end, how), deactivates: true } : { ...note([id, OBJECT], how), bar: 'ends' },
    ];
  });
}

function holderName({ holder, participant }: Tenure): string {
  return participant === null ? holder : `${participant} ${holder}`;
}

function stepsOf(life: Incarnation, lanes: WriterLanes, { first, all }: ObjectRenderOptions): Step[] {
  const { steps } = life;
  const shown = all === true ? steps : steps.slice(0, MAX_STEPS);
  const drawn = shown.flatMap((step) => drawnStep(step, life, lanes, (time) => `${formatOffset(time - first)} s`));
  const more = steps.length - shown.length;
  return more === 0 ? drawn : [...drawn, note([OBJECT], `${more} more steps, with --all`)];
}

function drawnStep(
  step: HistoryStep,
  life: Incarnation,
  lanes: WriterLanes,
  seconds: (time: bigint) => string,
): Step[] {
  if (step.kind === 'k8sEvent')
    return [note([OBJECT], `${seconds(step.message.time)}: ${k8sEventLine(step)}, message ${step.message.seq}`)];
  if (step.kind === 'attempt') {
    const { request, what } = step;
    const text = `${seconds(request.time)}: ${attemptLine(step)}, message ${request.seq}`;
    const hasFailed = what === 'refused' || what === 'unanswered';
    return [arrow(lanes.idOf(request.from.name), request, text, hasFailed)];
  }
  const { author, first, resourceVersion } = step;
  const changes = changesOf(step);
  const at = `${seconds(first.time)}: `;
  const version = `version ${resourceVersion}, message ${(author?.request ?? first).seq}`;
  const made =
    author === null
      ? note([OBJECT], `${at}${headline(step, life)}, ${version}`)
      : arrow(lanes.idOf(author.request.from.name), author.request, `${at}${happenedWords(step, life)}, ${version}`);
  return changes.length === 0 ? [made] : [made, { ...note([OBJECT], ...changes), isOnArrow: true }];
}

function changesOf({ sent, changes }: Revision): string[] {
  const all = sent ?? changes ?? [];
  const shown = all.slice(0, MAX_CHANGES).map(changeLine);
  return all.length > shown.length ? [...shown, `… ${all.length - shown.length} more`] : shown;
}

/** A write of the object. */
function arrow(from: string, message: Message, words: string, hasFailed = false): Arrow {
  const summary = { words, seqs: String(message.seq), hasFailed };
  return { kind: 'arrow', message, from, to: OBJECT, activates: false, deactivates: false, summary };
}

function note(over: Note['over'], ...lines: readonly string[]): Note {
  return { kind: 'note', over, lines };
}

const OBJECT = 'O';
/** Limit: failed renewals that are drawn of one holder; a note counts the others. */
const MAX_FAILED = 5;
/** Limit: steps of an object that are drawn without `--all`: mermaid gets slow, and nobody reads more. */
const MAX_STEPS = 200;
/** Limit: fields of one version that a diagram shows; text, Markdown and JSON have the others. */
const MAX_CHANGES = 4;
