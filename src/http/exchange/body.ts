// A whole body: collected while it comes, kept as it came, decoded when asked.

import { allocate, copyRange, EMPTY_BYTES } from '../../core/bytes/bytes.js';
import type { Body } from '../exchange-event.js';
import { type Decoded, decodeContent } from './content.js';

/** Bytes of one body that are kept; a list of ten thousand Pods as JSON. More are counted, not kept. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** What the first piece of a body can buy with the length that its head declares: so many times its own. */
const MAX_ROOM_AHEAD = 4;

/** Bytes of a body so far. Room is made as the head declares it, else by doubling, so any cut costs the same. */
export class BodyCollector {
  /** All that came, kept or not. */
  length = 0;
  #bytes: Uint8Array = EMPTY_BYTES;
  #kept = 0;
  readonly #declared: number;

  /** @param declared bytes that the head says there are; 0 or less where it does not. Nothing depends on whether it is true. */
  constructor(declared = 0) {
    this.#declared = declared;
  }

  get kept(): number {
    return this.#kept;
  }

  /** @param room bytes that may still be kept. */
  push(piece: Uint8Array, room: number): void {
    this.length += piece.length;
    const more = Math.min(piece.length, room, MAX_BODY_BYTES - this.#kept);
    if (more <= 0) return;
    const taken = more === piece.length ? piece : piece.subarray(0, more);
    const kept = this.#kept;
    this.#kept = kept + more;
    if (kept === 0) {
      if (this.#declared <= more || this.#declared > more * MAX_ROOM_AHEAD) {
        this.#bytes = copyRange(taken);
        return;
      }
      this.#bytes = allocate(this.#declared);
    }
    if (this.#kept > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(this.#kept, kept * 2));
      grown.set(this.#bytes.subarray(0, kept));
      this.#bytes = grown;
    }
    this.#bytes.set(taken, kept);
  }

  /** What was kept; the collector gives it away. */
  take(): Uint8Array {
    // Half-empty room would be held as long as the message is.
    if (this.#bytes.length === this.#kept) return this.#bytes;
    return this.#bytes.length - this.#kept > this.#kept >> 2
      ? copyRange(this.#bytes, 0, this.#kept)
      : this.#bytes.subarray(0, this.#kept);
  }
}

/**
 * @param bytes kept as they are, not copied.
 * @param length bytes on the wire.
 */
export function bodyOf(
  bytes: Uint8Array,
  length: number,
  contentType: string,
  contentEncoding: string,
  complete: boolean,
): Body {
  return new KeptBody(bytes, length, contentType, contentEncoding, complete);
}

class KeptBody implements Body {
  readonly length: number;
  readonly contentType: string;
  readonly contentEncoding: string;
  readonly complete: boolean;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array, length: number, contentType: string, contentEncoding: string, complete: boolean) {
    this.#bytes = bytes;
    this.length = length;
    this.contentType = contentType;
    this.contentEncoding = contentEncoding;
    this.complete = complete;
  }

  read(): Decoded {
    const decoded = decodeContent(this.#bytes, this.contentEncoding);
    return this.complete ? decoded : { ...decoded, complete: false };
  }
}
