// Several sources as one, in the order of time: what each would give next, and which of them goes on. Knows how to pull
// batches; what an item is, and which time it has, who asks says.

/** What one source of several would give next. */
export class SourceCursor<T> {
  item: T | null = null;
  /** ns; what has no time of its own goes first. */
  time = NO_TIME;
  #batch: readonly T[] = [];
  #at = 0;
  readonly #items: AsyncGenerator<readonly T[]>;
  readonly #timeOf: (item: T) => bigint;
  /** Which one of the sources it is. */
  readonly source: number;

  private constructor(items: AsyncGenerator<readonly T[]>, timeOf: (item: T) => bigint, source: number) {
    this.#items = items;
    this.#timeOf = timeOf;
    this.source = source;
  }

  static async open<T>(
    items: AsyncGenerator<readonly T[]>,
    timeOf: (item: T) => bigint,
    source: number,
  ): Promise<SourceCursor<T>> {
    const head = new SourceCursor(items, timeOf, source);
    await head.next();
    return head;
  }

  /** Asking for the next may take a while, as with a live stream. */
  get atEndOfBatch(): boolean {
    return this.#at >= this.#batch.length;
  }

  async next(): Promise<void> {
    while (!this.advance()) {
      const { value, done } = await this.#items.next();
      this.#batch = done === true ? [] : value;
      this.#at = 0;
      if (done === true) {
        this.item = null;
        return;
      }
    }
  }

  /** Goes on within what was read already; false where that is over. */
  advance(): boolean {
    if (this.#at >= this.#batch.length) return false;
    this.item = this.#batch[this.#at++];
    this.time = this.#timeOf(this.item);
    return true;
  }
}

/** Index of the source that goes on; -1 where all are over. */
export function earliestOf(heads: readonly { readonly item: unknown; readonly time: bigint }[]): number {
  let earliest = -1;
  for (let i = 0; i < heads.length; i++)
    if (heads[i].item !== null && (earliest < 0 || heads[i].time < heads[earliest].time)) earliest = i;
  return earliest;
}

/** Captures of one time are read side by side, and this many of them at most. */
export class TooManyCaptures extends Error {
  constructor() {
    super(
      `more than ${MAX_OVERLAPPING} captures overlap in time; merge some of them beforehand: mergecap -w FILE CAPTURE...`,
    );
  }
}

/** Captures of one time, each with a chunk of its bytes in memory. A cluster of Kubernetes has 5,000 nodes at most. */
export const MAX_OVERLAPPING = 1024;
/** Before every time: of what has none of its own. */
export const NO_TIME = -1n;
