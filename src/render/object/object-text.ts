// Renders an object history for a terminal: a head, then every revision with its author and the fields that it changed.

import { counted } from '../../core/quantity.js';
import { deletionWords } from '../../object-history/deletions.js';
import type {
  FieldChange,
  HistoryStep,
  Incarnation,
  Mutation,
  ObjectHistory,
  Revision,
} from '../../object-history/model.js';
import { escapeTerminal } from '../escape/terminal-escape.js';
import { type Paint, PLAIN } from '../sequence/text.js';
import { formatOffset, formatTime } from '../time.js';
import {
  attemptLine,
  authorCounts,
  changeLine,
  disruptionLine,
  evidence,
  headline,
  k8sEventLine,
  mutationLine,
  nameOf,
  patchLines,
  place,
  remarks,
  requestLine,
  tenureLine,
} from './object-words.js';

export interface ObjectRenderOptions {
  /** ns since the epoch: the first frame, zero of the printed times. */
  readonly first: bigint;
  readonly digits: (capture: number) => number;
  /** Names of the captures, if there are several. */
  readonly captures?: readonly string[];
  /** Every field, however many. */
  readonly all?: boolean;
}

export function renderObjectText(object: ObjectHistory, options: ObjectRenderOptions, paint: Paint = PLAIN): string {
  const lines = object.incarnations.flatMap((life, i) => [
    ...(i === 0 ? [] : ['']),
    ...head(object, life, options, paint),
    '',
    paint.dim(TITLES),
    ...life.steps.flatMap((step) => stepLines(step, life, options, paint)),
  ]);
  const notes = remarks(object);
  if (notes.length > 0) lines.push('', ...notes);
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

function head(object: ObjectHistory, life: Incarnation, options: ObjectRenderOptions, paint: Paint): string[] {
  const versions = life.steps.filter((step) => step.kind === 'version');
  const uid = life.uid === null ? '' : `, uid ${life.uid}`;
  const lines = [paint.strong(escapeTerminal(nameOf(object, life))) + escapeTerminal(uid)];
  for (const owner of life.owners) lines.push(`  owned by ${escapeTerminal(`${owner.kind} ${owner.name}`)}`);
  for (const version of versions) {
    if (version.happened === 'changed') continue;
    const { first, resourceVersion, author } = version;
    const time = formatTime(first.time, options.digits(first.capture));
    lines.push(
      `  ${escapeTerminal(`${time} ${headline(version, life)}, version ${resourceVersion}, message ${(author?.request ?? first).seq}`)}`,
    );
  }
  if (life.deletion !== undefined) lines.push(`  ${escapeTerminal(deletionWords(life.deletion))}`);
  if (life.disruption !== undefined)
    lines.push(`  ${escapeTerminal(disruptionLine(life.disruption, options.captures))}`);
  for (const tenure of life.tenures ?? []) lines.push(`  ${escapeTerminal(tenureLine(tenure, options.first))}`);
  return [...lines, `  ${escapeTerminal(authorCounts(life))}`];
}

function stepLines(step: HistoryStep, life: Incarnation, options: ObjectRenderOptions, paint: Paint): string[] {
  if (step.kind === 'version') return revisionLines(step, life, options, paint);
  if (step.kind === 'k8sEvent') {
    const { message } = step;
    const line = `${k8sEventLine(step)}, ${place([message], options.captures)}`;
    return [row(message.time, '', paint.dim(escapeTerminal(line)), options)];
  }
  const { request, response } = step;
  const line = escapeTerminal(attemptLine(step));
  return [
    row((response ?? request).time, '', step.what === 'no change' ? paint.dim(line) : paint.bad(line), options),
    indented(
      paint.dim(escapeTerminal(`${requestLine(request, response)}, ${place([request, response], options.captures)}`)),
    ),
  ];
}

function revisionLines(version: Revision, life: Incarnation, options: ObjectRenderOptions, paint: Paint): string[] {
  const { first, resourceVersion, author, changes, sent, since, happened, mutations = [] } = version;
  const lines = [row(first.time, resourceVersion, paint.strong(escapeTerminal(headline(version, life))), options)];
  const how = evidence(version);
  const where =
    author === null
      ? `shown by ${place([first], options.captures)}`
      : `${requestLine(author.request, author.response)}, ${place([author.request, author.response], options.captures)}`;
  lines.push(indented(paint.dim(escapeTerminal(how === null ? where : `${where}; ${how}`))));
  if (since !== undefined)
    lines.push(indented(escapeTerminal(`against version ${since}, the last whose body was seen:`)));
  const webhooks = mutations.flatMap((mutation) => mutationLines(mutation, options));
  if (sent !== undefined)
    lines.push(...changeLines(sent, options), ...webhooks, indented('filled in by the API server:'));
  if (changes === null) lines.push(indented('its body was not shown'));
  else if (changes.length === 0 && happened !== 'deleted') lines.push(indented('no field that is shown here differs'));
  else lines.push(...changeLines(changes, options));
  return sent === undefined ? [...lines, ...webhooks] : lines;
}

function mutationLines(mutation: Mutation, options: ObjectRenderOptions): string[] {
  return [
    indented(escapeTerminal(mutationLine(mutation, options.captures))),
    ...changeLines(mutation.changes, options),
    ...patchLines(mutation).map((line) => indented(escapeTerminal(line))),
  ];
}

function changeLines(changes: readonly FieldChange[], { all }: ObjectRenderOptions): string[] {
  const shown = all === true ? changes : changes.slice(0, MAX_SHOWN);
  const lines = shown.map((change) => indented(escapeTerminal(changeLine(change))));
  const more = changes.length - shown.length;
  return more === 0 ? lines : [...lines, indented(`… ${counted(more, 'more field')}: --all`)];
}

function row(time: bigint, version: string, text: string, { first }: ObjectRenderOptions): string {
  return `${formatOffset(time - first).padStart(TIME_WIDTH)}  ${escapeTerminal(version).padStart(VERSION_WIDTH)}  ${text}`;
}

function indented(text: string): string {
  return `${' '.repeat(TIME_WIDTH + VERSION_WIDTH + 6)}${text}`;
}

const TIME_WIDTH = 11;
const VERSION_WIDTH = 7;
const TITLES = `${'seconds'.padStart(TIME_WIDTH)}  version  since the first frame: what happened, by whom, and which fields changed`;
/** Limit: fields of one revision that are shown without `--all`. */
export const MAX_SHOWN = 12;
