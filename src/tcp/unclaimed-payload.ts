// Counts captured payload that fits nowhere in its connection and is not read.

import { IN_RESET, type Notice, notice } from '../core/notice.js';
import type { Origin } from '../core/origin.js';
import { counted } from '../core/quantity.js';

export type UnclaimedReason = keyof typeof REASONS;

interface UnclaimedConnection {
  readonly first: Origin;
  readonly reasons: Set<UnclaimedReason>;
  segments: number;
  bytes: number;
}

export class UnclaimedPayload {
  readonly #rows = new Map<string, UnclaimedConnection>();
  #rest: UnclaimedConnection | null = null;

  /** @param bytes of one segment; a segment with 0 does not count. */
  add(connection: string, origin: Origin, bytes: number, reason: UnclaimedReason): void {
    if (bytes <= 0) return;
    const row = this.#rowOf(connection, origin);
    row.segments += 1;
    row.bytes += bytes;
    row.reasons.add(reason);
  }

  /** Removes the count of one segment, which is read after all. */
  retract(connection: string, bytes: number): void {
    const row = this.#rows.get(connection) ?? this.#rest;
    if (row === null) return;
    row.segments -= 1;
    row.bytes -= bytes;
  }

  /** tcp.out-of-window for each connection, and one for all beyond `MAX_STRAYS`. */
  notices(): Notice[] {
    const out: Notice[] = [];
    for (const [connection, row] of this.#rows) if (row.bytes > 0) out.push(noticeOf(row, connection));
    if (this.#rest !== null && this.#rest.bytes > 0) out.push(noticeOf(this.#rest));
    this.#rows.clear();
    this.#rest = null;
    return out;
  }

  #rowOf(connection: string, first: Origin): UnclaimedConnection {
    const known = this.#rows.get(connection);
    if (known !== undefined) return known;
    const row: UnclaimedConnection = { first, reasons: new Set(), segments: 0, bytes: 0 };
    if (this.#rows.size < MAX_STRAYS) this.#rows.set(connection, row);
    else this.#rest ??= row;
    return this.#rest ?? row;
  }
}

function noticeOf({ first: origin, bytes, segments, reasons }: UnclaimedConnection, connection?: string): Notice {
  const words = [...reasons].map((reason) => REASONS[reason]).join('; ');
  const detail = `${bytes} bytes in ${counted(segments, 'segment')}: ${words}`;
  return notice('tcp.out-of-window', detail, connection === undefined ? { origin } : { origin, connection });
}

const REASONS = {
  ended: 'after the end',
  reset: IN_RESET,
  lost: 'after they were given up as lost',
  before: 'before the beginning',
  far: 'far from where the connection stood',
};

/** Limit: connections with unread bytes that get a notice each; the others share one, so that the notices stay readable. */
const MAX_STRAYS = 64;
