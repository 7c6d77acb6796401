// Renders an object history as a part of a Markdown page: a table of its revisions.

import { deletionWords } from '../../object-history/deletions.js';
import type { FieldChange, HistoryStep, Incarnation, ObjectHistory } from '../../object-history/model.js';
import { codeSpan, escapeMarkdown } from '../escape/markdown-escape.js';
import { formatOffset } from '../time.js';
import { MAX_SHOWN, type ObjectRenderOptions } from './object-text.js';
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

export function renderObjectMarkdown(object: ObjectHistory, options: ObjectRenderOptions): string {
  const parts = object.incarnations.map((life) => [...head(object, life, options), ...table(life, options)].join('\n'));
  const notes = remarks(object).map((line) => `${escapeMarkdown(line)}\n`);
  return [...parts.map((part) => `${part}\n`), ...notes].join('\n');
}

function head(object: ObjectHistory, life: Incarnation, options: ObjectRenderOptions): string[] {
  const { captures } = options;
  const owners = life.owners.map(({ kind, name }) => `, owned by ${codeSpan(`${kind} ${name}`)}`).join('');
  const uid = life.uid === null ? '' : `uid ${codeSpan(life.uid)}`;
  const counts = escapeMarkdown(authorCounts(life));
  return [
    `### ${codeSpan(nameOf(object, life))}`,
    '',
    `${uid}${owners}${uid + owners === '' ? '' : '; '}${counts}`,
    '',
    ...(life.tenures ?? []).map((tenure) => `* ${escapeMarkdown(tenureLine(tenure, options.first))}`),
    ...(life.tenures === undefined || life.tenures.length === 0 ? [] : ['']),
    ...(life.deletion === undefined ? [] : [escapeMarkdown(deletionWords(life.deletion)), '']),
    ...(life.disruption === undefined ? [] : [escapeMarkdown(disruptionLine(life.disruption, captures)), '']),
  ];
}

function table(life: Incarnation, options: ObjectRenderOptions): string[] {
  return [
    '| seconds | version | what | fields |',
    '| ---: | ---: | --- | --- |',
    ...life.steps.map((step) => `| ${cells(step, life, options).join(' | ')} |`),
  ];
}

function cells(step: HistoryStep, life: Incarnation, options: ObjectRenderOptions): string[] {
  const seconds = (time: bigint): string => formatOffset(time - options.first);
  if (step.kind === 'k8sEvent') {
    const { message } = step;
    return [seconds(message.time), '', `${escapeMarkdown(k8sEventLine(step))}<br>${where([message], options)}`, ''];
  }
  if (step.kind === 'attempt') {
    const { request, response } = step;
    const what = [
      escapeMarkdown(attemptLine(step)),
      codeSpan(requestLine(request, response)),
      where([request, response], options),
    ];
    return [seconds((response ?? request).time), '', what.join('<br>'), ''];
  }
  const { first, resourceVersion, author, changes, sent, since, happened, mutations = [] } = step;
  const what = [`**${escapeMarkdown(headline(step, life))}**`];
  if (author !== null) what.push(codeSpan(requestLine(author.request, author.response)));
  const how = evidence(step);
  if (how !== null) what.push(escapeMarkdown(how));
  what.push(where(author === null ? [first] : [author.request, author.response], options));
  const fields: string[] = [];
  if (since !== undefined) fields.push(`against version ${codeSpan(since)}:`);
  const webhooks = mutations.flatMap((mutation) => [
    escapeMarkdown(mutationLine(mutation, options.captures)),
    ...changeCells(mutation.changes, options),
    ...patchLines(mutation).map(codeSpan),
  ]);
  if (sent !== undefined) fields.push(...changeCells(sent, options), ...webhooks, 'filled in by the API server:');
  if (changes === null) fields.push('its body was not shown');
  else if (changes.length === 0 && happened !== 'deleted') fields.push('no field that is shown here differs');
  else fields.push(...changeCells(changes, options));
  if (sent === undefined) fields.push(...webhooks);
  return [seconds(first.time), codeSpan(resourceVersion), what.join('<br>'), fields.join('<br>')];
}

function where(messages: Parameters<typeof place>[0], { captures }: ObjectRenderOptions): string {
  return escapeMarkdown(place(messages, captures));
}

function changeCells(changes: readonly FieldChange[], { all }: ObjectRenderOptions): string[] {
  const shown = all === true ? changes : changes.slice(0, MAX_SHOWN);
  const more = changes.length - shown.length;
  return [...shown.map((change) => codeSpan(changeLine(change))), ...(more === 0 ? [] : [`… ${more} more`])];
}
