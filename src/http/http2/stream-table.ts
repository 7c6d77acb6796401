// Tracks the open streams of a connection.
//
// A stream that is not open was either closed or not seen to open, because directions are captured out of order, and the beginning or a
// piece in between may be missing. If it cannot have been closed it is opened; otherwise its frames are late ones (in flight at a reset)
// and are ignored.

import type { Side } from '../../tcp/stream-event.js';

// State of one side of a stream.
export const HEAD = 1;
export const ENDED = 2;
/** Body bytes may be missing. */
export const GAP = 4;
/** A gap was emitted, and no bytes since. */
export const GAP_EMITTED = 8;

export class Stream {
  readonly id: number;
  client = 0;
  server = 0;
  /** Protocol of a CONNECT. */
  tunnel: string | null = null;

  constructor(id: number) {
    this.id = id;
  }
}

export class StreamTable {
  readonly #open = new Map<number, Stream>();
  /** Recently closed ids, each at its index modulo CLOSED_MEMORY. */
  readonly #closed = new Uint32Array(CLOSED_MEMORY);
  /** Highest stream in a frame of the client. */
  #highest = 0;
  /** From here up to `#highest` the opening of every stream was captured, so one that is not open was closed. */
  #seenFrom: number;
  /** Highest stream with a captured request head; 0 without one. */
  highestOpened = 0;

  /** @param fromStart the opening of every stream will be captured. */
  constructor(fromStart: boolean) {
    this.#seenFrom = fromStart ? 0 : Number.POSITIVE_INFINITY;
  }

  get size(): number {
    return this.#open.size;
  }

  open(): Iterable<Stream> {
    return this.#open.values();
  }

  oldest(): Stream {
    return this.#open.values().next().value!;
  }

  /** The stream of a frame, opened if that is possible; undefined if it was closed, so that the frame is a late one. */
  find(side: Side, id: number, headers: boolean): Stream | undefined {
    const stream = this.#open.get(id);
    let opens = false;
    if (side === 'client' && id > this.#highest) {
      this.#highest = id;
      opens = headers;
      if (headers) {
        this.highestOpened = id;
        if (id < this.#seenFrom) this.#seenFrom = id;
      }
    }
    if (stream !== undefined) return stream;
    const wasClosed = this.wasClosed(id);
    if (!opens && (wasClosed || (id >= this.#seenFrom && id <= this.#highest))) return undefined;
    const created = this.#create(id);
    // The request is captured after the response and reset of its stream.
    if (wasClosed) created.server = HEAD | ENDED;
    return created;
  }

  /** Opens a stream that the server promises; undefined if it is or was open. */
  promise(id: number): Stream | undefined {
    return this.#open.has(id) || this.wasClosed(id) ? undefined : this.#create(id);
  }

  /** The stream to reset, if it is open; following frames of it are late ones in any case. */
  reset(side: Side, id: number): Stream | undefined {
    const stream = this.#open.get(id);
    if (stream !== undefined) return stream;
    if (side === 'client' && id > this.#highest) this.#highest = id;
    if (id <= this.#highest) this.#closed[id % CLOSED_MEMORY] = id;
    return undefined;
  }

  /** Frames of the client were lost, which may have opened streams. */
  openingsLost(): void {
    this.#seenFrom = Number.POSITIVE_INFINITY;
  }

  remove(stream: Stream): void {
    this.#open.delete(stream.id);
    this.#closed[stream.id % CLOSED_MEMORY] = stream.id;
  }

  clear(): void {
    this.#open.clear();
  }

  wasClosed(id: number): boolean {
    return this.#closed[id % CLOSED_MEMORY] === id;
  }

  #create(id: number): Stream {
    const stream = new Stream(id);
    this.#open.set(id, stream);
    return stream;
  }
}

/** Limit: closed streams that are remembered: frames in flight at a reset arrive within a round trip, in which some 257 can open. */
const CLOSED_MEMORY = 257;
