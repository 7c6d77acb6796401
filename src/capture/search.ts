// Finds where the records of a capture file go on behind damage. Whoever can send a packet can write records into it, and
// a capture can be what a connection carries: one that looks sound is not enough, others must follow it for longer than
// a packet. Knows no byte of any format; places are bytes of the file.

import { DAMAGED, MORE, type RecordLayout } from './layout.js';
import { FRAME_LIMIT } from './log.js';

//   file   [ … | damaged … | short walk: record record ?? … | record record record … ]
//               ^from        ^#short, if nothing longer is within its reach          ^WALK_LIMIT: found
export class RecordSearch {
  result: 'looking' | 'found' | 'lost' = 'looking';
  /** The walk that ended early and was the longest of those: damage again, or records within a packet. */
  isShort = false;
  /** Bytes, counted from where `look` stopped, that it wants to see before it is called again. */
  needed = 0;
  readonly #layout: RecordLayout;
  readonly #from: number;
  readonly #takesShort: boolean;
  #looked: number;
  #short = -1;
  #shortBytes = 0;
  /** Places from which records do not go on: none is walked from twice. */
  readonly #broken = new Set<number>();

  /**
   * @param from the damage begins there.
   * @param takesShort whether records that do not go on for long are better than none.
   */
  constructor(layout: RecordLayout, from: number, takesShort: boolean) {
    this.#layout = layout;
    this.#from = from;
    this.#looked = from;
    this.#takesShort = takesShort;
  }

  /**
   * @param offset place of `bytes`.
   * @returns how many bytes are done with; behind them the next record begins where one was found.
   */
  look(bytes: Uint8Array, offset: number, start: number, final: boolean): number {
    let place = Math.max(offset + start, this.#looked);
    for (; place < offset + bytes.length; place += 1) {
      if (this.#short >= 0 && place - this.#short > WALK_LIMIT) break;
      if (this.#short < 0 && place - this.#from > SEARCH_LIMIT) {
        this.result = 'lost';
        return place - offset;
      }
      const reached = this.#walk(bytes, offset, place, final);
      if (reached === FOUND) {
        this.result = 'found';
        return place - offset;
      }
      if (reached !== ENDED) return this.#wait(place, reached + this.#layout.needed) - offset;
    }
    if (this.#short < 0) return bytes.length;
    if (!final && place - this.#short <= WALK_LIMIT) return this.#wait(place, place + 1) - offset;
    this.result = 'found';
    this.isShort = true;
    return this.#short - offset;
  }

  /**
   * Goes from record to record, until they are too far from each other for one packet to hold them all, or the file ends.
   * @returns FOUND, ENDED, or the place of the record that more bytes are needed for.
   */
  #walk(bytes: Uint8Array, offset: number, start: number, final: boolean): number {
    const passed: number[] = [];
    let place = start;
    for (;;) {
      if (final && place === offset + bytes.length) return FOUND;
      const isBroken = this.#broken.has(place);
      const size = isBroken ? DAMAGED : this.#layout.believable(bytes, place - offset, final, place === start);
      if (size === MORE && !final) return place;
      // The last record of a file may be cut.
      if (size === MORE && place > start) return FOUND;
      if (size <= 0) break;
      if (place - start > WALK_LIMIT) return FOUND;
      passed.push(place);
      place += size;
    }
    for (const one of passed) this.#broken.add(one);
    if (this.#takesShort && passed.length > 1 && place - start > this.#shortBytes) {
      this.#short = start;
      this.#shortBytes = place - start;
    }
    return ENDED;
  }

  /** Looks on at `place` when there are bytes up to `until`; @returns the place from which on they are needed. */
  #wait(place: number, until: number): number {
    const from = this.#short < 0 ? place : this.#short;
    this.#looked = place;
    this.needed = Math.max(until - from, WALK_LIMIT);
    return from;
  }
}

const FOUND = -1;
const ENDED = -2;

/** How far the next record is looked for: four packets of the largest size, so two damaged headers in a row are survived. */
export const SEARCH_LIMIT = 4 * FRAME_LIMIT;
/** Bytes over which records must follow each other to be believed: an IP packet, within which others may stand, has fewer. */
const WALK_LIMIT = 64 * 1024;
