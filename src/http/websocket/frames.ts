// Cuts one direction of a connection into WebSocket frames and messages (RFC 6455 section 5). Payload is passed on as it arrives.

import { EMPTY_BYTES, u16be, u32be } from '../../core/bytes/bytes.js';
import type { Origin } from '../../core/origin.js';

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
export class WebSocketFrames {
  readonly #sink: WebSocketFrameSink;
  readonly #head = new Uint8Array(HEAD_ROOM);
  #headLength = 0;
  #headFirst: Origin | null = null;
  /** Remaining payload of the frame. */
  #left = 0;
  #isMasked = false;
  /** Payload bytes so far modulo 4: the position in the mask. */
  #phase = 0;
  #isControl = false;
  #isFinal = false;
  #inMessage = false;
  #isIntact = true;
  #isLost = false;
  #last: Origin | null = null;
  #unmasked: Uint8Array = EMPTY_BYTES;

  constructor(sink: WebSocketFrameSink) {
    this.#sink = sink;
  }

  feed(bytes: Uint8Array, origin: Origin): void {
    this.#last = origin;
    let at = 0;
    while (at < bytes.length && !this.#isLost) {
      if (this.#left > 0) {
        const end = Math.min(bytes.length, at + this.#left);
        if (!this.#isControl) this.#sink.payload(this.#plain(bytes.subarray(at, end)), origin);
        this.#left -= end - at;
        at = end;
        if (this.#left === 0) this.#frameOver(origin);
        continue;
      }
      if (this.#headLength === 0) this.#headFirst = origin;
      this.#head[this.#headLength++] = bytes[at++];
      if (this.#headLength >= 2 && this.#headLength === headSize(this.#head[1])) this.#headOver(origin);
    }
    if (at < bytes.length) this.#sink.unread(bytes.length - at, origin);
  }

  gap(length: number | null, origin: Origin): void {
    if (this.#isLost || length === 0) return;
    // Within a frame of known length the position of the next one is known too.
    if (length === null || length > this.#left) {
      this.#lose('bytes are missing between WebSocket frames', origin, 0);
      return;
    }
    this.#left -= length;
    this.#phase = (this.#phase + length) & 3;
    if (!this.#isControl) {
      this.#isIntact = false;
      this.#sink.missing(length, origin);
    }
    if (this.#left === 0) this.#frameOver(origin);
  }

  /** Ends an unfinished message as it is; a part of a frame header is ignored. */
  end(): void {
    if (this.#inMessage) this.#sink.end(this.#last!, false);
    this.#inMessage = false;
    this.#headLength = 0;
  }

  #headOver(origin: Origin): void {
    const head = this.#head;
    const size = this.#headLength;
    const opcode = head[0] & 0x0f;
    const length = head[1] & 0x7f;
    this.#headLength = 0;
    this.#isFinal = (head[0] & FIN) !== 0;
    this.#isMasked = (head[1] & MASKED) !== 0;
    this.#isControl = opcode >= FIRST_CONTROL;
    this.#phase = 0;
    this.#left = length < 126 ? length : length === 126 ? u16be(head, 2) : u32be(head, 2) * 2 ** 32 + u32be(head, 6);
    const why = this.#fault(head[0], opcode);
    if (why !== null) {
      this.#lose(why, origin, size);
      return;
    }
    const isTransformed = (head[0] & RSV1) !== 0;
    // The mask moves to the front, where its index is that of the payload modulo 4.
    if (this.#isMasked) head.copyWithin(0, size - 4, size);
    if (!this.#isControl && opcode !== CONTINUATION) {
      this.#inMessage = true;
      this.#isIntact = true;
      this.#sink.begin(opcode === TEXT, isTransformed, this.#headFirst!);
    }
    if (this.#left === 0) this.#frameOver(origin);
  }

  #fault(first: number, opcode: number): string | null {
    if ((first & RSV23) !== 0 || (opcode > BINARY && opcode < FIRST_CONTROL) || opcode > LAST_CONTROL)
      return 'a WebSocket frame with reserved bits or opcode';
    if (this.#left > Number.MAX_SAFE_INTEGER) return 'a WebSocket frame of an impossible length';
    if (this.#isControl) return this.#isFinal && this.#left < 126 ? null : 'a WebSocket control frame in parts';
    return (opcode === CONTINUATION) === this.#inMessage ? null : 'WebSocket fragments that do not follow each other';
  }

  #frameOver(origin: Origin): void {
    if (this.#isControl || !this.#isFinal) return;
    this.#inMessage = false;
    this.#sink.end(origin, this.#isIntact);
  }

  /** @param unread bytes of an invalid frame header. */
  #lose(why: string, origin: Origin, unread: number): void {
    this.#left = 0;
    this.end();
    this.#isLost = true;
    this.#sink.lost(why, origin);
    if (unread > 0) this.#sink.unread(unread, origin);
  }

  #plain(bytes: Uint8Array): Uint8Array {
    if (!this.#isMasked) return bytes;
    const { length } = bytes;
    if (this.#unmasked.length < length) this.#unmasked = new Uint8Array(Math.max(length, 256));
    const out = this.#unmasked;
    const mask = this.#head;
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
