// What an error channel said, kept within a bound: a Status of a few hundred bytes. Knows bytes, not what they mean.

import { concat, copyOf } from '../../core/bytes/bytes.js';

/** A Status with the longest message that kubelets send, several times over. */
export const MAX_REPORT_BYTES = 16 * 1024;
/** Pieces after which an unfinished report is not put together any more: each time is as much work as the whole. */
export const MAX_REPORT_PIECES = 16;

export class ErrorStatus {
  #parts: Uint8Array[] = [];
  #length = 0;
  #pieces = 0;

  /** Takes the next bytes, borrowed. */
  push(bytes: Uint8Array): void {
    if (this.#length + bytes.length > MAX_REPORT_BYTES || this.#pieces > MAX_REPORT_PIECES) {
      this.#length = MAX_REPORT_BYTES + 1;
      this.#parts = [];
      return;
    }
    this.#length += bytes.length;
    // Byte by byte, many parts make one before there are many.
    if (this.#parts.length >= PARTS_AT_ONCE) this.#parts = [concat(this.#parts)];
    this.#parts.push(copyOf(bytes));
  }

  /** A piece is over: all so far; null where it is too long or in too many pieces to be a report. */
  take(): Uint8Array | null {
    this.#pieces += 1;
    if (this.#length > MAX_REPORT_BYTES || this.#pieces > MAX_REPORT_PIECES) return null;
    const whole = this.#parts.length === 0 ? new Uint8Array(0) : concat(this.#parts);
    this.#parts = [whole];
    return whole;
  }
}

const PARTS_AT_ONCE = 64;
