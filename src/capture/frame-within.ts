// A frame as it stands in a buffer with others. Knows where it stands, nothing of what it holds.

import type { Origin } from '../core/origin.js';
import type { Frame } from './frame.js';

/** A view of a packet's bytes costs as much as to read its headers, and half of them carry nothing: it is made when asked for. */
export class FrameWithin implements Frame {
  readonly kind = 'frame';
  readonly origin: Origin;
  readonly linkType: number;
  readonly originalLength: number;
  readonly digits: 6 | 9;
  // Private, so that a copy of this object with other data has no place in the buffer.
  readonly #within: Uint8Array;
  readonly #start: number;
  readonly #end: number;

  /** @param within a plain Uint8Array, that is, no Buffer: one hidden class for everyone behind. */
  constructor(
    origin: Origin,
    linkType: number,
    within: Uint8Array,
    start: number,
    end: number,
    originalLength: number,
    digits: 6 | 9,
  ) {
    this.origin = origin;
    this.linkType = linkType;
    this.originalLength = originalLength;
    this.digits = digits;
    this.#within = within;
    this.#start = start;
    this.#end = end;
  }

  get within(): Uint8Array {
    return this.#within;
  }

  get start(): number {
    return this.#start;
  }

  get end(): number {
    return this.#end;
  }

  get data(): Uint8Array {
    return new Uint8Array(this.#within.buffer, this.#within.byteOffset + this.#start, this.#end - this.#start);
  }
}
