// Renders an object history as a part of a Markdown page: a table of its revisions.

import { deletionWords } from '../../kubernetes/lives/deletion-words.js';
import type { Incarnation, ObjectHistory } from '../../object-history/model.js';
import { codeSpan, escapeMarkdown } from '../escape/markdown-escape.js';
import { formatOffset } from '../time.js';
import { entryOf, type ObjectEntry, type ObjectRenderOptions } from './object-entries.js';
import { authorCounts, disruptionLine, nameOf, remarks, tenureLine } from './object-words.js';

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
    ...life.steps.map((step) => `| ${cells(entryOf(step, life, options), options).join(' | ')} |`),
  ];
}

function cells(
  { kind, time, version, evidence, request, fields, ...entry }: ObjectEntry,
  { first }: ObjectRenderOptions,
) {
  const said = escapeMarkdown(entry.headline);
  const what = [kind === 'version' ? `**${said}**` : said];
  if (request !== undefined) what.push(codeSpan(request));
  if (evidence !== null) what.push(escapeMarkdown(evidence));
  what.push(escapeMarkdown(entry.place));
  const lines = fields.map(({ text, isCode }) => (isCode ? codeSpan(text) : escapeMarkdown(text)));
  return [formatOffset(time - first), version === '' ? '' : codeSpan(version), what.join('<br>'), lines.join('<br>')];
}
