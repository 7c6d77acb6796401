// Cuts the bytes of one direction into frames (RFC 9113, section 4). DATA is passed on as it arrives, other frames whole.

import { ByteQueue } from '../../core/bytes/byte-queue.js';
import { EMPTY_BYTES, u24be, u32be } from '../../core/bytes/bytes.js';
import type { Origin } from '../../core/origin.js';
import {
  CONTINUATION,
  DATA,
  FRAME_HEADER,
  GOAWAY,
  HEADERS,
  isFrameFault,
  PADDED,
  PING,
  PUSH_PROMISE,
  RST_STREAM,
  SETTINGS,
  WINDOW_UPDATE,
} from './frame-types.js';

/** Receives frames. All bytes are borrowed. */
export interface FrameSink {
  /** A piece of DATA payload, without padding. */
  data(stream: number, bytes: Uint8Array, origin: Origin): void;
  /** `length` bytes of DATA payload are missing. */
  dataGap(stream: number, length: number, origin: Origin): void;
  /** The end of a DATA frame. @param whole false if it was cut. */
  dataEnd(stream: number, flags: number, whole: boolean, first: Origin, last: Origin): void;
  /**
   * Any other frame that RFC 9113 has, but PRIORITY, with its payload.
   * @param cut only the beginning of the payload is available (gap, limit, end).
   */
  frame(
    type: number,
    flags: number,
    stream: number,
    payload: Uint8Array,
    cut: boolean,
    first: Origin,
    last: Origin,
  ): void;
}

export class FrameReader {
  readonly #sink: FrameSink;
  /** Longest accepted frame; the other side may allow more than Go's 1 MiB. */
  maxFrameSize = 1024 * 1024;

  // A frame header that spans pieces.
  readonly #header = new Uint8Array(FRAME_HEADER);
  #headerHave = 0;

  // The current frame, if remaining > 0.
  #type = 0;
  #flags = 0;
  #stream = 0;
  #remaining = 0;
  #first: Origin | null = null;
  /** DATA: padding at the end of the rest; -1 before the pad length byte; -2 if that byte was missed. */
  #padding = 0;
  /** Others: payload that spans pieces, up to a gap. */
  readonly #payload = new ByteQueue();
  #keep = 0;
  #cut = false;

  /** Payload length in the header of the current frame. */
  frameLength = 0;

