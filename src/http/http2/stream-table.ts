// Which streams of a connection are open, and whether one that is not was closed or never seen to open. Knows stream ids
// and who may open them, not what is said on them.
//
// A stream that is not open was closed, or never seen to open: capture order across directions is not sending order, the
// beginning may be missing, and so may a piece in between. Where it cannot have been closed it is opened with what is
// known of it; where it was, its frames are late ones (in flight at a reset) and mean nothing.

import type { Side } from '../../tcp/stream-event.js';

// How far one side of a stream is.
export const HEAD = 1;
export const ENDED = 2;
/** Body bytes may be missing. */
export const GAP = 4;
/** And nothing came since that was said. */
export const GAP_SAID = 8;

export class Stream {
  readonly id: number;
  client = 0;
  server = 0;
  /** What a CONNECT asked for; null for others. */
  tunnel: string | null = null;

  constructor(id: number) {
    this.id = id;
  }
}

export class StreamTable {
  readonly #open = new Map<number, Stream>();
  /** Recently closed ids, each at its own place: a small memory that forgets by itself. */
  readonly #closed = new Uint32Array(CLOSED_MEMORY);
  /** Highest stream that the client was seen to use. */
  #highest = 0;
  /** From here up to `#highest` every stream was seen to open: one that is not open was closed. */
  #seenFrom: number;
  /** Highest stream whose request head was seen; 0: none. */
  highestOpened = 0;

  /** @param fromStart every stream of the connection will be seen to open. */
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

  /** The stream that a frame belongs to, opened if it may be; undefined: it was closed, the frame is a late one. */
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
    // The request comes after its stream was answered and reset.
    if (wasClosed) created.server = HEAD | ENDED;
    return created;
  }

  /** A stream that the server opens by a promise; undefined if it was open or closed already. */
  promise(id: number): Stream | undefined {
    return this.#open.has(id) || this.wasClosed(id) ? undefined : this.#create(id);
  }

  /** The stream that is reset, if it is open; frames that follow on it are late ones either way. */
  reset(side: Side, id: number): Stream | undefined {
    const stream = this.#open.get(id);
    if (stream !== undefined) return stream;
    if (side === 'client' && id > this.#highest) this.#highest = id;
    if (id <= this.#highest) this.#closed[id % CLOSED_MEMORY] = id;
    return undefined;
  }

  /** Frames of the client were lost, and streams may have opened in them. */
  openingsLost(): void {
    this.#seenFrom = Number.POSITIVE_INFINITY;
  }

  forget(stream: Stream): void {
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

// Frames in flight when a stream was reset come within a round trip; the last 257 odd ids or so are remembered.
const CLOSED_MEMORY = 257;
