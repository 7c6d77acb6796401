// Reads the frames of one direction of an HTTP/2 connection, and searches for the next frame in mid-stream, after a gap and after a
// malformed frame.

import { u16be, u32be } from '../../core/bytes/bytes.js';
import { NOTED_LOSS_NS } from '../../core/cut.js';
import type { HeaderTables } from '../../core/header-table.js';
import { type NoticeCode, notice } from '../../core/notice.js';
import type { Origin } from '../../core/origin.js';
import { type Connection, otherSide, type Side } from '../../tcp/stream-event.js';
import { type HeaderBlock, type HpackDecoder, hpackDecoder } from '../hpack/decoder.js';
import {
  ACK,
  CONTINUATION,
  END_STREAM,
  GOAWAY,
  HEADERS,
  MAX_STREAM,
  PING,
  PREFACE,
  PUSH_PROMISE,
  RST_STREAM,
  SETTINGS,
  WINDOW_UPDATE,
} from './frame-types.js';
import { FrameReader, type FrameSink } from './frames.js';
import { goawayIn } from './goaway.js';
import { type BlockSink, HeaderBlocks, UNKNOWN } from './header-blocks.js';
import type { Liveness } from './liveness.js';
import { FrameSearch } from './search.js';
import { hasLegalNames } from './stream-heads.js';
import type { Streams } from './streams.js';

/** Where a direction's bytes begin. */
export type DirectionStart = 'preface' | 'frame' | 'anywhere';

/** `lost`: frames were malformed too often, so bytes are only counted. */
type DirectionMode = 'preface' | 'frames' | 'searching' | 'lost';

export class Http2Direction implements FrameSink, BlockSink {
  readonly #connection: Connection;
  readonly #side: Side;
  readonly #streams: Streams;
  readonly #liveness: Liveness;
  readonly #reader = new FrameReader(this);
  readonly #search = new FrameSearch();
  readonly #blocks = new HeaderBlocks(this);
  #hpack: HpackDecoder;
  readonly #tables: HeaderTables | null;
  #mode: DirectionMode;
  /** The beginning of this direction was captured. */
  readonly #fromStart: boolean;
  /** Bytes of the preface so far. */
  #preface = 0;
  /** No byte of this direction was read yet. */
  #fresh = true;
  /** Codes of the notices that were emitted. */
  readonly #noticed = new Set<NoticeCode>();
  #timesBroken = 0;
  /** The search found frames, and no header block has confirmed them yet. */
  #onProbation = false;
  #lostBytes = 0;

  /** @param tables observed HPACK tables. */
  constructor(
    connection: Connection,
    side: Side,
    streams: Streams,
    liveness: Liveness,
    beginning: DirectionStart,
    tables: HeaderTables | null = null,
  ) {
    this.#tables = tables;
    this.#connection = connection;
    this.#side = side;
    this.#streams = streams;
    this.#liveness = liveness;
    this.#fromStart = beginning !== 'anywhere';
    this.#hpack = hpackDecoder({ complete: this.#fromStart });
    // There may be a preface even if the handshake was not captured.
    this.#mode = beginning === 'frame' ? 'frames' : side === 'client' ? 'preface' : 'searching';
  }

  /** The preface of the other side was captured, so this side is complete if it begins with SETTINGS. */
  peerBegan = false;
  /** The preface of this side was captured. */
  began = false;

