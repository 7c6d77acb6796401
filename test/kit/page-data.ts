// What the packed data blocks of a page hold. Inflates them with zlib, not with the program's own library.

import { inflateRawSync } from 'node:zlib';
import {
  BODIES_BLOCK,
  MESSAGES_BLOCK,
  ROWS_BLOCK,
  type RowsPart,
  VIEW_BLOCK,
  type View,
  type ViewHead,
} from '../../src/render/html/html-format.js';
import { type RowParts, rowParts } from '../../src/render/html/row-parts.js';
import { unpackedTable } from './table-data.js';

const PACKED = /(<script type="application\/octet-stream" id="([\w-]+)" data-from="[\d ]*">)([^<]*)(<\/script>)/g;
const BLOCKS = [VIEW_BLOCK, ROWS_BLOCK, MESSAGES_BLOCK, BODIES_BLOCK];

/** The page with the text of its blocks in place of their base64: whoever looks for something in a page has to look here. */
export function unpackedPage(html: string): string {
  const ids: string[] = [];
  const text = html.replace(PACKED, (_, head: string, id: string, packed: string, end: string) => {
    ids.push(id);
    return `${head}${inflated(packed).join('\n')}${end}`;
  });
  const others = /<script type="application\/octet-stream"/g;
  if (ids.join() !== BLOCKS.join() || html.match(others)?.length !== BLOCKS.length)
    throw new Error(`the page has other blocks than expected: ${ids.join()}`);
  return text;
}

/** What an output of a command holds, as text that secrets can be looked for in. @param args those of the command. */
export function searchable(args: readonly string[], stdout: string): string {
  if (args.includes('parquet')) return unpackedTable(Buffer.from(stdout, 'latin1'));
  return args.includes('html') ? unpackedPage(stdout) : stdout;
}

/** The text of each part of a block. */
export function packedParts(html: string, id: string): string[] {
  for (const [, , name, packed] of html.matchAll(PACKED)) if (name === id) return inflated(packed);
  throw new Error(`the page has no block ${id}`);
}

/** Lines of the messages or the bodies. */
export function packedLines(html: string, id: string): string[] {
  return packedParts(html, id).flatMap((part) => part.split('\n'));
}

export function viewIn(html: string): View {
  const head = JSON.parse(packedParts(html, VIEW_BLOCK)[0]) as ViewHead;
  const parts = packedParts(html, ROWS_BLOCK).map((part) => JSON.parse(part) as RowsPart);
  return {
    ...head,
    rows: parts.flatMap(({ rows }) => rows),
    labels: parts.flatMap(({ labels }) => labels),
    about: parts.flatMap(({ about }) => about),
    latencies: parts.flatMap(({ latencies }) => latencies),
  };
}

/** The rows that the page's script makes. */
export function rowsIn(view: View): RowParts[] {
  const names = view.participants.map(({ name }) => name);
  return view.rows.map((row, i) => {
    const [seq, micros, kind, , from, to] = row;
    const [failed, , partial, ...via] = row.slice(12);
    return rowParts(
      { seq, micros, kind, from, to, via, failed: failed > 0, partial: partial === 1 },
      view.labels[i],
      names,
    );
  });
}

function inflated(packed: string): string[] {
  return packed === ''
    ? []
    : packed.split('\n').map((part) => inflateRawSync(Buffer.from(part, 'base64')).toString('utf8'));
}
