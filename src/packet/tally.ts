// Counts events of single packets and reports each kind once, at the end.

import { type Notice, type NoticeCode, notice } from '../core/notice.js';
import type { Origin } from '../core/origin.js';

export class SegmentTally {
  readonly #rows = new Map<string, { readonly code: NoticeCode; readonly first: Origin; count: number }>();

  /** @param what key of the count: a fixed text, or one with a number. */
  add(code: NoticeCode, what: string, origin: Origin): void {
    const row = this.#rows.get(what);
    if (row !== undefined) row.count += 1;
    else if (this.#rows.size < KINDS) this.#rows.set(what, { code, first: origin, count: 1 });
  }

  /** One notice a kind, in order of appearance, each with the origin of the first packet. */
  notices(): Notice[] {
    return Array.from(this.#rows, ([what, { code, first, count }]) =>
      notice(code, `${what}: ${count} ${count === 1 ? 'packet' : 'packets'}, first in frame ${first.frame}`, {
        origin: first,
      }),
    );
  }
}

/** Limit: kinds of skipped packets, of which there are some twenty: numbers from the capture must not add kinds without limit. */
const KINDS = 256;
