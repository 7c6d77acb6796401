// Buffers the events of a connection until its protocol is detected.

import { ByteQueue } from '../core/bytes/byte-queue.js';
import { copyOf } from '../core/bytes/bytes.js';
import type { FirstBytes } from '../core/first-bytes.js';
import type { Side, StreamEvent } from '../tcp/stream-event.js';

/** Limit in bytes: what waits of both sides until a protocol is recognised: a request line, a status line or the frames of one window. */
export const MAX_UNDECIDED_BYTES = 64 * 1024;
/** Limit: events that wait with these bytes: segments of one byte, gaps. */
export const MAX_UNDECIDED_EVENTS = 4096;

export class DetectionBuffer {
  #events: StreamEvent[] = [];
  /** First bytes of both sides; null while there are none. */
  #queues: Readonly<Record<Side, ByteQueue>> | null = null;
  /** Number of bytes at which detection is tried again; growth by a quarter keeps the total cost linear. */
  #retryAt = 0;
  /** Bytes of each side that were dropped; null if their number is unknown. */
  readonly #dropped: Record<Side, number | null> = { client: 0, server: 0 };

  get hasBytes(): boolean {
    return this.#queues !== null;
  }

  /** Borrowed until the next event; only valid if there are bytes. */
  get firstBytes(): FirstBytes {
    const { client, server } = this.#queues!;
    return { client: client.peek(), server: server.peek() };
  }

  /** Whether a limit was exceeded, so that the owner must call `take` or `drop`. */
  get full(): boolean {
    return this.#waiting > MAX_UNDECIDED_BYTES || this.#events.length > MAX_UNDECIDED_EVENTS;
  }

  get dropped(): Readonly<Record<Side, number | null>> {
    return this.#dropped;
  }

  hold(event: StreamEvent): void {
    this.#events.push(event);
  }

  /**
   * Buffers a copy. Detection was already tried on the very first bytes.
   * @returns whether `firstBytes` have grown enough to try again.
   */
  holdData(event: Extract<StreamEvent, { kind: 'data' }>): boolean {
    const areFirst = this.#queues === null;
    this.#queues ??= { client: new ByteQueue(), server: new ByteQueue() };
    this.#queues[event.from].push(event.bytes);
    this.hold({ ...event, bytes: copyOf(event.bytes) });
    const waiting = this.#waiting;
    if (areFirst || waiting < this.#retryAt) return false;
    this.#retryAt = waiting + (waiting >> 2);
    return true;
  }

  /** Removes and returns all events. */
  take(): StreamEvent[] {
    const events = this.#events;
    this.#events = [];
    this.#queues = null;
    this.#retryAt = 0;
    return events;
  }

  /** Drops all events and counts their bytes: in mid-stream any number of bytes may precede the next message. */
  drop(): void {
    for (const event of this.take()) {
      if (event.kind !== 'data' && event.kind !== 'gap') continue;
      const length = event.kind === 'data' ? event.bytes.length : event.length;
      const sum = this.#dropped[event.from];
      this.#dropped[event.from] = sum === null || length === null ? null : sum + length;
    }
  }

  get #waiting(): number {
    return this.#queues === null ? 0 : this.#queues.client.length + this.#queues.server.length;
  }
}
