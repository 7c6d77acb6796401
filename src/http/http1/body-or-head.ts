// What follows a response head whose request was not seen: the body that it declares or, as a HEAD request is answered
// without one (RFC 9112, section 6.3), the next head. Knows the bytes behind the head, no messages.

import { concat, copyOf, EMPTY_BYTES } from '../../core/bytes/bytes.js';
import { isInOrder, type Origin } from '../../core/origin.js';
import { STATUS_LINE_START, seemsHead } from './resync.js';

export class BodyOrHead {
  /** State in which the body is read, if it is one. */
  readonly bodyState: number;
  readonly #headLast: Origin;
  /** Bytes that began like a head so far; fewer than `STATUS_LINE_START`. */
  #kept = EMPTY_BYTES;
  #origin: Origin | null = null;

  /** @param headLast frame of the head's last byte. */
  constructor(bodyState: number, headLast: Origin) {
    this.bodyState = bodyState;
    this.#headLast = headLast;
  }

  /** Where a message without a body ended, told now that the `next` head is there: too late to be told in its place, there. */
  endBefore(next: Origin): Origin {
    return isInOrder(this.#headLast, next) ? this.#headLast : next;
  }

  /** @returns what begins with the bytes that are kept and those from `start` on; of `more` bytes it kept a copy. */
  look(bytes: Uint8Array, start: number, origin: Origin): 'body' | 'head' | 'more' {
    const next = bytes.subarray(start, start + STATUS_LINE_START - this.#kept.length);
    const beginning = this.#kept.length === 0 ? next : concat([this.#kept, next]);
    if (!seemsHead(beginning, 0, 'server')) return 'body';
    if (beginning.length === STATUS_LINE_START) return 'head';
    this.#kept = copyOf(beginning);
    this.#origin ??= origin;
    return 'more';
  }

  /** The bytes that are kept, to be read first, with the frame of the first of them; null: none. They are no longer kept. */
  take(): { readonly bytes: Uint8Array; readonly origin: Origin } | null {
    if (this.#kept.length === 0) return null;
    const taken = { bytes: this.#kept, origin: this.#origin! };
    this.#kept = EMPTY_BYTES;
    return taken;
  }
}
