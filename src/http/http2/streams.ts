// Turns the frames of the streams of one connection into HTTP events (RFC 9113, 5.1).

import { errorName } from '../../core/cut.js';
import { type Notice, notice } from '../../core/notice.js';
import type { Origin } from '../../core/origin.js';
import type { Connection, Side } from '../../tcp/stream-event.js';
import type { HeaderBlock } from '../hpack/decoder.js';
import type { Cut, HttpEvent } from '../http-event.js';
import { type Goaway, NO_ERROR, REFUSED_STREAM } from './goaway.js';
import { type HeadSink, roleOf, StreamHeads } from './stream-heads.js';
import { ENDED, GAP, GAP_EMITTED, HEAD, type Stream, StreamTable } from './stream-table.js';

export class Streams implements HeadSink {
  readonly #connection: Connection;
  readonly #heads: StreamHeads;
  #out: (HttpEvent | Notice)[] = [];
  readonly #table: StreamTable;
  /** Sides of which frames were lost. */
  readonly #lossy = { client: false, server: false };
  /** `highestOpened` at the latest loss of each side. */
  readonly #openedAtLoss = { client: 0, server: 0 };
  #goaways = 0;
  /** The latest code of each side's GOAWAY. */
  readonly #goawayCodes: Partial<Record<Side, number>> = {};
  /** How the side that ended its direction first did so. */
  #endedFirst: Cut | undefined;
  #hasLimitNotice = false;
  #hasFaultNotice = false;

  /** @param fromStart the opening of every stream will be captured. */
  constructor(connection: Connection, fromStart: boolean) {
    this.#connection = connection;
    this.#heads = new StreamHeads(connection, this);
    this.#table = new StreamTable(fromStart);
  }

  get highestOpened(): number {
    return this.#table.highestOpened;
  }

  /** Whether `take` would return items. */
  get waiting(): boolean {
    return this.#out.length > 0;
  }

  take(): (HttpEvent | Notice)[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }

  emit(item: HttpEvent | Notice): void {
    this.#out.push(item);
  }

  /** Opens stream 1 after `Upgrade: h2c`, whose request was HTTP/1.1 (RFC 7540, 3.2). */
  upgraded(): void {
    const stream = this.#table.find('client', 1, true)!;
    stream.client = HEAD | ENDED;
  }

