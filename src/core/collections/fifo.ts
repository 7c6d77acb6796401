// First in, first out, for lines that may grow long: whoever leaves an array at its front moves all that stay, 20,000 of
// them in a busy second (measured: 11 of 27 s). Knows places, not what stands there.

//   items   [ gone … | waiting ………… ]
//                    ^head
export class Fifo<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  /** The one at `place`, 0 being the next to leave; `place` must be below `length`. */
  at(place: number): T {
    return this.#items[this.#head + place] as T;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** Puts one in the middle; costs what stands behind it. */
  insert(place: number, item: T): void {
    this.#items.splice(this.#head + place, 0, item);
  }

  /** The first `count` leave. */
  take(count: number): T[] {
    const head = this.#head;
    const end = head + count;
    const taken = this.#items.slice(head, end) as T[];
    if (!this.#leave(end)) this.#items.fill(undefined, head, end);
    return taken;
  }

  /** As `take` of one; there must be one. */
  shift(): T {
    const head = this.#head;
    const item = this.#items[head] as T;
    if (!this.#leave(head + 1)) this.#items[head] = undefined;
    return item;
  }

  /** The first to stay is at `end` of the items. @returns whether the others are gone by that. */
  #leave(end: number): boolean {
    const { length } = this.#items;
    const isGone = end === length || (end > COMPACT && end * 2 > length);
    if (isGone) this.#items = end === length ? [] : this.#items.slice(end);
    this.#head = isGone ? 0 : end;
    return isGone;
  }
}

/** Places at the front that may be empty whatever the length. */
const COMPACT = 64;
