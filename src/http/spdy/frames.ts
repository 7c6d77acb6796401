// Cuts one direction of a connection into SPDY/3.1 frames (draft-mbelshe-httpbis-spdy-00, section 2.2). DATA is passed on as it
// arrives, a control frame when it is whole.

import { EMPTY_BYTES, u24be, u32be } from '../../core/bytes/bytes.js';
import type { Origin } from '../../core/origin.js';

/** Limit in bytes: one SPDY control frame; header blocks of spdystream have some hundred. */
export const MAX_CONTROL_BYTES = 64 * 1024;

export interface SpdySink {
  /** @param body of the frame, borrowed; null if it is longer than MAX_CONTROL_BYTES or bytes are missing. */
  control(type: number, flags: number, body: Uint8Array | null, origin: Origin): void;
  /** A DATA frame begins. */
  begin(stream: number, flags: number, origin: Origin): void;
  /** The next bytes of the DATA frame, borrowed. */
  payload(bytes: Uint8Array, origin: Origin): void;
  /** The DATA frame ends. @param complete false if bytes were missing. */
  end(origin: Origin, complete: boolean): void;
  /** Frame boundaries are lost; called once, and from then on every byte is `unread`. */
  lost(why: string, origin: Origin): void;
  unread(length: number, origin: Origin): void;
}

//   control  [ 1 | version:15 ][ type:16 ][ flags:8 | length:24 ][ body ]
//   DATA     [ 0 | stream:31             ][ flags:8 | length:24 ][ payload ]
export class SpdyFrames {
  readonly #sink: SpdySink;
  readonly #head = new Uint8Array(HEAD_BYTES);
  #headLength = 0;
  #headFirst: Origin | null = null;
  #isControl = false;
  #inData = false;
  #length = 0;
  /** Remaining bytes of the frame. */
  #left = 0;
  #isIntact = true;
  #body: Uint8Array = EMPTY_BYTES;
  #isLost = false;
  #last: Origin | null = null;

  constructor(sink: SpdySink) {
    this.#sink = sink;
  }

  feed(bytes: Uint8Array, origin: Origin): void {
    this.#last = origin;
    let at = 0;
    while (at < bytes.length && !this.#isLost) {
      if (this.#left > 0) {
        const end = Math.min(bytes.length, at + this.#left);
        this.#pass(bytes.subarray(at, end), origin);
        this.#left -= end - at;
        at = end;
        if (this.#left === 0) this.#frameOver(origin);
        continue;
      }
      if (this.#headLength === 0) this.#headFirst = origin;
      this.#head[this.#headLength++] = bytes[at++];
      if (this.#headLength === HEAD_BYTES) this.#headOver(origin);
    }
    if (at < bytes.length) this.#sink.unread(bytes.length - at, origin);
  }

  gap(length: number | null, origin: Origin): void {
    if (this.#isLost || length === 0) return;
    // Within a frame of known length the position of the next one is known too.
    if (length === null || length > this.#left) {
      this.#lose('bytes are missing between SPDY frames', origin, 0);
      return;
    }
    this.#left -= length;
    this.#isIntact = false;
    if (this.#left === 0) this.#frameOver(origin);
  }

  /** Ends an unfinished DATA frame as it is; a part of a frame header is ignored. */
  end(): void {
    if (this.#inData) this.#sink.end(this.#last!, false);
    this.#inData = false;
    this.#headLength = 0;
  }

  #headOver(origin: Origin): void {
    const head = this.#head;
    this.#headLength = 0;
    this.#isIntact = true;
    this.#isControl = (head[0] & CONTROL) !== 0;
    this.#length = u24be(head, 5);
    this.#left = this.#length;
    if (!this.#isControl) {
      this.#inData = true;
      this.#sink.begin(u32be(head, 0), head[4], this.#headFirst!);
    } else if (head[0] !== CONTROL || head[1] !== VERSION || head[2] !== 0 || head[3] === 0 || head[3] > LAST_TYPE) {
      this.#lose('bytes that are no SPDY/3 frame', origin, HEAD_BYTES);
      return;
    }
    if (this.#left === 0) this.#frameOver(origin);
  }

  #pass(bytes: Uint8Array, origin: Origin): void {
    if (!this.#isControl) {
      this.#sink.payload(bytes, origin);
      return;
    }
    if (this.#length > MAX_CONTROL_BYTES) return;
    if (this.#body.length < this.#length) this.#body = new Uint8Array(this.#length);
    this.#body.set(bytes, this.#length - this.#left);
  }

  #frameOver(origin: Origin): void {
    if (!this.#isControl) {
      this.#inData = false;
      this.#sink.end(origin, this.#isIntact);
      return;
    }
    const isWhole = this.#isIntact && this.#length <= MAX_CONTROL_BYTES;
    this.#sink.control(this.#head[3], this.#head[4], isWhole ? this.#body.subarray(0, this.#length) : null, origin);
  }

  /** @param unread bytes of an invalid frame header. */
  #lose(why: string, origin: Origin, unread: number): void {
    this.#left = 0;
    this.end();
    this.#isLost = true;
    this.#sink.lost(why, origin);
    if (unread > 0) this.#sink.unread(unread, origin);
  }
}

const HEAD_BYTES = 8;
const CONTROL = 0x80;
const VERSION = 3;
/** CREDENTIAL, the last type of SPDY/3. */
const LAST_TYPE = 10;