  headers(side: Side, id: number, block: HeaderBlock, endStream: boolean, first: Origin, last: Origin): void {
    const stream = this.#find(side, id, true, first);
    if (stream === undefined) return;
    if (side === 'client') this.#heads.clientBlock(stream, block, first, last);
    else this.#heads.serverBlock(stream, block, endStream, first, last);
    // The block may be trailers, with head and body lost.
    if (endStream && this.#lossy[side] && roleOf(block) === 'unclear') stream[side] |= GAP;
    // A request that is captured after the response and reset of its stream is over too.
    if (endStream || (side === 'client' && this.#table.wasClosed(id))) this.ended(side, id, endStream, last);
  }

  /** A request that the server promises to answer (RFC 9113, 8.4). */
  promised(id: number, block: HeaderBlock, first: Origin, last: Origin): void {
    const stream = this.#table.promise(id);
    if (stream === undefined) return;
    if (this.#table.size > MAX_OPEN_STREAMS) this.#giveUpOldest(first);
    this.#heads.clientBlock(stream, block, first, last);
    this.ended('client', id, true, last);
  }

  body(side: Side, id: number, bytes: Uint8Array, origin: Origin): void {
    const stream = this.#find(side, id, false, origin);
    if (stream === undefined || (stream[side] & ENDED) !== 0) return;
    if ((stream[side] & HEAD) === 0) this.#heads.unseenHead(stream, side, origin);
    stream[side] &= ~GAP_EMITTED;
    this.#out.push({ kind: 'body', connection: this.#connection, stream: id, from: side, bytes, origin });
  }

  bodyGap(side: Side, id: number, length: number, origin: Origin): void {
    const stream = this.#find(side, id, false, origin);
    if (stream === undefined || (stream[side] & ENDED) !== 0) return;
    if ((stream[side] & HEAD) === 0) this.#heads.unseenHead(stream, side, origin);
    stream[side] |= GAP;
    this.#out.push({ kind: 'body-gap', connection: this.#connection, stream: id, from: side, length, origin });
  }

  /** END_STREAM. */
  ended(side: Side, id: number, whole: boolean, origin: Origin): void {
    const stream = this.#find(side, id, false, origin);
    if (stream === undefined || (stream[side] & ENDED) !== 0) return;
    if ((stream[side] & HEAD) === 0) this.#heads.unseenHead(stream, side, origin);
    this.#end(stream, side, whole && (stream[side] & GAP) === 0, origin, this.#endedFirst);
    if ((stream.client & stream.server & ENDED) !== 0) this.#table.remove(stream);
  }

  /** RST_STREAM ends both sides. @param code null: the frame is too short to have one. */
  reset(by: Side, id: number, code: number | null, origin: Origin): void {
    const stream = this.#table.reset(by, id);
    if (stream === undefined) return;
    const cut: Cut = { by, how: 'RST_STREAM', code: code ?? undefined, silentNs: 0n };
    this.#break(stream, origin, code === REFUSED_STREAM && by === 'server' ? { ...cut, isUnprocessed: true } : cut);
    this.#table.remove(stream);
  }

  /** GOAWAY: streams of the peer above the last one get no response (RFC 9113, 6.8). Notice: http2.goaway. */
  goaway(by: Side, { lastStream, code, debug }: Goaway, origin: Origin): void {
    if (++this.#goaways > MAX_GOAWAYS) return;
    // A graceful end announces itself twice, the first time with the highest stream there is.
    if (this.#goawayCodes[by] === undefined || code !== NO_ERROR) {
      const reason = debug === null ? errorName(code) : `${errorName(code)} ${debug}`;
      const where = { origin, connection: this.#connection.name };
      this.emit(notice('http2.goaway', `${reason}, of the ${by}`, where));
    }
    this.#goawayCodes[by] = code;
    const odd = by === 'server' ? 1 : 0;
    for (const stream of [...this.#table.open()]) {
      if (stream.id > lastStream && (stream.id & 1) === odd) {
        this.#break(stream, origin, { by, how: 'GOAWAY', code, silentNs: 0n, isUnprocessed: true });
        this.#table.remove(stream);
      }
    }
  }

  /** Unknown frames of a side are missing. */
  framesLost(side: Side, origin: Origin): void {
    this.#lossy[side] = true;
    this.#openedAtLoss[side] = this.highestOpened;
    if (side === 'client') this.#table.openingsLost();
    for (const stream of this.#table.open()) {
      const state = stream[side];
      if ((state & ENDED) !== 0) continue;
      stream[side] = state | GAP;
      if ((state & HEAD) === 0 || (state & GAP_EMITTED) !== 0) continue;
      stream[side] |= GAP_EMITTED;
      const connection = this.#connection;
      this.#out.push({ kind: 'body-gap', connection, stream: stream.id, from: side, length: null, origin });
    }
  }

  /** More frames are missing, before any could be read again, which only matters for streams that were opened since. */
  moreFramesLost(side: Side, origin: Origin): void {
    if (this.highestOpened > this.#openedAtLoss[side]) this.framesLost(side, origin);
  }

  /** Ends a direction, and cuts its unfinished messages. @param cut how it ended. */
  sideClosed(side: Side, origin: Origin, cut: Cut): void {
    this.#endedFirst ??= this.#announced(cut);
    for (const stream of [...this.#table.open()]) {
      if (isPending(stream, side)) this.#end(stream, side, false, origin, this.#endedFirst);
      if ((stream.client & stream.server & ENDED) !== 0) this.#table.remove(stream);
    }
  }

  /** Ends the connection. @param cut how a side broke it off, if one did. */
  allClosed(origin: Origin, cut: Cut | undefined): void {
    const by = this.#endedFirst ?? (cut === undefined ? undefined : this.#announced(cut));
    for (const stream of this.#table.open()) this.#break(stream, origin, by);
    this.#table.clear();
  }

  #announced(cut: Cut): Cut {
    const code = this.#goawayCodes[cut.by];
    return code === undefined ? cut : { ...cut, how: 'GOAWAY', code };
  }

  fault(detail: string, origin: Origin): void {
    if (this.#hasFaultNotice) return;
    this.#hasFaultNotice = true;
    this.emit(notice('http2.malformed', detail, { origin, connection: this.#connection.name }));
  }

  #find(side: Side, id: number, headers: boolean, origin: Origin): Stream | undefined {
    const stream = this.#table.find(side, id, headers);
    if (stream !== undefined && this.#table.size > MAX_OPEN_STREAMS) this.#giveUpOldest(origin);
    return stream;
  }

  #giveUpOldest(origin: Origin): void {
    const oldest = this.#table.oldest();
    this.#break(oldest, origin);
    this.#table.remove(oldest);
    if (this.#hasLimitNotice) return;
    this.#hasLimitNotice = true;
    const detail = `more than ${MAX_OPEN_STREAMS} streams open; the oldest were ended`;
    this.emit(notice('limit.streams', detail, { origin, connection: this.#connection.name }));
  }

  #break(stream: Stream, origin: Origin, cut?: Cut): void {
    if (isPending(stream, 'client')) this.#end(stream, 'client', false, origin, cut);
    if (isPending(stream, 'server')) this.#end(stream, 'server', false, origin, cut);
  }

  #end(stream: Stream, side: Side, complete: boolean, origin: Origin, cut?: Cut): void {
    // The response, or its end, may be among lost frames.
    const isKnown = cut !== undefined && (stream.server & GAP) === 0;
    stream[side] |= ENDED;
    this.#out.push({
      kind: 'end',
      connection: this.#connection,
      stream: stream.id,
      from: side,
      origin,
      complete,
      cut: isKnown ? cut : undefined,
    });
  }
}

/** Whether a side has an unfinished message, or has to respond to one. */
function isPending(stream: Stream, side: Side): boolean {
  if ((stream[side] & ENDED) !== 0) return false;
  return (stream[side] & HEAD) !== 0 || (side === 'server' && (stream.client & HEAD) !== 0);
}

/** Limit: open streams of one connection: Go's HTTP/2 server allows 250, nghttp2 100, etcd any number. */
const MAX_OPEN_STREAMS = 4096;

/** Limit: GOAWAY frames that are acted on: a graceful end has two (RFC 9113, 6.8), each of which costs a scan of all open streams. */
const MAX_GOAWAYS = 8;
