// Buffers the records of a connection that wait for their keys, and the events after them.

import type { Origin } from '../core/origin.js';
import type { StreamEvent } from '../tcp/stream-event.js';
import type { TlsDirection } from './tls-direction.js';

export interface WaitingRecord {
  readonly kind: 'record';
  readonly half: TlsDirection;
  readonly record: Uint8Array;
  readonly lost: number;
  readonly origin: Origin;
}

/** A record of a direction, or an event that must not overtake it (`half` null: of the whole connection). */
export type BufferedRecord =
  | WaitingRecord
  | { readonly kind: 'event'; readonly half: TlsDirection | null; readonly event: StreamEvent };

/** Buffered bytes of all connections. */
export interface UndecryptedTally {
  bytes: number;
}

export class UndecryptedRecords {
  entries: BufferedRecord[] = [];
  bytes = 0;
  readonly #tally: UndecryptedTally;

  constructor(tally: UndecryptedTally) {
    this.#tally = tally;
  }

  get length(): number {
    return this.entries.length;
  }

  /** False beyond a limit, when the owner must give the connection up. */
  get withinLimits(): boolean {
    return this.bytes <= UNDECRYPTED_LIMIT && this.#tally.bytes <= UNDECRYPTED_TOTAL;
  }

  add(entry: BufferedRecord): void {
    this.entries.push(entry);
    this.#count(sizeOf(entry));
  }

  /** Removes and returns all entries. */
  drain(): BufferedRecord[] {
    const all = this.entries;
    this.entries = [];
    this.#count(-this.bytes);
    return all;
  }

  /** The records of one direction and content type, in order. */
  records(half: TlsDirection, type: number): WaitingRecord[] {
    const found: WaitingRecord[] = [];
    for (const entry of this.entries) {
      if (entry.kind === 'record' && entry.half === half && entry.record[0] === type) found.push(entry);
    }
    return found;
  }

  #count(bytes: number): void {
    this.bytes += bytes;
    this.#tally.bytes += bytes;
  }
}

function sizeOf(entry: BufferedRecord): number {
  return entry.kind === 'record' ? entry.record.length + ENTRY_COST : ENTRY_COST;
}

/** Bytes of an entry beside those of its record, measured. Records of clients are short. */
const ENTRY_COST = 512;

/** Limit in bytes: what waits of a connection for its keys: some 100 KiB arrive before the key log of a handshake is read. */
export const UNDECRYPTED_LIMIT = 1024 * 1024;

/** Limit in bytes: the same for all connections: the hundreds of a cluster, all waiting at once. */
export const UNDECRYPTED_TOTAL = 32 * 1024 * 1024;
