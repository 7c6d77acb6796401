// Cuts one direction of a connection into WebSocket frames and messages (RFC 6455 section 5). Payload is passed on as it arrives.

import { EMPTY_BYTES, u16be, u32be } from '../../core/bytes/bytes.js';
import type { Origin } from '../../core/origin.js';
import { LengthFramed } from '../framing/length-framed.js';

export interface WebSocketFrameSink {
  /** A message begins. @param isTransformed by an extension (permessage-deflate). */
  begin(isText: boolean, isTransformed: boolean, origin: Origin): void;
  /** The next bytes of the message, unmasked, borrowed. */
  payload(bytes: Uint8Array, origin: Origin): void;
  /** `length` bytes of the message are missing here. */
  missing(length: number, origin: Origin): void;
  /** The message ends. @param complete false if bytes were missing. */
  end(origin: Origin, complete: boolean): void;
  /** Frame boundaries are lost; called once, and from then on every byte is `unread`. */
  lost(why: string, origin: Origin): void;
  unread(length: number, origin: Origin): void;
}

//   +-+-+-+-+-------+ +-+-------------+ +---------------------+ +-----------+ +---------
//   |F|R|R|R|opcode | |M| length (7)  | | 16 or 64 bits of it | | mask (32) | | payload
//   +-+-+-+-+-------+ +-+-------------+ +---------------------+ +-----------+ +---------
//                                         if 126, 127             if M
export class WebSocketFrames extends LengthFramed {
  readonly #sink: WebSocketFrameSink;
  #isMasked = false;
  /** Payload bytes so far modulo 4: the position in the mask. */
  #phase = 0;
  #isControl = false;
  #isFinal = false;
  #inMessage = false;
  #isIntact = true;
  #unmasked: Uint8Array = EMPTY_BYTES;

  constructor(sink: WebSocketFrameSink) {
    super('WebSocket frames', HEAD_ROOM);
    this.#sink = sink;
  }

  protected headSize(length: number): number {
    return length < 2 ? 2 : headSize(this.head[1]);
  }

  protected begin(size: number): number | string {
    const { head } = this;
    const opcode = head[0] & 0x0f;
    const short = head[1] & 0x7f;
    const length = short < 126 ? short : short === 126 ? u16be(head, 2) : u32be(head, 2) * 2 ** 32 + u32be(head, 6);
    this.#isFinal = (head[0] & FIN) !== 0;
    this.#isMasked = (head[1] & MASKED) !== 0;
    this.#isControl = opcode >= FIRST_CONTROL;
    this.#phase = 0;
    const why = this.#fault(head[0], opcode, length);
    if (why !== null) return why;
    const isTransformed = (head[0] & RSV1) !== 0;
    // The mask moves to the front, where its index is that of the payload modulo 4.
    if (this.#isMasked) head.copyWithin(0, size - 4, size);
    if (!this.#isControl && opcode !== CONTINUATION) {
      this.#inMessage = true;
      this.#isIntact = true;
      this.#sink.begin(opcode === TEXT, isTransformed, this.first);
    }
    return length;
  }

  protected payload(bytes: Uint8Array, origin: Origin): void {
    if (!this.#isControl) this.#sink.payload(this.#plain(bytes), origin);
  }

  protected missing(length: number, origin: Origin): void {
    this.#phase = (this.#phase + length) & 3;
    if (this.#isControl) return;
    this.#isIntact = false;
    this.#sink.missing(length, origin);
  }

  protected over(origin: Origin): void {
    if (this.#isControl || !this.#isFinal) return;
    this.#inMessage = false;
    this.#sink.end(origin, this.#isIntact);
  }

  protected cut(): void {
    if (this.#inMessage) this.#sink.end(this.last, false);
    this.#inMessage = false;
  }

  protected lost(why: string, origin: Origin): void {
    this.#sink.lost(why, origin);
  }

  protected unread(head: number, rest: number, origin: Origin): void {
    for (const length of [head, rest]) if (length > 0) this.#sink.unread(length, origin);
  }

  #fault(first: number, opcode: number, length: number): string | null {
    if ((first & RSV23) !== 0 || (opcode > BINARY && opcode < FIRST_CONTROL) || opcode > LAST_CONTROL)
      return 'a WebSocket frame with reserved bits or opcode';
    if (length > Number.MAX_SAFE_INTEGER) return 'a WebSocket frame of an impossible length';
    if (this.#isControl) return this.#isFinal && length < 126 ? null : 'a WebSocket control frame in parts';
    return (opcode === CONTINUATION) === this.#inMessage ? null : 'WebSocket fragments that do not follow each other';
  }

  #plain(bytes: Uint8Array): Uint8Array {
    if (!this.#isMasked) return bytes;
    const { length } = bytes;
    if (this.#unmasked.length < length) this.#unmasked = new Uint8Array(Math.max(length, 256));
    const out = this.#unmasked;
    const mask = this.head;
    const phase = this.#phase;
    for (let i = 0; i < length; i++) out[i] = bytes[i] ^ mask[(phase + i) & 3];
    this.#phase = (phase + length) & 3;
    return out.subarray(0, length);
  }
}

function headSize(second: number): number {
  const length = second & 0x7f;
  return 2 + (length < 126 ? 0 : length === 126 ? 2 : 8) + ((second & MASKED) === 0 ? 0 : 4);
}

/** Bytes of the longest frame header: two, eight of length, four of mask. */
const HEAD_ROOM = 14;
const FIN = 0x80;
const RSV1 = 0x40;
const RSV23 = 0x30;
const MASKED = 0x80;
const CONTINUATION = 0;
const TEXT = 1;
const BINARY = 2;
const FIRST_CONTROL = 8;
const LAST_CONTROL = 10;
