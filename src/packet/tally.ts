// Things that happen packet by packet and are told once, at the end, as a count. Knows no protocol.

import { type Notice, type NoticeCode, notice } from '../core/notice.js';
import type { Origin } from '../core/origin.js';

export class SegmentTally {
  readonly #rows = new Map<string, { readonly code: NoticeCode; readonly first: Origin; count: number }>();

  /** @param what a fixed text of the program, or one with a number; the key of the count. */
  add(code: NoticeCode, what: string, origin: Origin): void {
    const row = this.#rows.get(what);
    if (row !== undefined) row.count += 1;
    else if (this.#rows.size < KINDS) this.#rows.set(what, { code, first: origin, count: 1 });
  }

  /** One notice a kind, in order of first appearance, each with the place of the first. */
  notices(): Notice[] {
    return Array.from(this.#rows, ([what, { code, first, count }]) =>
      notice(code, `${what}: ${count} ${count === 1 ? 'packet' : 'packets'}, first in frame ${first.frame}`, {
        origin: first,
      }),
    );
  }
}

/** Kinds told apart. The program knows some twenty; numbers out of the capture (link types) must not add without end. */
const KINDS = 256;
