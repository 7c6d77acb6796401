// Records which request wrote an etcd key at which revision, to find the write behind a watch event.

import { RecentMap } from '../../../core/collections/bounded.js';

interface StoreWrite {
  /** Number of the request's message. */
  readonly seq: number;
  /** undefined: no response yet; null: nothing was written. */
  revision: string | null | undefined;
}

export class StoreWrites {
  readonly #byKey = new RecentMap<string, StoreWrite[]>(MAX_KEYS);

  observeRequest(key: string, seq: number): void {
    let writes = this.#byKey.get(key);
    if (writes === undefined) {
      writes = [];
      this.#byKey.set(key, writes);
    }
    writes.push({ seq, revision: undefined });
    if (writes.length > MAX_WRITES) writes.shift();
  }

  observeResponse(key: string, seq: number, revision: string | null): void {
    const write = this.#byKey.get(key)?.find((candidate) => candidate.seq === seq);
    if (write !== undefined) write.revision = revision;
  }

  /** @returns `seq` of the request; `pending`: it may be a request without a response yet; undefined: it was not captured. */
  writerOf(key: string, revision: string): number | 'pending' | undefined {
    const writes = this.#byKey.get(key);
    if (writes === undefined) return undefined;
    const write = writes.find((candidate) => candidate.revision === revision);
    if (write !== undefined) return write.seq;
    return writes.some((candidate) => candidate.revision === undefined) ? 'pending' : undefined;
  }
}

/** Limit: etcd keys whose last writes are known: those that a busy API server writes in a minute; events follow their write at once. */
const MAX_KEYS = 20_000;
/** Limit: last writes of one key that are known: their events may still come. */
const MAX_WRITES = 16;
