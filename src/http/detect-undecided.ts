// What waits of a connection until its protocol is known: its events in their order, the first bytes of both sides. Knows
// how much may wait and when a new look is worth its time; not what the bytes mean.

import { ByteQueue } from '../core/bytes/byte-queue.js';
import { copyOf } from '../core/bytes/bytes.js';
import type { Side, StreamEvent } from '../tcp/stream-event.js';
import type { FirstBytes } from './protocol.js';

/** Bytes of both sides that wait until something is recognised: a request line, a status line or the frames of one window fit. */
export const MAX_UNDECIDED_BYTES = 64 * 1024;
/** Events that wait with them: segments of one byte, gaps. */
export const MAX_UNDECIDED_EVENTS = 4096;

/** Stream events of one connection in; out, once somebody knows who reads them, the same with copied bytes. */
export class DetectionBuffer {
  #events: StreamEvent[] = [];
  /** First bytes of both sides; null while there are none. */
  #queues: Readonly<Record<Side, ByteQueue>> | null = null;
  /** Bytes that wait when it is worth asking again; growing by a quarter keeps the asking linear. */
  #askAt = 0;
  /** Bytes given up while searching, null: unknown how many. */
  readonly #dropped: Record<Side, number | null> = { client: 0, server: 0 };

  get hasBytes(): boolean {
    return this.#queues !== null;
  }

  /** What waits of both sides, borrowed until the next event; only where there is any. */
  get firstBytes(): FirstBytes {
    const { client, server } = this.#queues!;
    return { client: client.peek(), server: server.peek() };
  }

  /** More waits than may: it is to be taken or dropped. */
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
   * Holds a copy, but the first bytes of all are to be looked at before they come here.
   *
   * @returns `firstBytes` have grown enough since the last look.
   */
  holdData(event: Extract<StreamEvent, { kind: 'data' }>): boolean {
    const areFirst = this.#queues === null;
    this.#queues ??= { client: new ByteQueue(), server: new ByteQueue() };
    this.#queues[event.from].push(event.bytes);
    this.hold({ ...event, bytes: copyOf(event.bytes) });
    const waiting = this.#waiting;
    if (areFirst || waiting < this.#askAt) return false;
    this.#askAt = waiting + (waiting >> 2);
    return true;
  }

  /** Gives away all that waits, in its order. */
  take(): StreamEvent[] {
    const events = this.#events;
    this.#events = [];
    this.#queues = null;
    this.#askAt = 0;
    return events;
  }

  /** A late start may take any number of bytes until a message begins: only the window is kept. */
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
