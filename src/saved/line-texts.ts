// Remembers texts of lines by their bytes, as lines name the same participants, connections, targets and objects again and again.

import { text } from '../core/bytes/bytes.js';

/** A text that stands at `start`, as long as its bytes are the same as before; each text has one slot, from its length and last bytes. */
export class LineTexts {
  readonly #texts = new Array<string>(MAX_LINE_TEXTS).fill('');
  readonly #lengths = new Uint8Array(MAX_LINE_TEXTS);
  readonly #bytes = new Uint8Array(MAX_LINE_TEXTS * LONGEST);
  readonly #view = new DataView(this.#bytes.buffer);

  /** @param view of `bytes`. @param end behind the text, which is in ASCII. */
  get(bytes: Uint8Array, view: DataView, start: number, end: number): string {
    const length = end - start;
    if (length < 4 || length > LONGEST) return text(bytes, start, end);
    const slot = slotOf(view, start, end);
    const place = slot * LONGEST;
    if (this.#lengths[slot] === length && this.#holds(view, start, end, place)) return this.#texts[slot];
    const found = text(bytes, start, end);
    this.#texts[slot] = found;
    this.#lengths[slot] = length;
    for (let i = 0; i < length; i++) this.#bytes[place + i] = bytes[start + i];
    return found;
  }

  /** Compares four bytes at a time, the last four first: similar names differ at their ends. */
  #holds(view: DataView, start: number, end: number, place: number): boolean {
    const known = this.#view;
    const last = end - 4;
    if (view.getInt32(last, true) !== known.getInt32(place + last - start, true)) return false;
    for (let at = start, to = place; at < last; at += 4, to += 4)
      if (view.getInt32(at, true) !== known.getInt32(to, true)) return false;
    return true;
  }
}

/** From the length, the last eight bytes and eight in the middle: names of one kind differ there. */
function slotOf(view: DataView, start: number, end: number): number {
  const length = end - start;
  let hash = Math.imul(view.getInt32(end - 4, true) ^ length, FACTOR);
  if (length >= 8) {
    const middle = start + ((length - 8) >> 1);
    hash = Math.imul(hash ^ (hash >>> 15) ^ view.getInt32(end - 8, true), FACTOR);
    hash = Math.imul(hash ^ (hash >>> 15) ^ view.getInt32(middle, true), FACTOR);
    hash = Math.imul(hash ^ (hash >>> 15) ^ view.getInt32(middle + 4, true), FACTOR);
  }
  return (hash ^ (hash >>> 16)) & (MAX_LINE_TEXTS - 1);
}

const FACTOR = 0x9e3779b1;
/** Bytes of a text that is remembered; request targets and user agents are shorter. */
const LONGEST = 160;
/** Limit: texts of lines that are remembered, a power of two: those of a busy minute, in 1.5 MB. */
const MAX_LINE_TEXTS = 8192;
