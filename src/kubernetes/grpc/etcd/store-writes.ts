// Which call wrote a key at which revision: a revision is one write's, so a watch's event has one cause. Bounded; keys
// written longest ago are forgotten first.

interface StoreWrite {
  readonly seq: number;
  /** undefined: not answered yet; null: nothing was written. */
  revision: string | null | undefined;
}

export class StoreWrites {
  readonly #byKey = new Map<string, StoreWrite[]>();

  sent(key: string, seq: number): void {
    let writes = this.#byKey.get(key);
    if (writes === undefined) {
      if (this.#byKey.size >= MAX_KEYS) this.#byKey.delete(this.#byKey.keys().next().value as string);
      writes = [];
      this.#byKey.set(key, writes);
    }
    writes.push({ seq, revision: undefined });
    if (writes.length > MAX_WRITES) writes.shift();
  }

  answered(key: string, seq: number, revision: string | null): void {
    const write = this.#byKey.get(key)?.find((one) => one.seq === seq);
    if (write !== undefined) write.revision = revision;
  }

  /** @returns seq of the request; `waits`: an answer that is still out may tell. */
  of(key: string, revision: string): number | 'waits' | undefined {
    const writes = this.#byKey.get(key);
    if (writes === undefined) return undefined;
    const made = writes.find((write) => write.revision === revision);
    if (made !== undefined) return made.seq;
    return writes.some((write) => write.revision === undefined) ? 'waits' : undefined;
  }
}

/** Keys of a busy API server in a minute. */
const MAX_KEYS = 20_000;
/** Writes of one key whose events may still come. */
const MAX_WRITES = 16;
