// Collects a whole body as it was transferred, and decodes it on demand.

import { allocate, copyRange, EMPTY_BYTES } from '../../core/bytes/bytes.js';
import type { Body } from '../exchange-event.js';
import { type Decoded, decodeContent } from './content.js';

/** Limit in bytes: kept part of one body: a list of ten thousand Pods as JSON. More are only counted. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** Limit: the declared length of a body is only allocated up to so many times its first piece, because it may be a lie. */
const MAX_ROOM_AHEAD = 4;

/** The buffer has the declared length or grows by doubling, so the cost does not depend on how the body is cut. */
export class BodyCollector {
  /** Bytes of the body so far, kept or not. */
  length = 0;
  #bytes: Uint8Array = EMPTY_BYTES;
  #kept = 0;
  readonly #declared: number;

  /** @param declared length by the head; 0 or less without one. Only the allocation depends on it. */
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

  /** The kept bytes; the collector must not be used afterwards. */
  take(): Uint8Array {
    // A half-empty buffer would live as long as the message.
    if (this.#bytes.length === this.#kept) return this.#bytes;
    return this.#bytes.length - this.#kept > this.#kept >> 2
      ? copyRange(this.#bytes, 0, this.#kept)
      : this.#bytes.subarray(0, this.#kept);
  }
}

/** @param bytes are not copied. @param length bytes on the wire. */
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
