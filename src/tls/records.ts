// Cuts one direction of a TLS connection into records (RFC 8446, 5.1), and finds the next record after a loss. Only the tag of a record
// proves that its header was a real one.

import { ByteQueue } from '../core/bytes/byte-queue.js';
import { EMPTY_BYTES } from '../core/bytes/bytes.js';
import { APPLICATION_DATA, CHANGE_CIPHER_SPEC } from '../core/first-bytes.js';

/** Bytes of an alert in clear: header, level, description. */
export const PLAIN_ALERT = 5 + 2;

/**
 * Use: `push(bytes)`, then `next()` until it is false; `record` and `lost` describe the record found. Only records that span
 * pieces are copied.
 *
 *   piece    | record | record | rec…          next(), next(), then the start of the third waits in the queue
 *   piece    |…ord | record |                  next() fills the queue up to one record, then cuts from the piece again
 */
export class RecordReader {
  /** The record with its header, borrowed: valid until the next call. */
  record: Uint8Array = EMPTY_BYTES;
  /** Bytes lost before this record; Infinity if their number is unknown. */
  lost = 0;
  /** Whether bytes that are no record followed without a loss before them. */
  malformed = false;

  readonly #queue = new ByteQueue();
  /** Bytes that the queue waits for: a header, then a record. */
  #need = HEADER;
  #input: Uint8Array = EMPTY_BYTES;
  #at = 0;
  #scanning = false;
  #lost = 0;

  /** Bytes that wait for the rest of their record. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** Bytes lost since the last record; Infinity if their number is unknown. */
  get pendingLoss(): number {
    return this.#lost;
  }

  /** The first bytes may be inside a record: searches for the first header. */
  startAnywhere(): void {
    this.#scanning = true;
  }

  push(bytes: Uint8Array): void {
    this.#input = bytes;
    this.#at = 0;
  }

  /** Bytes are missing here (null: an unknown number): searches for the next header. */
  gap(length: number | null): void {
    this.#lost += (length ?? Number.POSITIVE_INFINITY) + this.#queue.length;
    this.#queue.clear();
    this.#need = HEADER;
    this.#scanning = true;
  }

  next(): boolean {
    for (;;) {
      if (this.#queue.length === 0 && this.#cut()) return true;
      if (this.#at >= this.#input.length) break;
      if (this.#topUp()) return true;
    }
    this.#input = EMPTY_BYTES;
    this.#at = 0;
    return false;
  }

  /** Cuts a record that is whole in the piece; otherwise the rest of the piece will begin the queue. */
  #cut(): boolean {
    const input = this.#input;
    if (this.#scanning) this.#scan();
    const left = input.length - this.#at;
    if (left < HEADER) return false;
    if (!isHeader(input, this.#at)) {
      this.#lose();
      return false;
    }
    const length = HEADER + ((input[this.#at + 3] << 8) | input[this.#at + 4]);
    if (left < length) return false;
    this.#found(input.subarray(this.#at, this.#at + length));
    this.#at += length;
    return true;
  }

  #topUp(): boolean {
    const queue = this.#queue;
    // After #cut has lost the framing, it scans the piece itself.
    if (queue.length === 0 && this.#scanning && this.#input.length - this.#at >= HEADER) return false;
    const take = Math.min(this.#need - queue.length, this.#input.length - this.#at);
    queue.push(this.#input.subarray(this.#at, this.#at + take), this.#need);
    this.#at += take;
    if (queue.length < this.#need) return false;
    const head = queue.peek();
    if (this.#need > HEADER) {
      this.#found(head);
      // The memory of the queue does not change until the next push, so `record` remains valid.
      queue.consume(this.#need);
      this.#need = HEADER;
      return true;
    }
    if (this.#scanning ? isLikelyHeader(head, 0) : isHeader(head, 0)) {
      this.#need = HEADER + ((head[3] << 8) | head[4]);
      return false;
    }
    this.#lose();
    // Drops bytes up to one that can begin a header; usually there is none, and the piece is scanned without the queue again.
    let drop = 1;
    while (drop < HEADER && (head[drop] < CHANGE_CIPHER_SPEC || head[drop] > APPLICATION_DATA)) drop += 1;
    queue.consume(drop);
    this.#lost += drop;
    return false;
  }

  /** Moves to the next likely header in the piece, or so near its end that a header could begin there. */
  #scan(): void {
    const input = this.#input;
    const last = input.length - HEADER;
    let at = this.#at;
    while (at <= last && !isLikelyHeader(input, at)) at += 1;
    this.#lost += at - this.#at;
    this.#at = at;
    this.#scanning = at > last;
  }

  #found(record: Uint8Array): void {
    this.record = record;
    this.lost = this.#lost;
    this.#lost = 0;
    this.#scanning = false;
  }

  #lose(): void {
    if (!this.#scanning) this.malformed = true;
    this.#scanning = true;
  }
}

/** Whether five bytes can be a record header: a known type, SSL 3.0 … TLS 1.3, a length within the limit. */
export function isHeader(b: Uint8Array, at: number): boolean {
  const type = b[at];
  if (type < CHANGE_CIPHER_SPEC || type > APPLICATION_DATA || b[at + 1] !== 3 || b[at + 2] > 4) return false;
  const length = (b[at + 3] << 8) | b[at + 4];
  return length > 0 && length <= RECORD_LIMIT;
}

/**
 * Stricter, for bytes in which a header may begin anywhere: a protected record has a tag and content. Random bytes pass once in
 * 2^24; a wrong header costs one record.
 */
export function isLikelyHeader(b: Uint8Array, at: number): boolean {
  const type = b[at];
  if (type < CHANGE_CIPHER_SPEC || type > APPLICATION_DATA || b[at + 1] !== 3 || b[at + 2] === 0 || b[at + 2] > 3) {
    return false;
  }
  const length = (b[at + 3] << 8) | b[at + 4];
  return type === CHANGE_CIPHER_SPEC ? length === 1 : length >= SHORTEST && length <= RECORD_LIMIT;
}

const HEADER = 5;

/** Content type, one byte and the tag of CCM_8. */
const SHORTEST = 10;

/** Limit in bytes: one record: 2^14 of plaintext and 2,048 of expansion (RFC 5246, 6.2.3). */
export const RECORD_LIMIT = 16_384 + 2_048;
