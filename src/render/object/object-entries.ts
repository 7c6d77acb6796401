// Reports each step of an object history as one entry, which text and Markdown write each in their own way; nothing is escaped yet.

import { counted } from '../../core/quantity.js';
import type { FieldChange, HistoryStep, Incarnation, Mutation, Revision } from '../../object-history/model.js';
import {
  attemptLine,
  changeLine,
  evidence,
  headline,
  k8sEventLine,
  mutationLine,
  patchLines,
  place,
  requestLine,
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

export interface ObjectEntry {
  readonly kind: 'version' | 'attempt' | 'k8sEvent';
  /** ns since the epoch. */
  readonly time: bigint;
  /** Empty: of no version. */
  readonly version: string;
  readonly headline: string;
  /** It was tried, and refused or not answered. */
  readonly hasFailed: boolean;
  /** The request that did it, with its answer. */
  readonly request?: string;
  /** Messages and frames. */
  readonly place: string;
  /** How it is known, where its answer does not say so. */
  readonly evidence: string | null;
  readonly fields: readonly EntryLine[];
}

/** A line about fields: code (a change, an operation), or words. */
export interface EntryLine {
  readonly text: string;
  readonly isCode: boolean;
}

export function entryOf(step: HistoryStep, life: Incarnation, options: ObjectRenderOptions): ObjectEntry {
  const { captures } = options;
  if (step.kind === 'version') return versionEntry(step, life, options);
  const none = { kind: step.kind, version: '', evidence: null, fields: [] };
  if (step.kind === 'k8sEvent') {
    const { message } = step;
    const said = { headline: k8sEventLine(step), hasFailed: false, place: place([message], captures) };
    return { ...none, ...said, time: message.time };
  }
  const { request, response, what } = step;
  return {
    ...none,
    time: (response ?? request).time,
    headline: attemptLine(step),
    hasFailed: what !== 'no change',
    request: requestLine(request, response),
    place: place([request, response], captures),
  };
}

function versionEntry(version: Revision, life: Incarnation, options: ObjectRenderOptions): ObjectEntry {
  const { first, resourceVersion, author } = version;
  const writes = author === null ? [first] : [author.request, author.response];
  return {
    kind: 'version',
    time: first.time,
    version: resourceVersion,
    headline: headline(version, life),
    hasFailed: false,
    request: author === null ? undefined : requestLine(author.request, author.response),
    place: place(writes, options.captures),
    evidence: evidence(version),
    fields: fieldLines(version, options),
  };
}

function fieldLines(version: Revision, options: ObjectRenderOptions): EntryLine[] {
  const { changes, sent, since, happened, mutations = [] } = version;
  const lines = since === undefined ? [] : [words(`against version ${since}, the last whose body was seen:`)];
  const webhooks = mutations.flatMap((mutation) => mutationLines(mutation, options));
  if (sent !== undefined) lines.push(...changeLines(sent, options), ...webhooks, words('filled in by the API server:'));
  if (changes === null) lines.push(words('its body was not shown'));
  else if (changes.length === 0 && happened !== 'deleted') lines.push(words('no field that is shown here differs'));
  else lines.push(...changeLines(changes, options));
  return sent === undefined ? [...lines, ...webhooks] : lines;
}

function mutationLines(mutation: Mutation, options: ObjectRenderOptions): EntryLine[] {
  const patch = patchLines(mutation).map(code);
  return [words(mutationLine(mutation, options.captures)), ...changeLines(mutation.changes, options), ...patch];
}

function changeLines(changes: readonly FieldChange[], { all }: ObjectRenderOptions): EntryLine[] {
  const shown = all === true ? changes : changes.slice(0, MAX_SHOWN);
  const more = changes.length - shown.length;
  const lines = shown.map((change) => code(changeLine(change)));
  return more === 0 ? lines : [...lines, words(`… ${counted(more, 'more field')}: --all`)];
}

function words(text: string): EntryLine {
  return { text, isCode: false };
}

function code(text: string): EntryLine {
  return { text, isCode: true };
}

/** Limit: fields of one revision that are shown without `--all`. */
const MAX_SHOWN = 12;
