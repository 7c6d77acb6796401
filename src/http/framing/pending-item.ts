// One message of a stream while it is read: its bytes so far, up to the limit. Knows how many are kept; not where it ends.

import { ByteQueue } from '../../core/bytes/byte-queue.js';
import type { Origin } from '../../core/origin.js';
import { keep } from '../copy.js';
import { MAX_ITEM_BYTES, type MessageSink } from './message-framer.js';

export class PendingItem {
  readonly #bytes = new ByteQueue();
  #isTooLong = false;

  /** Bytes that are kept. */
  get length(): number {
    return this.#bytes.length;
  }

  /** More came than is kept. */
  get isTooLong(): boolean {
    return this.#isTooLong;
  }

  /** @param bytes borrowed. @param sink told once of a message that is too long. */
  push(bytes: Uint8Array, origin: Origin, sink: Pick<MessageSink, 'onTooLong'>): void {
    const room = MAX_ITEM_BYTES - this.#bytes.length;
    if (bytes.length > room && !this.#isTooLong) {
      this.#isTooLong = true;
      sink.onTooLong(origin);
    }
    this.#bytes.push(bytes.length > room ? bytes.subarray(0, room) : bytes);
  }

  /** @returns a copy; the next message begins. */
  take(): Uint8Array {
    const bytes = keep(this.#bytes.peek());
    this.clear();
    return bytes;
  }

  clear(): void {
    this.#bytes.clear();
    this.#isTooLong = false;
  }
}
