// Payload that was captured and not read, because it fits nowhere in its connection: counted, and told at the end. Knows
// names of connections and why; no sequence numbers.

import { IN_RESET, type Notice, notice } from '../core/notice.js';
import type { Origin } from '../core/origin.js';

export type Why = keyof typeof WORDS;

interface UnclaimedConnection {
  readonly first: Origin;
  readonly why: Set<Why>;
  segments: number;
  bytes: number;
}

export class UnclaimedPayload {
  readonly #rows = new Map<string, UnclaimedConnection>();
  #rest: UnclaimedConnection | null = null;

  /** `bytes` of one segment of a connection; none at all are not counted. */
  add(connection: string, origin: Origin, bytes: number, why: Why): void {
    if (bytes <= 0) return;
    const row = this.#rowOf(connection, origin);
    row.segments += 1;
    row.bytes += bytes;
    row.why.add(why);
  }

  /** What was counted of one segment is read after all. */
  takeBack(connection: string, bytes: number): void {
    const row = this.#rows.get(connection) ?? this.#rest;
    if (row === null) return;
    row.segments -= 1;
    row.bytes -= bytes;
  }

  /** tcp.out-of-window for each connection, and one for all beyond `MAX_STRAYS`. */
  notices(): Notice[] {
    const out: Notice[] = [];
    for (const [connection, row] of this.#rows) if (row.bytes > 0) out.push(told(row, row.first, connection));
    if (this.#rest !== null && this.#rest.bytes > 0) out.push(told(this.#rest, this.#rest.first));
    this.#rows.clear();
    this.#rest = null;
    return out;
  }

  #rowOf(connection: string, first: Origin): UnclaimedConnection {
    const known = this.#rows.get(connection);
    if (known !== undefined) return known;
    const row: UnclaimedConnection = { first, why: new Set(), segments: 0, bytes: 0 };
    if (this.#rows.size < MAX_STRAYS) this.#rows.set(connection, row);
    else this.#rest ??= row;
    return this.#rest ?? row;
  }
}

function told({ bytes, segments, why }: UnclaimedConnection, origin: Origin, connection?: string): Notice {
  const reasons = [...why].map((one) => WORDS[one]).join('; ');
  const detail = `${bytes} bytes in ${segments} ${segments === 1 ? 'segment' : 'segments'}: ${reasons}`;
  return notice('tcp.out-of-window', detail, connection === undefined ? { origin } : { origin, connection });
}

const WORDS = {
  ended: 'after the end',
  reset: IN_RESET,
  lost: 'after they were given up as lost',
  before: 'before the beginning',
  far: 'far from where the connection stood',
};

/** Connections that are told one by one; the others as one, so that notices stay readable. */
const MAX_STRAYS = 64;
