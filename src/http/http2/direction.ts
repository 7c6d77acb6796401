// One direction of a connection: bytes in, what its frames mean out to the streams. Knows where in the bytes it is: at
// the preface, at a frame, or nowhere (late start, gap, broken frame), and assembles header blocks.

import { ByteQueue } from '../../core/byte-queue.js';
import { u16be, u32be } from '../../core/bytes.js';
import { type NoticeCode, notice } from '../../core/notice.js';
import type { Origin } from '../../core/origin.js';
import type { Connection, Side } from '../../tcp/stream-event.js';
import { type HeaderBlock, type HpackDecoder, hpackDecoder } from '../hpack/decoder.js';
import {
  ACK,
  CONTINUATION,
  END_HEADERS,
  END_STREAM,
  GOAWAY,
  HEADERS,
  PADDED,
  PREFACE,
  PRIORITY_FLAG,
  PUSH_PROMISE,
  RST_STREAM,
  SETTINGS,
} from './frame-types.js';
import { FrameReader, type FrameSink, MAX_HEADER_BLOCK } from './frames.js';
import { FrameSearch } from './search.js';
import type { Streams } from './streams.js';

/** Where a direction's bytes begin. */
export type Beginning = 'preface' | 'frame' | 'anywhere';

/** `lost`: found and broken too often; bytes are only counted. */
type Mode = 'preface' | 'frames' | 'searching' | 'lost';

export class Direction implements FrameSink {
  readonly #connection: Connection;
  readonly #side: Side;
  readonly #streams: Streams;
  readonly #reader = new FrameReader(this);
  readonly #search = new FrameSearch();
  #hpack: HpackDecoder;
  #mode: Mode;
  /** Bytes of the preface that were seen. */
  #preface = 0;
  /** Nothing of this direction was seen yet. */
  #fresh = true;
  readonly #said = new Set<NoticeCode>();
  #timesBroken = 0;
  #lostBytes = 0;

  // A header block in several frames, or one that lost a part.
  readonly #block = new ByteQueue();
  /** Its stream; 0: none is being read. */
  #blockStream = 0;
  /** Stream that a PUSH_PROMISE opens; 0: the block belongs to HEADERS. */
  #promised = 0;
  #endStream = false;
  #blockFirst: Origin | null = null;
  #blockFrames = 0;
  /** The block was cut and has been dealt with; its CONTINUATIONs mean nothing. */
  #blockGone = false;

  constructor(connection: Connection, side: Side, streams: Streams, beginning: Beginning) {
    this.#connection = connection;
    this.#side = side;
    this.#streams = streams;
    this.#hpack = hpackDecoder({ complete: beginning !== 'anywhere' });
    // A preface may also come where no handshake was seen.
    this.#mode = beginning === 'frame' ? 'frames' : side === 'client' ? 'preface' : 'searching';
  }