  feed(bytes: Uint8Array, origin: Origin): void {
    if (this.#mode === 'frames') this.#frames(bytes, origin);
    else if (this.#mode === 'preface') this.#readPreface(bytes, origin);
    else if (this.#mode === 'searching') this.#find(bytes, origin);
    else this.#lostBytes += bytes.length;
  }

  gap(length: number | null, origin: Origin): void {
    if (this.#mode === 'lost') return;
    if (this.#mode === 'searching') {
      this.#search.reset();
      this.#fresh = false;
      this.#lose();
      this.#streams.moreFramesLost(this.#side, origin);
      return;
    }
    if (this.#mode === 'preface') {
      if (this.#fromStart && length !== null && this.#preface + length <= PREFACE.length) {
        this.#preface += length;
        if (this.#preface === PREFACE.length) this.#startFrames();
        return;
      }
    } else if (this.#reader.gap(length, origin)) {
      return;
    }
    this.#loseFrames(origin);
  }

  end(origin: Origin): void {
    this.#reader.abort(origin);
    this.#blocks.cut(origin);
    this.#search.reset();
    if (this.#unread(origin) > 0) this.#streams.moreFramesLost(this.#side, origin);
  }

  /** Longest frame that the other side allows (SETTINGS_MAX_FRAME_SIZE). */
  allowFrameSize(size: number): void {
    if (size > this.#reader.maxFrameSize) this.#reader.maxFrameSize = size;
  }

  #readPreface(bytes: Uint8Array, origin: Origin): void {
    let at = 0;
    while (at < bytes.length && this.#preface < PREFACE.length && bytes[at] === PREFACE[this.#preface]) {
      at++;
      this.#preface++;
    }
    if (this.#preface === PREFACE.length) {
      this.#startFrames();
      if (at < bytes.length) this.#frames(at === 0 ? bytes : bytes.subarray(at), origin);
    } else if (at < bytes.length) {
      const before = this.#preface - at;
      this.#hpack = hpackDecoder({ complete: false });
      this.#mode = 'searching';
      if (before > 0) this.#find(PREFACE.subarray(0, before), origin);
      this.feed(bytes, origin);
    }
  }

  #startFrames(): void {
    this.#mode = 'frames';
    this.began = true;
    if (!this.#hpack.complete) this.#hpack = hpackDecoder({ complete: true });
  }

  #frames(bytes: Uint8Array, origin: Origin): void {
    const read = this.#reader.feed(bytes, origin);
    if (read === bytes.length && !this.#reader.broken) return;
    this.fault('a frame that breaks the protocol, or bytes that are no frame', origin);
    this.#loseFrames(origin);
    if (++this.#timesBroken > MAX_TIMES_BROKEN) this.#mode = 'lost';
    if (read < bytes.length) this.feed(bytes.subarray(read), origin);
  }

  #find(bytes: Uint8Array, origin: Origin): void {
    const opened = this.#streams.highestOpened;
    if (opened > 0) this.#search.maxStream = Math.min(MAX_STREAM, opened + MAX_STREAMS_LOST);
    const pieces = this.#search.push(bytes, origin);
    const atStart = this.#fresh;
    this.#fresh = false;
    if (pieces === null) return;
    const skipped = this.#unread(origin);
    if (skipped > 0) this.#streams.framesLost(this.#side, origin);
    this.#mode = 'frames';
    this.#onProbation = true;
    const first = pieces[0].bytes;
    if (atStart && this.peerBegan && skipped === 0 && first[3] === SETTINGS && first[4] !== ACK) {
      this.#hpack = hpackDecoder({ complete: true });
    }
    for (const piece of pieces) this.feed(piece.bytes, piece.origin);
  }

  #unread(origin: Origin): number {
    const length = this.#search.skipped() + this.#lostBytes;
    this.#lostBytes = 0;
    if (length === 0) return 0;
    this.#streams.emit({ kind: 'unread', connection: this.#connection, from: this.#side, length, origin });
    this.#emitNotice(
      'http.resynchronised',
      'bytes were skipped up to where HTTP/2 frames can be recognised again',
      origin,
    );
    return length;
  }

  #loseFrames(origin: Origin): void {
    this.#reader.abort(origin);
    this.#blocks.cut(origin);
    this.#reader.broken = false;
    this.#mode = 'searching';
    this.#fresh = false;
    this.#lose();
    this.#streams.framesLost(this.#side, origin);
  }

  #lose(): void {
    this.#hpack.lost();
    this.#noticed.delete('http2.hpack-state-lost');
  }

  data(stream: number, bytes: Uint8Array, origin: Origin): void {
    if (this.#blocks.open) this.#blocks.interrupted(origin);
    this.#streams.body(this.#side, stream, bytes, origin);
  }

  dataGap(stream: number, length: number, origin: Origin): void {
    this.#streams.bodyGap(this.#side, stream, length, origin);
  }

  dataEnd(stream: number, flags: number, whole: boolean, _first: Origin, last: Origin): void {
    if (this.#blocks.open) this.#blocks.interrupted(last);
    this.#liveness.sent(this.#side, stream, this.#reader.frameLength, last);
    if ((flags & END_STREAM) === 0) return;
    this.#liveness.streamEnded(this.#side, stream);
    this.#streams.ended(this.#side, stream, whole, last);
  }

  frame(
    type: number,
    flags: number,
    stream: number,
    payload: Uint8Array,
    cut: boolean,
    first: Origin,
    last: Origin,
  ): void {
    if (type === CONTINUATION) {
      if (this.#blocks.continuation(flags, stream, payload, cut, last)) return;
      this.fault('a CONTINUATION frame without a header block', last);
      this.#lose();
      return;
    }
    if (this.#blocks.open) this.#blocks.interrupted(last);
    switch (type) {
      case HEADERS:
      case PUSH_PROMISE:
        this.#blocks.begin(type, flags, stream, payload, this.#reader.frameLength, cut, first, last);
        break;
      case RST_STREAM:
        this.#liveness.streamEnded('client', stream);
        this.#liveness.streamEnded('server', stream);
        this.#streams.reset(this.#side, stream, payload.length >= 4 ? u32be(payload, 0) : null, last);
        break;
      case SETTINGS:
        if ((flags & ACK) === 0) this.#settings(payload);
        break;
      case PING:
        if (!cut) this.#liveness.ping(this.#side, (flags & ACK) !== 0, last);
        break;
      case WINDOW_UPDATE:
        if (!cut) this.#granted(stream, u32be(payload, 0) & MAX_STREAM, last);
        break;
      case GOAWAY:
        if (payload.length >= 8) this.#streams.goaway(this.#side, goawayIn(payload), last);
        break;
    }
  }

  #observe(tables: HeaderTables, block: Uint8Array, { time }: Origin): void {
    const { [this.#side]: sender, [otherSide(this.#side)]: receiver } = this.#connection;
    const found = tables.at(sender, receiver, block, time);
    if (found !== null) this.#hpack.observed(found.inserted, found.entries);
  }

  /** Set by the session; receives the frame size that this side allows the other one. */
  onMaxFrameSize: ((size: number) => void) | null = null;

  #granted(stream: number, increment: number, origin: Origin): void {
    const full = this.#liveness.granted(this.#side, stream, increment);
    if (full === null || origin.time - full.since.time < NOTED_LOSS_NS) return;
    const from = otherSide(this.#side);
    const [since, until] = [full.since.time, origin.time];
    this.#streams.emit({ kind: 'stalled', connection: this.#connection, stream, from, since, until });
    const waited = this.#liveness.fullNotice(from, full, origin);
    if (waited !== null) this.#streams.emit(waited);
  }

  #settings(payload: Uint8Array): void {
    for (let at = 0; at + 6 <= payload.length; at += 6) {
      const value = u32be(payload, at + 2);
      const id = u16be(payload, at);
      if (id === SETTINGS_MAX_FRAME_SIZE) this.onMaxFrameSize?.(value);
      else if (id === SETTINGS_INITIAL_WINDOW_SIZE) this.#liveness.initialWindow(this.#side, value);
    }
  }

  block(
    bytes: Uint8Array,
    cut: boolean,
    stream: number,
    promised: number,
    endStream: boolean,
    first: Origin,
    last: Origin,
  ): void {
    if (this.#tables !== null && !this.#hpack.complete) this.#observe(this.#tables, bytes, last);
    const block = this.#hpack.decode(bytes, cut);
    if (this.#onProbation) {
      // Bytes that only looked like frames are rejected here, before they become messages.
      if (block.problem === 'malformed' || !hasLegalNames(block)) {
        this.#reader.broken = true;
        return;
      }
      this.#onProbation = cut || block.firstName === null || block.firstName === undefined;
    }
    if (block.problem !== null || block.partial.length > 0) this.#report(block, last);
    if (promised === UNKNOWN) return;
    if (endStream) this.#liveness.streamEnded(this.#side, stream);
    if (promised !== 0) this.#streams.promised(promised, block, first, last);
    else this.#streams.headers(this.#side, stream, block, endStream, first, last);
  }

  blockTooLong(detail: string, origin: Origin): void {
    this.#emitNotice('limit.header', detail, origin);
  }

  fault(detail: string, origin: Origin): void {
    this.#streams.fault(detail, origin);
  }

  #report(block: HeaderBlock, origin: Origin): void {
    if (block.problem === 'malformed') this.fault('a header block that HPACK cannot decode', origin);
    if (block.problem === 'limit') this.#emitNotice('limit.header', 'a header list larger than 1 MiB was cut', origin);
    if (block.partial.length > 0) {
      const detail = `the ${this.#side}'s header fields refer to entries that were not seen; they are left out`;
      this.#emitNotice('http2.hpack-state-lost', detail, origin);
    }
  }

  /** Emits each code once a direction; that of a lost table again after each loss. */
  #emitNotice(code: NoticeCode, detail: string, origin: Origin): void {
    if (this.#noticed.has(code)) return;
    this.#noticed.add(code);
    this.#streams.emit(notice(code, detail, { origin, connection: this.#connection.name }));
  }
}

const SETTINGS_INITIAL_WINDOW_SIZE = 4;
const SETTINGS_MAX_FRAME_SIZE = 5;

/** Limit: requests that may be lost in a gap. */
const MAX_STREAMS_LOST = 65_536;

/**
 * Limit: times that reading starts anew on one connection because proven frames turned out to be malformed. Real traffic has none, so
 * more are made to waste time (and stack, because each search within a piece is nested in the one before).
 */
const MAX_TIMES_BROKEN = 64;
