// Joins header blocks from HEADERS, PUSH_PROMISE and CONTINUATION frames (RFC 9113, 4.3 and 6.10).

import { ByteQueue } from '../../core/bytes/byte-queue.js';
import { EMPTY_BYTES, u32be } from '../../core/bytes/bytes.js';
import type { Origin } from '../../core/origin.js';
import { END_HEADERS, END_STREAM, HEADERS, PADDED, PRIORITY_FLAG, PUSH_PROMISE } from './frame-types.js';
import { MAX_HEADER_BLOCK } from './frames.js';

export const UNKNOWN = -1;

export interface BlockSink {
  /**
   * @param bytes the whole block, or its beginning (`cut`); borrowed.
   * @param promised stream that a PUSH_PROMISE opens; UNKNOWN if it was missed; 0 for HEADERS.
   */
  block(
    bytes: Uint8Array,
    cut: boolean,
    stream: number,
    promised: number,
    endStream: boolean,
    first: Origin,
    last: Origin,
  ): void;
  /** A block exceeds its limit and is passed on as cut. */
  blockTooLong(detail: string, origin: Origin): void;
  fault(detail: string, origin: Origin): void;
}

export class HeaderBlocks {
  readonly #sink: BlockSink;
  readonly #bytes = new ByteQueue();
  /** Stream of the current block; 0 without one. */
  #stream = 0;
  #promised = 0;
  #endStream = false;
  #first: Origin | null = null;
  #frames = 0;
  /** The block was passed on as cut; further CONTINUATIONs are ignored. */
  #isDone = false;

  constructor(sink: BlockSink) {
    this.#sink = sink;
  }

  /** Whether a CONTINUATION must follow. */
  get open(): boolean {
    return this.#stream !== 0;
  }

  // HEADERS        [pad length 1] [priority 5]      fragment [padding]
  // PUSH_PROMISE   [pad length 1] promised stream 4 fragment [padding]
  /** Begins a block with a HEADERS or PUSH_PROMISE frame. @param frameLength of its payload, even if that was cut. */
  begin(
    type: number,
    flags: number,
    stream: number,
    payload: Uint8Array,
    frameLength: number,
    cut: boolean,
    first: Origin,
    last: Origin,
  ): void {
    let start = 0;
    let end = payload.length;
    if ((flags & PADDED) !== 0) {
      const padding = end > 0 ? payload[start++] : 0;
      // A cut payload may have a part of the padding.
      end = Math.min(end, frameLength - padding);
    }
    const promisedAt = start;
    if (type === PUSH_PROMISE) start += 4;
    else if ((flags & PRIORITY_FLAG) !== 0) start += 5;
    const broken = start > end;
    if (broken && !cut) this.#sink.fault('a HEADERS frame shorter than its own padding or priority', last);
    if (frameLength > MAX_HEADER_BLOCK) this.#tooLong(last);
    const isAll = start === 0 && end === payload.length;
    const fragment = broken ? EMPTY_BYTES : isAll ? payload : payload.subarray(start, end);
    let promised = 0;
    if (type === PUSH_PROMISE) promised = broken ? UNKNOWN : u32be(payload, promisedAt) & 0x7fffffff;
    const endStream = type === HEADERS && (flags & END_STREAM) !== 0;
    const whole = (flags & END_HEADERS) !== 0;
    const lost = broken || cut;
    if (!whole) {
      this.#stream = stream;
      this.#promised = promised;
      this.#endStream = endStream;
      this.#first = first;
      this.#frames = 1;
      this.#isDone = lost;
    }
    if (whole || lost) this.#sink.block(fragment, lost, stream, promised, endStream, first, last);
    else this.#bytes.push(fragment);
  }

  /** @returns false if it continues no block. */
  continuation(flags: number, stream: number, payload: Uint8Array, cut: boolean, last: Origin): boolean {
    if (stream !== this.#stream) {
      if (this.open) this.interrupted(last);
      return false;
    }
    const whole = (flags & END_HEADERS) !== 0;
    if (!this.#isDone) {
      const tooLong = ++this.#frames > MAX_BLOCK_FRAMES || this.#bytes.length + payload.length > MAX_HEADER_BLOCK;
      if (tooLong) this.#tooLong(last);
      else this.#bytes.push(payload);
      if (tooLong || cut) this.#emit(true, last);
      else if (whole) this.#emit(false, last);
    }
    if (whole) this.#stream = 0;
    return true;
  }

  /** Another frame arrived within a block. */
  interrupted(origin: Origin): void {
    if (!this.#isDone) this.#sink.fault('a header block interrupted by another frame', origin);
    this.cut(origin);
  }

  /** Ends the current block as cut. */
  cut(origin: Origin): void {
    if (this.open && !this.#isDone) this.#emit(true, origin);
    this.#stream = 0;
  }

  #emit(cut: boolean, last: Origin): void {
    this.#isDone = true;
    this.#sink.block(this.#bytes.peek(), cut, this.#stream, this.#promised, this.#endStream, this.#first!, last);
    this.#bytes.clear();
  }

  #tooLong(origin: Origin): void {
    const detail = `a header block longer than ${MAX_HEADER_BLOCK} bytes or ${MAX_BLOCK_FRAMES} frames was cut`;
    this.#sink.blockTooLong(detail, origin);
  }
}

/** Limit: frames of one header block: 256 KiB are 16 of the default size; nghttp2 stops after 8 CONTINUATIONs, Go has no limit. */
const MAX_BLOCK_FRAMES = 16;
