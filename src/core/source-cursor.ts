// Merges several asynchronous sources of items by time.

/** The next item of one source. */
export class SourceCursor<T> {
  item: T | null = null;
  /** ns; `NO_TIME` for an item without a time of its own, which goes first. */
  time = NO_TIME;
  #batch: readonly T[] = [];
  #at = 0;
  readonly #items: AsyncGenerator<readonly T[]>;
  readonly #timeOf: (item: T) => bigint;
  /** Index of this source among the merged ones. */
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
    const cursor = new SourceCursor(items, timeOf, source);
    await cursor.next();
    return cursor;
  }

  /** Whether `next` has to wait for the source, which can take a while if it is a live stream. */
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

  /** Steps to the next item of the batch that was already read; false at its end. */
  advance(): boolean {
    if (this.#at >= this.#batch.length) return false;
    this.item = this.#batch[this.#at++];
    this.time = this.#timeOf(this.item);
    return true;
  }
}

/** Index of the cursor with the earliest item; -1 if all sources have ended. */
export function earliestOf(cursors: readonly { readonly item: unknown; readonly time: bigint }[]): number {
  let earliest = -1;
  for (let i = 0; i < cursors.length; i++)
    if (cursors[i].item !== null && (earliest < 0 || cursors[i].time < cursors[earliest].time)) earliest = i;
  return earliest;
}

export class TooManyCaptures extends Error {
  constructor() {
    super(
      `more than ${MAX_OVERLAPPING} captures overlap in time; merge some of them beforehand: mergecap -w FILE CAPTURE...`,
    );
  }
}

/**
 * Limit: captures that overlap in time, or files of saved messages, that are read side by side, each with a chunk of its bytes in
 * memory; more are an error, which explains how to merge them. A Kubernetes cluster has at most 5,000 nodes.
 */
export const MAX_OVERLAPPING = 1024;
/** ns: before every capture time. */
export const NO_TIME = -1n;
