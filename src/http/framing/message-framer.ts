// What cuts a streamed body into its messages while it comes. Knows bytes and where they were captured; not heads.

import { ByteQueue } from '../../core/bytes/byte-queue.js';
import { copyRange } from '../../core/bytes/bytes.js';
import type { Origin } from '../../core/origin.js';

/** Longest message of a stream, in bytes; etcd and the API server refuse objects beyond 1.5–3 MiB, gRPC receives 4 MiB unless told otherwise. */
export const MAX_ITEM_BYTES = 16 * 1024 * 1024;

/** Takes what a splitter finds. */
export interface MessageSink {
  /**
   * One message.
   * @param bytes a copy, the sink's to keep.
   * @param compressed gRPC: the message is compressed by itself.
   * @returns false: there are too many, what else is in the piece is not wanted.
   */
  onMessage(bytes: Uint8Array, first: Origin, last: Origin, complete: boolean, compressed: boolean): boolean;
  /** Bytes that belong to no message that could be found. */
  onSkipped(length: number, origin: Origin): void;
  /** A message is longer than MAX_ITEM_BYTES. */
  onTooLong(origin: Origin): void;
  /** `came` compressed bytes became as many as they may; what follows of them is not read. */
  onDecompressionLimit(came: number, became: number, origin: Origin): void;
}

export interface MessageFramer {
  /** Takes the next bytes, borrowed; a piece begins where a chunk, a DATA frame or a segment does. */
  feed(bytes: Uint8Array, origin: Origin, sink: MessageSink): void;
  /** `length` bytes are missing here, null: nobody knows how many. The message being read is cut. */
  gap(length: number | null, origin: Origin, sink: MessageSink): void;
  /** The body is over; an unfinished message is given as it is. */
  end(origin: Origin, sink: MessageSink): void;
}

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
    const bytes = copyRange(this.#bytes.peek());
    this.clear();
    return bytes;
  }

  clear(): void {
    this.#bytes.clear();
    this.#isTooLong = false;
  }
}
