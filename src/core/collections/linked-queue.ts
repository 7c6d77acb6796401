// A doubly linked queue with links in its members: they are added at the end and removed from anywhere in constant time.

/** The links of a member, which is in one queue at a time. */
export interface Linked<T extends Linked<T>> {
  queue: LinkedQueue<T> | null;
  previous: T | null;
  next: T | null;
}

export class LinkedQueue<T extends Linked<T>> {
  #first: T | null = null;
  #last: T | null = null;
  #size = 0;

  get first(): T | null {
    return this.#first;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds `member` at the end, after removing it from the queue that it was in. */
  add(member: T): void {
    member.queue?.delete(member);
    member.queue = this;
    member.previous = this.#last;
    if (this.#last === null) this.#first = member;
    else this.#last.next = member;
    this.#last = member;
    this.#size += 1;
  }

  /** Removes `member`; does nothing if it is in another queue. */
  delete(member: T): void {
    if (member.queue !== this) return;
    const { previous, next } = member;
    if (previous === null) this.#first = next;
    else previous.next = next;
    if (next === null) this.#last = previous;
    else next.previous = previous;
    member.queue = null;
    member.previous = null;
    member.next = null;
    this.#size -= 1;
  }

  *[Symbol.iterator](): Generator<T> {
    for (let member = this.#first; member !== null; member = member.next) yield member;
  }
}
