// Defines framers, which cut a streamed body into messages while it arrives.

import { ByteQueue } from '../../core/bytes/byte-queue.js';
import { copyRange } from '../../core/bytes/bytes.js';
import type { Origin } from '../../core/origin.js';

/** Limit in bytes: one message of a stream: etcd and the API server refuse objects beyond 1.5 to 3 MiB, gRPC receives 4 MiB by default. */
export const MAX_ITEM_BYTES = 16 * 1024 * 1024;

export interface MessageSink {
  /**
   * @param bytes a copy that the sink may keep.
   * @param compressed gRPC: the message itself is compressed.
   * @returns false if the rest of the piece is not needed, because there are too many messages.
   */
  onMessage(bytes: Uint8Array, first: Origin, last: Origin, complete: boolean, compressed: boolean): boolean;
  /** Bytes that belong to no recognised message. */
  onSkipped(length: number, origin: Origin): void;
  /** A message is longer than MAX_ITEM_BYTES. */
  onTooLong(origin: Origin): void;
  /** Compressed bytes were inflated up to the limit; the rest is not read. */
  onDecompressionLimit(compressed: number, inflated: number, origin: Origin): void;
}

export interface MessageFramer {
  /** @param bytes borrowed; a piece begins where a chunk, a DATA frame or a segment does. */
  feed(bytes: Uint8Array, origin: Origin, sink: MessageSink): void;
  /** Cuts the current message. @param length of the missing bytes; null if unknown. */
  gap(length: number | null, origin: Origin, sink: MessageSink): void;
  /** Ends the body; an unfinished message is emitted as it is. */
  end(origin: Origin, sink: MessageSink): void;
}

/** Buffers one message of a stream, up to MAX_ITEM_BYTES. */

export class PendingItem {
  readonly #bytes = new ByteQueue();
  #isTooLong = false;

  /** Buffered bytes. */
  get length(): number {
    return this.#bytes.length;
  }

  get isTooLong(): boolean {
    return this.#isTooLong;
  }

  /** @param bytes borrowed. @param sink notified once of a message that is too long. */
  push(bytes: Uint8Array, origin: Origin, sink: Pick<MessageSink, 'onTooLong'>): void {
    const room = MAX_ITEM_BYTES - this.#bytes.length;
    if (bytes.length > room && !this.#isTooLong) {
      this.#isTooLong = true;
      sink.onTooLong(origin);
    }
    this.#bytes.push(bytes.length > room ? bytes.subarray(0, room) : bytes);
  }

  /** @returns a copy, and starts the next message. */
  take(): Uint8Array {
    const bytes = copyRange(this.#bytes.peek());
    this.clear();
    return bytes;
  }

  clear(): void {
    this.#bytes.clear();
    this.#isTooLong = false;
  }
}
