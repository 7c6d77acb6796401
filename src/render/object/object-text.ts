// Renders an object history for a terminal: a head, then every revision with its author and the fields that it changed.

import { deletionWords } from '../../kubernetes/lives/deletion-words.js';
import type { Incarnation, ObjectHistory } from '../../object-history/model.js';
import { escapeTerminal } from '../escape/terminal-escape.js';
import { type Paint, PLAIN } from '../sequence/text.js';
import { formatOffset, formatTime } from '../time.js';
import { entryOf, type ObjectEntry, type ObjectRenderOptions } from './object-entries.js';
import { authorCounts, disruptionLine, headline, nameOf, remarks, tenureLine } from './object-words.js';

export function renderObjectText(object: ObjectHistory, options: ObjectRenderOptions, paint: Paint = PLAIN): string {
  const lines = object.incarnations.flatMap((life, i) => [
    ...(i === 0 ? [] : ['']),
    ...head(object, life, options, paint),
    '',
    paint.dim(TITLES),
    ...life.steps.flatMap((step) => entryLines(entryOf(step, life, options), options, paint)),
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

function entryLines(entry: ObjectEntry, options: ObjectRenderOptions, paint: Paint): string[] {
  const { kind, time, version, hasFailed, request, evidence: how } = entry;
  const [said, where] = [entry.headline, entry.place].map(escapeTerminal);
  if (kind === 'k8sEvent') return [row(time, '', paint.dim(`${said}, ${where}`), options)];
  const line = kind === 'version' ? paint.strong(said) : hasFailed ? paint.bad(said) : paint.dim(said);
  const by = request === undefined ? `shown by ${where}` : `${escapeTerminal(request)}, ${where}`;
  return [
    row(time, version, line, options),
    indented(paint.dim(how === null ? by : `${by}; ${escapeTerminal(how)}`)),
    ...entry.fields.map(({ text }) => indented(escapeTerminal(text))),
  ];
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
