// Records which call wrote a key at which revision, so that an event of a watch has one cause.

import { RecentMap } from '../../../core/collections/bounded.js';

interface StoreWrite {
  readonly seq: number;
  /** undefined: not answered yet; null: nothing was written. */
  revision: string | null | undefined;
}

export class StoreWrites {
  readonly #byKey = new RecentMap<string, StoreWrite[]>(MAX_KEYS);

  sent(key: string, seq: number): void {
    let writes = this.#byKey.get(key);
    if (writes === undefined) {
      writes = [];
      this.#byKey.set(key, writes);
    }
    writes.push({ seq, revision: undefined });
    if (writes.length > MAX_WRITES) writes.shift();
  }

  answered(key: string, seq: number, revision: string | null): void {
    const write = this.#byKey.get(key)?.find((candidate) => candidate.seq === seq);
    if (write !== undefined) write.revision = revision;
  }

  /** @returns seq of the request; `pending`: a write that is not answered yet may be it. */
  of(key: string, revision: string): number | 'pending' | undefined {
    const writes = this.#byKey.get(key);
    if (writes === undefined) return undefined;
    const write = writes.find((candidate) => candidate.revision === revision);
    if (write !== undefined) return write.seq;
    return writes.some((candidate) => candidate.revision === undefined) ? 'pending' : undefined;
  }
}

/** Limit: keys of etcd whose last writes are known: those of a busy API server in a minute. */
const MAX_KEYS = 20_000;
/** Limit: writes of one key whose events may still come. */
const MAX_WRITES = 16;
