// What a connection cannot read yet: records that wait for their keys, and the events behind them. Knows limits, no TLS.

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

/** Bytes waiting on all connections together. */
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

  /** False once a limit is passed: the owner gives the connection up. */
  get withinLimits(): boolean {
    return this.bytes <= UNDECRYPTED_LIMIT && this.#tally.bytes <= UNDECRYPTED_TOTAL;
  }

  add(entry: BufferedRecord): void {
    this.entries.push(entry);
    this.#count(sizeOf(entry));
  }

  /** Takes everything out; what must go on waiting is added again. */
  drain(): BufferedRecord[] {
    const all = this.entries;
    this.entries = [];
    this.#count(-this.bytes);
    return all;
  }

  /** The records of one content type that wait in one direction, in order. */
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

/** What an entry takes beside its bytes, measured: a copy of its own, its origin, its place. Records of clients are short. */
const ENTRY_COST = 512;

/** Keys are written during the handshake: what comes before a key log was read is some 100 KiB. */
export const UNDECRYPTED_LIMIT = 1024 * 1024;

/** A cluster's hundreds of connections, all waiting at once. */
export const UNDECRYPTED_TOTAL = 32 * 1024 * 1024;
