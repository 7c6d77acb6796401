// Buffers bytes until a message is complete. The buffer doubles when it is full and is compacted when its front was consumed, so
// feeding n bytes one at a time costs O(n); the owner enforces the limit.

import { EMPTY_BYTES } from './bytes.js';

//   buffer   [ consumed | waiting ......... | free ]
//                       ^start              ^end
export class ByteQueue {
  #buffer: Uint8Array = EMPTY_BYTES;
  #start = 0;
  #end = 0;

  get length(): number {
    return this.#end - this.#start;
  }

  /**
   * Appends a copy.
   * @param awaited total size of the message, if a header declares it; only the capacity depends on it.
   */
  push(bytes: Uint8Array, awaited = 0): void {
    if (bytes.length === 0) return;
    if (this.#end + bytes.length > this.#buffer.length) this.#grow(bytes.length, awaited);
    this.#buffer.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  /** The buffered bytes, borrowed: valid until the next `push`. */
  peek(): Uint8Array {
    return this.#buffer.subarray(this.#start, this.#end);
  }

  consume(count: number): void {
    this.#start += Math.min(count, this.length);
    if (this.#start === this.#end) this.clear();
  }

  clear(): void {
    this.#start = 0;
    this.#end = 0;
    // One long message must not hold its memory for the rest of the connection.
    if (this.#buffer.length > KEPT_CAPACITY) this.#buffer = EMPTY_BYTES;
  }

  #grow(more: number, awaited: number): void {
    const waiting = this.length;
    const needed = waiting + more;
    // A declared size that is a lie gets no more than twice the capacity of an unknown size.
    const capacity = awaited >= needed ? Math.min(awaited, needed * 4) : needed * 2;
    const target = needed <= this.#buffer.length / 2 ? this.#buffer : new Uint8Array(Math.max(capacity, 256));
    if (target === this.#buffer) target.copyWithin(0, this.#start, this.#end);
    else target.set(this.peek());
    this.#buffer = target;
    this.#start = 0;
    this.#end = waiting;
  }
}

/** Limit in bytes: memory that an empty queue keeps, enough for a head; there are thousands of idle connections. */
const KEPT_CAPACITY = 1024;
