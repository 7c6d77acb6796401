// The streams of one connection (RFC 9113, 5.1): frames' meanings in, HttpEvents out. Knows how far each side of a stream
// is and what cuts it; not frames, bytes or compression, nor what a header block says: that is for stream-heads.ts.

import { type Notice, notice } from '../../core/notice.js';
import type { Origin } from '../../core/origin.js';
import type { Connection, Side } from '../../tcp/stream-event.js';
import type { HeaderBlock } from '../hpack/decoder.js';
import type { HttpEvent } from '../http-event.js';
import { type HeadSink, roleOf, StreamHeads } from './stream-heads.js';
import { ENDED, GAP, GAP_SAID, HEAD, type Stream, StreamTable } from './stream-table.js';

export class Streams implements HeadSink {
  readonly #connection: Connection;
  readonly #heads: StreamHeads;
  #out: (HttpEvent | Notice)[] = [];
  readonly #table: StreamTable;
  /** Sides of which frames were lost at some time. */
  readonly #lossy = { client: false, server: false };
  /** Highest stream whose request head was seen when that was last said. */
  readonly #openedAtLoss = { client: 0, server: 0 };
  #goaways = 0;
  /** Who ended its direction first. */
  #left: Side | undefined;
  #limitSaid = false;
  #faultSaid = false;

  /** @param fromStart every stream of the connection will be seen to open. */
  constructor(connection: Connection, fromStart: boolean) {
    this.#connection = connection;
    this.#heads = new StreamHeads(connection, this);
    this.#table = new StreamTable(fromStart);
  }

  /** Highest stream whose request head was seen; 0: none. */
  get highestOpened(): number {
    return this.#table.highestOpened;
  }

  /** Something waits to be taken. */
  get waiting(): boolean {
    return this.#out.length > 0;
  }

  take(): (HttpEvent | Notice)[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }

  say(item: HttpEvent | Notice): void {
    this.#out.push(item);
  }

  /** Stream 1 of a connection that came here by `Upgrade: h2c`: its request was HTTP/1.1 (RFC 7540, 3.2). */
  upgraded(): void {
    // Found by the client's HEADERS, which it stands for.
    const stream = this.#table.find('client', 1, true)!;
    stream.client = HEAD | ENDED;
  }