  /** The other side's preface was seen: if this side begins with SETTINGS, it is read from its first byte. */
  peerBegan = false;
  /** This side's preface was seen. */
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
      return;
    }
    if (this.#mode === 'preface') {
      if (length !== null && this.#preface + length <= PREFACE.length) {
        this.#preface += length;
        if (this.#preface === PREFACE.length) this.#startFrames();
        return;
      }
    } else if (this.#reader.gap(length, origin)) {
      return;
    }
    this.#loseFrames(origin);
  }

  /** This direction is over. */
  end(origin: Origin): void {
    this.#reader.abort(origin);
    this.#cutBlock(origin);
    this.#search.reset();
    this.#unread(origin);
  }

  /** Longest frame that the other side lets this one send (SETTINGS_MAX_FRAME_SIZE). */
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
    this.#streams.fault('a frame that breaks the protocol, or bytes that are no frame', origin);
    this.#loseFrames(origin);
    if (++this.#timesBroken > MAX_TIMES_BROKEN) this.#mode = 'lost';
    if (read < bytes.length) this.feed(bytes.subarray(read), origin);
  }

  #find(bytes: Uint8Array, origin: Origin): void {
    const pieces = this.#search.push(bytes, origin);
    const atStart = this.#fresh;
    this.#fresh = false;
    if (pieces === null) return;
    const skipped = this.#unread(origin);
    if (skipped > 0) this.#streams.framesLost(this.#side, origin);
    this.#mode = 'frames';
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
    this.#streams.say({ kind: 'unread', connection: this.#connection, from: this.#side, length, origin });
    this.#say('http.resynchronised', 'bytes were skipped up to where HTTP/2 frames can be told again', origin);
    return length;
  }

  #loseFrames(origin: Origin): void {
    this.#reader.abort(origin);
    this.#cutBlock(origin);
    this.#reader.broken = false;
    this.#mode = 'searching';
    this.#fresh = false;
    this.#lose();
    this.#streams.framesLost(this.#side, origin);
  }

  #lose(): void {
    this.#hpack.lost();
    this.#said.delete('http2.lost-table');
  }

  data(stream: number, bytes: Uint8Array, origin: Origin): void {
    if (this.#blockStream !== 0) this.#interruptedBlock(origin);
    this.#streams.body(this.#side, stream, bytes, origin);
  }

  dataGap(stream: number, length: number, origin: Origin): void {
    this.#streams.bodyGap(this.#side, stream, length, origin);
  }

  dataEnd(stream: number, flags: number, whole: boolean, _first: Origin, last: Origin): void {
    if (this.#blockStream !== 0) this.#interruptedBlock(last);
    if ((flags & END_STREAM) !== 0) this.#streams.ended(this.#side, stream, whole, last);
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
      this.#continuation(flags, stream, payload, cut, last);
      return;
    }
    if (this.#blockStream !== 0) this.#interruptedBlock(last);
    switch (type) {
      case HEADERS:
      case PUSH_PROMISE:
        this.#beginBlock(type, flags, stream, payload, cut, first, last);
        break;
      case RST_STREAM:
        this.#streams.reset(this.#side, stream, last);
        break;
      case SETTINGS:
        if ((flags & ACK) === 0) this.#settings(payload);
        break;
      case GOAWAY:
        if (payload.length >= 4) this.#streams.goaway(this.#side, u32be(payload, 0) & 0x7fffffff, last);
        break;
    }
  }

  /** Set by the session: what this side allows the other one. */
  onMaxFrameSize: ((size: number) => void) | null = null;

  #settings(payload: Uint8Array): void {
    for (let at = 0; at + 6 <= payload.length; at += 6) {
      if (u16be(payload, at) === SETTINGS_MAX_FRAME_SIZE) this.onMaxFrameSize?.(u32be(payload, at + 2));
    }
  }

  // HEADERS        [pad length 1] [priority 5]      fragment [padding]
  // PUSH_PROMISE   [pad length 1] promised stream 4 fragment [padding]
  #beginBlock(
    type: number,
    flags: number,
    stream: number,
    payload: Uint8Array,
    cut: boolean,
    first: Origin,
    last: Origin,
  ): void {
    let start = 0;
    let end = payload.length;
    if ((flags & PADDED) !== 0) {
      const padding = end > 0 ? payload[start++] : 0;
      // Of a cut payload some of the padding may be there.
      end = Math.min(end, this.#reader.frameLength - padding);
    }
    const promisedAt = start;
    if (type === PUSH_PROMISE) start += 4;
    else if ((flags & PRIORITY_FLAG) !== 0) start += 5;
    this.#blockStream = stream;
    this.#promised = 0;
    this.#endStream = type === HEADERS && (flags & END_STREAM) !== 0;
    this.#blockFirst = first;
    this.#blockFrames = 1;
    this.#blockGone = false;
    if (start > end) {
      if (!cut) this.#streams.fault('a HEADERS frame shorter than its own padding or priority', last);
      this.#finishBlock(NO_BYTES, true, last);
    } else {
      if (type === PUSH_PROMISE) this.#promised = u32be(payload, promisedAt) & 0x7fffffff;
      const fragment = start === 0 && end === payload.length ? payload : payload.subarray(start, end);
      if (cut || (flags & END_HEADERS) !== 0) this.#finishBlock(fragment, cut, last);
      else this.#block.push(fragment);
    }
    // Of a cut block that has not ended, the CONTINUATIONs are still to come.
    if ((flags & END_HEADERS) === 0) {
      this.#blockGone = this.#blockStream === 0;
      this.#blockStream = stream;
    }
  }

  #continuation(flags: number, stream: number, payload: Uint8Array, cut: boolean, last: Origin): void {
    if (stream !== this.#blockStream) {
      if (this.#blockStream !== 0) this.#interruptedBlock(last);
      this.#streams.fault('a CONTINUATION frame without a header block', last);
      this.#lose();
      return;
    }
    if (!this.#blockGone) {
      this.#blockFrames++;
      const tooLong = this.#blockFrames > MAX_BLOCK_FRAMES || this.#block.length + payload.length > MAX_HEADER_BLOCK;
      if (tooLong) {
        this.#say(
          'limit.header',
          `a header block longer than ${MAX_HEADER_BLOCK} bytes or ${MAX_BLOCK_FRAMES} frames`,
          last,
        );
      } else {
        this.#block.push(payload);
      }
      if (tooLong || cut || (flags & END_HEADERS) !== 0) this.#finishBlock(this.#block.peek(), tooLong || cut, last);
    }
    if ((flags & END_HEADERS) !== 0) {
      this.#blockStream = 0;
      this.#blockGone = false;
    } else if (this.#blockStream === 0) {
      this.#blockStream = stream;
      this.#blockGone = true;
    }
  }

  /** RFC 9113, 6.10: nothing may come between the frames of a header block. */
  #interruptedBlock(origin: Origin): void {
    if (!this.#blockGone) this.#streams.fault('a header block interrupted by another frame', origin);
    this.#cutBlock(origin);
  }

  #cutBlock(origin: Origin): void {
    if (this.#blockStream !== 0 && !this.#blockGone) this.#finishBlock(this.#block.peek(), true, origin);
    this.#blockStream = 0;
    this.#blockGone = false;
  }

  #finishBlock(bytes: Uint8Array, cut: boolean, last: Origin): void {
    const block = this.#hpack.decode(bytes, cut);
    const stream = this.#blockStream;
    this.#blockStream = 0;
    if (this.#block.length > 0) this.#block.clear();
    if (block.problem !== null || block.partial.length > 0) this.#report(block, last);
    if (this.#promised !== 0) this.#streams.promised(this.#promised, block, this.#blockFirst!, last);
    else this.#streams.headers(this.#side, stream, block, this.#endStream, this.#blockFirst!, last);
  }

  #report(block: HeaderBlock, origin: Origin): void {
    if (block.problem === 'malformed') this.#streams.fault('a header block that HPACK cannot decode', origin);
    if (block.problem === 'limit') this.#say('limit.header', 'a header list larger than 1 MiB was cut', origin);
    if (block.partial.length > 0) {
      const detail = `the ${this.#side}'s header fields refer to entries that were not seen; they are left out`;
      this.#say('http2.lost-table', detail, origin);
    }
  }

  /** Each code once a direction; a lost table again after each loss. */
  #say(code: NoticeCode, detail: string, origin: Origin): void {
    if (this.#said.has(code)) return;
    this.#said.add(code);
    this.#streams.say(notice(code, detail, { origin, connection: this.#connection.name }));
  }
}

const NO_BYTES = new Uint8Array(0);

const SETTINGS_MAX_FRAME_SIZE = 5;

// Frames that were proven and yet led to nonsense: real traffic has none of it, so this many are made to waste time (and
// stack: each search goes on inside the one before while one piece lasts).
const MAX_TIMES_BROKEN = 64;

// 256 KiB in frames of the default size, 16 KiB, are 16 frames; nghttp2 stops after 8 CONTINUATIONs, Go has no limit.
const MAX_BLOCK_FRAMES = 16;
