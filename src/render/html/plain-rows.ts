// Renders the drawn rows of a page as a list that is readable without the page's script.

import type { ExplorerData, ExplorerEntry } from '../../diagram/explorer-data.js';
import { escapeHtml } from '../escape/html-escape.js';
import { CHUNK, type View, type ViewNote } from './html-format.js';
import { rowParts } from './row-parts.js';

export interface PlainRows {
  readonly html: string;
  /** Number of drawn rows over the limit, which only the script shows. */
  readonly leftOut: number;
}

/** @param limit number of rows. */
export function plainRows(shown: ExplorerData, view: View, limit: number = MAX_PLAIN_ROWS): PlainRows {
  const names = view.participants.map(({ name }) => name);
  const onPath = new Set(view.path.map(({ seq }) => seq));
  const notes = new Map<number, ViewNote[]>();
  for (const note of view.notes) notes.set(note[0], [...(notes.get(note[0]) ?? []), note]);
  const row = (index: number): string => {
    const [seq, micros, kind, , from, to] = view.rows[index];
    const [failed, , partial, ...via] = view.rows[index].slice(FLAGS);
    const isOnPath = onPath.has(seq);
    const facts = {
      seq,
      micros,
      kind,
      from,
      to,
      via,
      failed: failed > 0,
      partial: partial === 1,
      isOnPath,
      latency: view.latencies[index],
    };
    const { className, number, time, ends, tag, rest, after } = rowParts(facts, view.labels[index], names);
    const own = notes.get(index) ?? [];
    const notesAt = (place: number): string =>
      own
        .filter(([, at]) => at === place)
        .map(noteHtml)
        .join('');
    return (
      `<div role="listitem" id="m${seq}" data-seq="${seq}" class="${className}">${notesAt(0)}` +
      `<button type="button" tabindex="-1"><time><small>${number}</small> ${time}</time>` +
      `<span>${escapeHtml(ends)}</span>` +
      `<b>${tag === '' ? '' : `<i>${tag}</i>`}${escapeHtml(rest)}${after === '' ? '' : `<em>${after}</em>`}</b>${via.map((one) => `<u class="v${one}"></u>`).join('')}</button>` +
      `${notesAt(1)}</div>\n`
    );
  };
  const drawn = shown.entries.flatMap((entry, i) => (isDrawn(entry, shown) ? [i] : []));
  const chunks: string[] = [];
  for (let at = 0; at < Math.min(limit, drawn.length); at += CHUNK) {
    const rows = drawn.slice(at, Math.min(limit, at + CHUNK)).map(row);
    chunks.push(`<div class="chunk plain">\n${rows.join('')}</div>\n`);
  }
  return { html: chunks.join(''), leftOut: Math.max(0, drawn.length - limit) };
}

/** Whether the page opens with this row. */
export function isDrawn({ folded, layer }: ExplorerEntry, { layers }: ExplorerData): boolean {
  return folded === null && layers.has(layer);
}

function noteHtml([, , from, to, ...lines]: ViewNote): string {
  return `<p class="note f${from} t${to}"><span><bdi>${lines.map(escapeHtml).join('<br>')}</bdi></span></p>`;
}

/** Place of `failed` in a row of the view. */
const FLAGS = 12;
/**
 * Limit: rows of a page that are there without its script, which shows all: they are the diagram, rarely of more than a few hundred
 * arrows, and each adds 300 bytes. The page says how many more there are.
 */
const MAX_PLAIN_ROWS = 5_000;