  /** A frame was malformed; set by `feed` or the owner, stops `feed`, reset by the owner. */
  broken = false;

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  /** @returns bytes read: all, or those up to and with a malformed frame header, after which frame boundaries are unknown. */
  feed(bytes: Uint8Array, origin: Origin): number {
    const length = bytes.length;
    let at = 0;
    while (at < length && !this.broken) {
      if (this.#remaining === 0) {
        let ok: boolean;
        if (this.#headerHave === 0) {
          this.#first = origin;
          if (length - at >= FRAME_HEADER) {
            ok = this.#begin(bytes, at);
            at += FRAME_HEADER;
          } else {
            this.#header.set(bytes.subarray(at));
            this.#headerHave = length - at;
            return length;
          }
        } else {
          while (this.#headerHave < FRAME_HEADER && at < length) this.#header[this.#headerHave++] = bytes[at++];
          if (this.#headerHave < FRAME_HEADER) return length;
          this.#headerHave = 0;
          ok = this.#begin(this.#header, 0);
        }
        if (!ok) {
          this.broken = true;
          return at;
        }
        if (this.#remaining === 0) this.#finish(origin);
      } else if (this.#type === DATA) {
        at = this.#data(bytes, at, origin);
      } else {
        at = this.#collect(bytes, at, origin);
      }
    }
    return at;
  }

  /** @returns false if the gap reaches beyond the current frame; then the owner must call `abort`. */
  gap(length: number | null, origin: Origin): boolean {
    if (length === null || length > this.#remaining) return false;
    if (this.#type === DATA) {
      // The end of the rest is padding, whose length only the pad length byte has.
      if (this.#padding === -1) this.#padding = -2;
      const body = this.#padding < 0 ? length : Math.min(length, this.#remaining - this.#padding);
      if (body > 0) this.#sink.dataGap(this.#stream, body, origin);
    } else {
      this.#cut = true;
    }
    this.#remaining -= length;
    if (this.#remaining === 0) this.#finish(origin);
    return true;
  }

  /** Gives up the current frame; its available part is passed on as cut. */
  abort(origin: Origin): void {
    this.#headerHave = 0;
    if (this.#remaining === 0) return;
    if (this.#type === DATA) {
      const body = this.#padding < 0 ? this.#remaining : this.#remaining - this.#padding;
      if (body > 0) this.#sink.dataGap(this.#stream, body, origin);
      this.#sink.dataEnd(this.#stream, this.#flags, false, this.#first!, origin);
    } else {
      this.#cut = true;
      this.#finish(origin);
    }
    this.#remaining = 0;
  }

  #begin(b: Uint8Array, at: number): boolean {
    const length = u24be(b, at);
    const type = b[at + 3];
    const flags = b[at + 4];
    // RFC 9113, 4.1: the reserved bit is ignored.
    const stream = u32be(b, at + 5) & 0x7fffffff;
    if (length > this.maxFrameSize || isFrameFault(length, type, stream)) return false;
    this.#type = type;
    this.#flags = flags;
    this.#stream = stream;
    this.frameLength = length;
    this.#remaining = length;
    this.#padding = 0;
    this.#cut = false;
    if (type === DATA) {
      if ((flags & PADDED) !== 0) {
        if (length === 0) return false;
        this.#padding = -1;
      }
    } else {
      this.#keep = keptBytes(type);
    }
    return true;
  }

  #data(bytes: Uint8Array, at: number, origin: Origin): number {
    if (this.#padding === -1) {
      this.#padding = bytes[at++];
      this.#remaining--;
      // RFC 9113, 6.1: an error; the rest is taken as padding.
      if (this.#padding > this.#remaining) this.#padding = this.#remaining;
    } else {
      const end = Math.min(bytes.length, at + this.#remaining);
      if (this.#padding === -2) {
        this.#sink.dataGap(this.#stream, end - at, origin);
      } else {
        const body = Math.min(end - at, this.#remaining - this.#padding);
        if (body > 0) {
          const whole = body === bytes.length;
          this.#sink.data(this.#stream, whole ? bytes : bytes.subarray(at, at + body), origin);
        }
      }
      this.#remaining -= end - at;
      at = end;
    }
    if (this.#remaining === 0) this.#finish(origin);
    return at;
  }

  #collect(bytes: Uint8Array, at: number, origin: Origin): number {
    const end = Math.min(bytes.length, at + this.#remaining);
    const here = end - at;
    if (this.#keep > 0 && !this.#cut) {
      if (here === this.#remaining && this.#payload.length === 0 && here <= this.#keep) {
        // The usual case: the whole payload is in this piece.
        this.#remaining = 0;
        this.#sink.frame(this.#type, this.#flags, this.#stream, bytes.subarray(at, end), false, this.#first!, origin);
        return end;
      }
      const room = this.#keep - this.#payload.length;
      if (here > room) this.#cut = true;
      this.#payload.push(bytes.subarray(at, Math.min(end, at + room)));
    }
    this.#remaining -= here;
    if (this.#remaining === 0) this.#finish(origin);
    return end;
  }

  #finish(last: Origin): void {
    if (this.#type === DATA) {
      this.#sink.dataEnd(this.#stream, this.#flags, true, this.#first!, last);
    } else if (this.#keep > 0) {
      const payload = this.#payload.length === 0 ? EMPTY_BYTES : this.#payload.peek();
      this.#sink.frame(this.#type, this.#flags, this.#stream, payload, this.#cut, this.#first!, last);
      this.#payload.clear();
    }
  }
}

function keptBytes(type: number): number {
  switch (type) {
    case HEADERS:
    case PUSH_PROMISE:
    case CONTINUATION:
      return MAX_HEADER_BLOCK;
    case SETTINGS:
    case GOAWAY:
    case RST_STREAM:
    case PING:
    case WINDOW_UPDATE:
      return MAX_CONTROL_PAYLOAD;
    default:
      return 0;
  }
}

/** Limit in bytes: one HTTP/2 header block with all fragments; nghttp2 and Wireshark stop at 256 KiB, Go's servers at 1 MiB decoded. */
export const MAX_HEADER_BLOCK = 256 * 1024;

/**
 * Limit in bytes: kept part of SETTINGS, which has six known settings of six bytes, and of GOAWAY, of which the first eight bytes are
 * read.
 */
const MAX_CONTROL_PAYLOAD = 1024;