  headers(side: Side, id: number, block: HeaderBlock, endStream: boolean, first: Origin, last: Origin): void {
    const stream = this.#find(side, id, true, first);
    if (stream === undefined) return;
    if (side === 'client') this.#heads.client(stream, block, first, last);
    else this.#heads.server(stream, block, endStream, first, last);
    // It may have been trailers, head and body lost.
    if (endStream && this.#lossy[side] && roleOf(block) === 'unclear') stream[side] |= GAP;
    // A request that comes after its stream was answered and reset (capture order) is over, too.
    if (endStream || (side === 'client' && this.#table.wasClosed(id))) this.ended(side, id, endStream, last);
  }

  /** A request that the server promises to answer (RFC 9113, 8.4). */
  promised(id: number, block: HeaderBlock, first: Origin, last: Origin): void {
    const stream = this.#table.promise(id);
    if (stream === undefined) return;
    if (this.#table.size > MAX_OPEN_STREAMS) this.#giveUpOldest(first);
    this.#heads.client(stream, block, first, last);
    this.ended('client', id, true, last);
  }

  body(side: Side, id: number, bytes: Uint8Array, origin: Origin): void {
    const stream = this.#find(side, id, false, origin);
    if (stream === undefined || (stream[side] & ENDED) !== 0) return;
    if ((stream[side] & HEAD) === 0) this.#heads.unseen(stream, side, origin);
    stream[side] &= ~GAP_SAID;
    this.#out.push({ kind: 'body', connection: this.#connection, stream: id, from: side, bytes, origin });
  }

  bodyGap(side: Side, id: number, length: number, origin: Origin): void {
    const stream = this.#find(side, id, false, origin);
    if (stream === undefined || (stream[side] & ENDED) !== 0) return;
    if ((stream[side] & HEAD) === 0) this.#heads.unseen(stream, side, origin);
    stream[side] |= GAP;
    this.#out.push({ kind: 'body-gap', connection: this.#connection, stream: id, from: side, length, origin });
  }

  /** END_STREAM. */
  ended(side: Side, id: number, whole: boolean, origin: Origin): void {
    const stream = this.#find(side, id, false, origin);
    if (stream === undefined || (stream[side] & ENDED) !== 0) return;
    if ((stream[side] & HEAD) === 0) this.#heads.unseen(stream, side, origin);
    this.#end(stream, side, whole && (stream[side] & GAP) === 0, origin);
    if ((stream.client & stream.server & ENDED) !== 0) this.#table.forget(stream);
  }

  /** RST_STREAM: neither side says more on it. */
  reset(side: Side, id: number, origin: Origin): void {
    const stream = this.#table.reset(side, id);
    if (stream === undefined) return;
    this.#break(stream, origin, breaker(stream, side));
    this.#table.forget(stream);
  }

  /** GOAWAY: the client's streams above `lastStream` are not going to be answered (RFC 9113, 6.8). */
  goaway(from: Side, lastStream: number, origin: Origin): void {
    if (++this.#goaways > MAX_GOAWAYS) return;
    const odd = from === 'server' ? 1 : 0;
    for (const stream of [...this.#table.open()]) {
      if (stream.id > lastStream && (stream.id & 1) === odd) {
        this.#break(stream, origin, from);
        this.#table.forget(stream);
      }
    }
  }

  /** Frames of this side are missing, nobody knows which. */
  framesLost(side: Side, origin: Origin): void {
    this.#lossy[side] = true;
    this.#openedAtLoss[side] = this.highestOpened;
    if (side === 'client') this.#table.openingsLost();
    for (const stream of this.#table.open()) {
      const state = stream[side];
      if ((state & ENDED) !== 0) continue;
      stream[side] = state | GAP;
      if ((state & HEAD) === 0 || (state & GAP_SAID) !== 0) continue;
      stream[side] |= GAP_SAID;
      this.#out.push({
        kind: 'body-gap',
        connection: this.#connection,
        stream: stream.id,
        from: side,
        length: null,
        origin,
      });
    }
  }

  /** And more are, before any could be read again: that is news only of streams that were opened meanwhile. */
  moreFramesLost(side: Side, origin: Origin): void {
    if (this.highestOpened > this.#openedAtLoss[side]) this.framesLost(side, origin);
  }

  /** One direction is over: what it had not finished is cut. */
  sideClosed(side: Side, origin: Origin): void {
    this.#left ??= side;
    for (const stream of [...this.#table.open()]) {
      if (isPending(stream, side)) this.#end(stream, side, false, origin, breaker(stream, this.#left));
      if ((stream.client & stream.server & ENDED) !== 0) this.#table.forget(stream);
    }
  }

  /** Nothing more will come. @param by who broke it off, if somebody did. */
  allClosed(origin: Origin, by: Side | undefined): void {
    for (const stream of this.#table.open()) this.#break(stream, origin, breaker(stream, by ?? this.#left));
    this.#table.clear();
  }

  fault(detail: string, origin: Origin): void {
    if (this.#faultSaid) return;
    this.#faultSaid = true;
    this.say(notice('http2.malformed', detail, { origin, connection: this.#connection.name }));
  }

  #find(side: Side, id: number, headers: boolean, origin: Origin): Stream | undefined {
    const stream = this.#table.find(side, id, headers);
    if (stream !== undefined && this.#table.size > MAX_OPEN_STREAMS) this.#giveUpOldest(origin);
    return stream;
  }

  #giveUpOldest(origin: Origin): void {
    const oldest = this.#table.oldest();
    this.#break(oldest, origin);
    this.#table.forget(oldest);
    if (this.#limitSaid) return;
    this.#limitSaid = true;
    const detail = `more than ${MAX_OPEN_STREAMS} streams open; the oldest were ended`;
    this.say(notice('limit.streams', detail, { origin, connection: this.#connection.name }));
  }

  #break(stream: Stream, origin: Origin, by?: Side): void {
    if (isPending(stream, 'client')) this.#end(stream, 'client', false, origin, by);
    if (isPending(stream, 'server')) this.#end(stream, 'server', false, origin, by);
  }

  #end(stream: Stream, side: Side, complete: boolean, origin: Origin, by?: Side): void {
    stream[side] |= ENDED;
    this.#out.push({
      kind: 'end',
      connection: this.#connection,
      stream: stream.id,
      from: side,
      origin,
      complete,
      brokenBy: by,
    });
  }
}

/** Who is to blame for what `by` ended: nobody, where the answer may be among frames that were lost. */
function breaker(stream: Stream, by: Side | undefined): Side | undefined {
  return (stream.server & (HEAD | GAP)) === GAP ? undefined : by;
}

/** This side began a message, or owes the answer to one, and has not ended it. */
function isPending(stream: Stream, side: Side): boolean {
  if ((stream[side] & ENDED) !== 0) return false;
  return (stream[side] & HEAD) !== 0 || (side === 'server' && (stream.client & HEAD) !== 0);
}

// Go's HTTP/2 server allows 250 streams at once, nghttp2 100, etcd any number; a client that never lets its streams end
// must not buy more than this.
const MAX_OPEN_STREAMS = 4096;

// A graceful end has two (RFC 9113, 6.8); each costs a look at all open streams.
const MAX_GOAWAYS = 8;
