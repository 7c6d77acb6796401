// Bytes that wait for more bytes. Grows by doubling and is compacted when its front was consumed, so that feeding n
// bytes one at a time costs O(n). Knows no protocol; its owner watches the limit.

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
   * @param awaited bytes that are going to wait here in all, if that is known; nothing depends on whether it is true.
   */
  push(bytes: Uint8Array, awaited = 0): void {
    if (bytes.length === 0) return;
    if (this.#end + bytes.length > this.#buffer.length) this.#makeRoom(bytes.length, awaited);
    this.#buffer.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  /** What waits, borrowed: valid until the next `push`. */
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
    // One long message must not hold its memory for the rest of a connection's life.
    if (this.#buffer.length > KEPT_CAPACITY) this.#buffer = EMPTY_BYTES;
  }

  #makeRoom(more: number, awaited: number): void {
    const waiting = this.length;
    const needed = waiting + more;
    // Who only says that much is to come gets no more than twice the room of those who do not say.
    const room = awaited >= needed ? Math.min(awaited, needed * 4) : needed * 2;
    const target = needed <= this.#buffer.length / 2 ? this.#buffer : new Uint8Array(Math.max(room, 256));
    if (target === this.#buffer) target.copyWithin(0, this.#start, this.#end);
    else target.set(this.peek());
    this.#buffer = target;
    this.#start = 0;
    this.#end = waiting;
  }
}

/** Bytes: a connection that waits keeps room for a head; thousands of them wait. */
const KEPT_CAPACITY = 1024;
