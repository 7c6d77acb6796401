// Packs data into a page: each part is deflated on its own, so that a browser inflates only what a reader needs now.

import { deflateSync, strToU8 } from 'fflate';
import { base64Text } from '../../core/bytes/bytes.js';
import { escapeJsonBlock } from '../escape/html-escape.js';

export interface Part {
  /** Index of its first line or row. */
  readonly from: number;
  /** JSON, or JSON lines. */
  readonly json: string;
}

/**
 * A data block, which no browser executes: a line for each part, raw deflate (RFC 1951) in base64. The attribute `data-from` has the
 * index of the first line of each part.
 */
export function packedBlock(id: string, parts: readonly Part[]): string {
  const packed = parts.map(({ json }) => base64Text(deflateSync(strToU8(escapeJsonBlock(json)), { level: 9 })));
  const from = parts.map((part) => part.from).join(' ');
  return `<script type="application/octet-stream" id="${id}" data-from="${from}">${packed.join('\n')}</script>\n`;
}

/** Lines that follow each other, together at least as long as a part; the last part may be shorter. */
export function linePartsOf(lines: readonly string[]): Part[] {
  const parts: Part[] = [];
  let size = 0;
  let from = 0;
  lines.forEach((line, i) => {
    size += line.length;
    if (size < PART_SIZE && i < lines.length - 1) return;
    parts.push({ from, json: lines.slice(from, i + 1).join('\n') });
    from = i + 1;
    size = 0;
  });
  return parts;
}

/** Characters: a browser inflates so many in a few ms, and larger parts are no smaller together (deflate looks back 32 KiB). */
const PART_SIZE = 512 * 1024;
