// Cuts one direction of a connection into SPDY/3.1 frames (draft-mbelshe-httpbis-spdy-00, section 2.2). DATA is passed on as it
// arrives, a control frame when it is whole.

import { EMPTY_BYTES, u24be, u32be } from '../../core/bytes/bytes.js';
import type { Origin } from '../../core/origin.js';
import { LengthFramed } from '../framing/length-framed.js';

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
export class SpdyFrames extends LengthFramed {
  readonly #sink: SpdySink;
  #isControl = false;
  #inData = false;
  #length = 0;
  #isIntact = true;
  #body: Uint8Array = EMPTY_BYTES;

  constructor(sink: SpdySink) {
    super('SPDY frames', HEAD_BYTES);
    this.#sink = sink;
  }

  protected headSize(): number {
    return HEAD_BYTES;
  }

  protected begin(): number | string {
    const { head } = this;
    this.#isIntact = true;
    this.#isControl = (head[0] & CONTROL) !== 0;
    this.#length = u24be(head, 5);
    if (!this.#isControl) {
      this.#inData = true;
      this.#sink.begin(u32be(head, 0), head[4], this.first);
    } else if (head[0] !== CONTROL || head[1] !== VERSION || head[2] !== 0 || head[3] === 0 || head[3] > LAST_TYPE) {
      return 'bytes that are no SPDY/3 frame';
    }
    return this.#length;
  }

  protected payload(bytes: Uint8Array, origin: Origin): void {
    if (!this.#isControl) {
      this.#sink.payload(bytes, origin);
      return;
    }
    if (this.#length > MAX_CONTROL_BYTES) return;
    if (this.#body.length < this.#length) this.#body = new Uint8Array(this.#length);
    this.#body.set(bytes, this.#length - this.left);
  }

  protected missing(): void {
    this.#isIntact = false;
  }

  protected over(origin: Origin): void {
    if (!this.#isControl) {
      this.#inData = false;
      this.#sink.end(origin, this.#isIntact);
      return;
    }
    const isWhole = this.#isIntact && this.#length <= MAX_CONTROL_BYTES;
    this.#sink.control(this.head[3], this.head[4], isWhole ? this.#body.subarray(0, this.#length) : null, origin);
  }

  protected cut(): void {
    if (this.#inData) this.#sink.end(this.last, false);
    this.#inData = false;
  }

  protected lost(why: string, origin: Origin): void {
    this.#sink.lost(why, origin);
  }

  protected unread(head: number, rest: number, origin: Origin): void {
    for (const length of [head, rest]) if (length > 0) this.#sink.unread(length, origin);
  }
}

const HEAD_BYTES = 8;
const CONTROL = 0x80;
const VERSION = 3;
/** CREDENTIAL, the last type of SPDY/3. */
const LAST_TYPE = 10;
