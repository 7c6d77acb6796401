// Cuts one direction of a connection into frames of a header and a payload whose length the header has. The payload is passed on as it
// arrives. A protocol defines what a header is, and what a frame means.
//
//   [ header ][ payload … ][ header ][ payload … ] …        after a gap between frames, or a header that is none: unread

import type { Origin } from '../../core/origin.js';

export abstract class LengthFramed {
  /** The header of the current frame, as far as it is known. */
  protected readonly head: Uint8Array;
  /** Where the current frame begins, and the latest bytes. */
  protected first!: Origin;
  protected last!: Origin;
  /** Remaining payload of the frame. */
  protected left = 0;
  #headLength = 0;
  readonly #name: string;
  #isLost = false;

  /** @param name of the frames, in words. @param room bytes of the longest header. */
  constructor(name: string, room: number) {
    this.#name = name;
    this.head = new Uint8Array(room);
  }

  /** @param bytes borrowed. */
  feed(bytes: Uint8Array, origin: Origin): void {
    let at = 0;
    let unreadHead = 0;
    this.last = origin;
    while (at < bytes.length && !this.#isLost) {
      if (this.left > 0) {
        const end = Math.min(bytes.length, at + this.left);
        this.payload(bytes.subarray(at, end), origin);
        this.left -= end - at;
        at = end;
        if (this.left === 0) this.over(origin);
        continue;
      }
      if (this.#headLength === 0) this.first = origin;
      this.head[this.#headLength++] = bytes[at++];
      unreadHead = this.#header(this.#headLength, origin);
    }
    if (unreadHead > 0 || at < bytes.length) this.unread(unreadHead, bytes.length - at, origin);
  }

  /** @param length of the missing bytes; null if unknown. */
  gap(length: number | null, origin: Origin): void {
    if (this.#isLost || length === 0) return;
    // Within a frame of known length the position of the next one is known too.
    if (length === null || length > this.left) {
      this.#lose(`bytes are missing between ${this.#name}`, origin, 0);
      return;
    }
    this.left -= length;
    this.missing(length, origin);
    if (this.left === 0) this.over(origin);
  }

  /** Ends an unfinished frame as it is. */
  end(): void {
    this.cut(this.#headLength);
    this.left = 0;
    this.#headLength = 0;
  }

  /** @returns bytes of the header that begins with `length` bytes; 0: none begins so. */
  protected abstract headSize(length: number): number;
  /** A header is whole, or is none. @returns bytes of its payload, or why it is no header. */
  protected abstract begin(size: number): number | string;
  /** The next bytes of the payload, borrowed. */
  protected abstract payload(bytes: Uint8Array, origin: Origin): void;
  /** `length` bytes of the payload are missing here. */
  protected abstract missing(length: number, origin: Origin): void;
  /** The frame ends. */
  protected abstract over(origin: Origin): void;
  /** No more bytes of the current frame come. @param headLength bytes of a header that is not whole. */
  protected abstract cut(headLength: number): void;
  /** Frame boundaries are lost; called once, and from then on every byte is `unread`. @param head bytes that are no header; 0: a gap. */
  protected abstract lost(why: string, origin: Origin, head: number): void;
  /** @param head bytes that were taken for a header before it. */
  protected abstract unread(head: number, rest: number, origin: Origin): void;

  /** @returns bytes that are no header. */
  #header(length: number, origin: Origin): number {
    const size = this.headSize(length);
    if (size > length) return 0;
    this.#headLength = 0;
    const payload = this.begin(length);
    if (typeof payload === 'string') {
      this.#lose(payload, origin, length);
      return length;
    }
    this.left = payload;
    if (payload === 0) this.over(origin);
    return 0;
  }

  #lose(why: string, origin: Origin, head: number): void {
    this.end();
    this.#isLost = true;
    this.lost(why, origin, head);
  }
}
