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
 *
 * @param parts each is packed before the next is asked for: all of them together may be much longer than the block.
 */
export function packedBlock(id: string, parts: Iterable<Part>): string {
  const packed: string[] = [];
  const from: number[] = [];
  for (const part of parts) {
    packed.push(base64Text(deflateSync(strToU8(escapeJsonBlock(part.json)), { level: 9 })));
    from.push(part.from);
  }
  return `<script type="application/octet-stream" id="${id}" data-from="${from.join(' ')}">${packed.join('\n')}</script>\n`;
}

/** Lines that follow each other, together at least as long as a part; the last part may be shorter. A line is taken when its part is asked for. */
export function* linePartsOf(lines: Iterable<string>): Generator<Part> {
  let part: string[] = [];
  let size = 0;
  let from = 0;
  for (const line of lines) {
    part.push(line);
    size += line.length;
    if (size < PART_SIZE) continue;
    yield { from, json: part.join('\n') };
    from += part.length;
    part = [];
    size = 0;
  }
  if (part.length > 0) yield { from, json: part.join('\n') };
}

/** Characters: a browser inflates so many in a few ms, and larger parts are no smaller together (deflate looks back 32 KiB). */
const PART_SIZE = 512 * 1024;
