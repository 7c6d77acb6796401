// A queue for thousands of items: removing the front of an array moves all others (measured with 20,000: 11 of 27 s).
//
//   items   [ removed … | queued ………… ]
//                       ^head
export class Fifo<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  /** @param index 0 is the front; must be below `length`. */
  at(index: number): T {
    return this.#items[this.#head + index] as T;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** Moves all items after `index`. */
  insert(index: number, item: T): void {
    this.#items.splice(this.#head + index, 0, item);
  }

  /** Removes the first `count` items. */
  take(count: number): T[] {
    const head = this.#head;
    const end = head + count;
    const taken = this.#items.slice(head, end) as T[];
    if (!this.#moveHead(end)) this.#items.fill(undefined, head, end);
    return taken;
  }

  /** Removes the front of a queue that is not empty. */
  shift(): T {
    const head = this.#head;
    const item = this.#items[head] as T;
    if (!this.#moveHead(head + 1)) this.#items[head] = undefined;
    return item;
  }

  /** @returns whether the array was compacted, so that nothing before `end` is left in it. */
  #moveHead(end: number): boolean {
    const { length } = this.#items;
    const isCompacted = end === length || (end > COMPACT && end * 2 > length);
    if (isCompacted) this.#items = end === length ? [] : this.#items.slice(end);
    this.#head = isCompacted ? 0 : end;
    return isCompacted;
  }
}

/** Removed items at the front below which the array is not compacted. */
const COMPACT = 64;
