// Counts packets that could not be read, by reason, and gives one notice for each reason at the end.

import { type Notice, type NoticeCode, notice } from '../core/notice.js';
import type { Origin } from '../core/origin.js';
import { counted } from '../core/quantity.js';

export class PacketTally {
  readonly #rows = new Map<string, { code: NoticeCode; readonly first: Origin; count: number }>();

  /** @param reason may hold a number from the packet, such as its EtherType; those beyond `REASONS` are counted together. */
  add(code: NoticeCode, reason: string, origin: Origin): void {
    const row = this.#rows.get(reason);
    if (row !== undefined) row.count += 1;
    else if (this.#rows.size < REASONS) this.#rows.set(reason, { code, first: origin, count: 1 });
    else if (reason !== FURTHER) this.add(code, FURTHER, origin);
    else this.#rows.set(FURTHER, { code, first: origin, count: 1 });
  }

  /** What was counted as `from` is told as `to`. */
  recode(from: NoticeCode, to: NoticeCode): void {
    for (const row of this.#rows.values()) if (row.code === from) row.code = to;
  }

  /** One notice for each reason, in order of appearance, each with the origin of its first packet. */
  notices(): Notice[] {
    return Array.from(this.#rows, ([reason, { code, first, count }]) =>
      notice(code, `${reason}: ${counted(count, 'packet')}, first in frame ${first.frame}`, {
        origin: first,
      }),
    );
  }
}

/** Limit: reasons that are counted: the code has some twenty, but a number from the capture makes a reason of its own. */
const REASONS = 256;
const FURTHER = 'further kinds';
