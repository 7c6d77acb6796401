// Reads several asynchronous sources item by item, so that a caller can merge them by time.

/** A position in one source. */
export class SourceCursor<T> {
  /** The current item; null at the end of the source. */
  item: T | null = null;
  /** ns: time of the current item; `NO_TIME` for one without a time of its own, which precedes all others. */
  time = NO_TIME;
  #batch: readonly T[] = [];
  #at = 0;
  readonly #items: AsyncGenerator<readonly T[]>;
  readonly #timeOf: (item: T) => bigint;
  /** Index of the source among the merged ones. */
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

  /** Whether the batch in memory is used up: `next` waits for the source, for long if it is a live stream. */
  get atEndOfBatch(): boolean {
    return this.#at >= this.#batch.length;
  }

  /** Steps to the next item. */
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

  /** Steps to the next item if the batch in memory has one. */
  advance(): boolean {
    if (this.#at >= this.#batch.length) return false;
    this.item = this.#batch[this.#at++];
    this.time = this.#timeOf(this.item);
    return true;
  }
}

/** Index of the cursor with the earliest item, of equal times the first one; -1 if all sources have ended. */
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
 * Limit: captures that overlap in time, or files of saved messages, that are read side by side, each with a chunk of 32 KiB of its bytes
 * in memory: 32 MiB. More, such as one for each node of a cluster of 5,000, are an error, which explains how to merge them.
 */
export const MAX_OVERLAPPING = 1024;
/** ns: before every capture time. */
export const NO_TIME = -1n;
