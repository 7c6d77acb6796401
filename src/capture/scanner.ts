// Walks the records of a capture file and, after damage, searches for the next intact record within a limit. One record that
// looks intact is not enough: anyone can send packets with records in them, and a connection can carry a capture file.

import { type CaptureLog, FRAME_LIMIT } from './log.js';

/** What a file format defines about its records. */
export interface RecordLayout {
  /** After MORE: the number of bytes needed, counted from the start of the record. */
  readonly needed: number;
  /**
   * Reads the record at `at` and emits its content.
   * @param copy frames must not be views of `bytes`.
   * @param final no more bytes will come.
   * @returns its size in bytes, or MORE, or DAMAGED.
   */
  read(bytes: Uint8Array, at: number, copy: boolean, final: boolean): number;
  /**
   * Judges the record at `at` strictly, because it may be anything, and does not read it.
   * @param isFirst true: it begins a chain of records; false: it continues the chain of the latest call, whose state (a byte order,
   *   interfaces) counts.
   * @returns its size in bytes, or MORE, or DAMAGED.
   */
  probe(bytes: Uint8Array, at: number, final: boolean, isFirst: boolean): number;
  /** Where the packet of a record ends, by the record's own numbers, if the end of the file cuts the record. */
  packetEnd(bytes: Uint8Array, at: number): number;
  /** Ends the file; emits what is only known then. */
  end(): void;
}

export const MORE = 0;
export const DAMAGED = -1;

//   file   [ records … | damaged … skipped … | records … | cut ]
//                       ^damagedAt            ^found
export class RecordScanner {
  readonly #layout: RecordLayout;
  readonly #log: CaptureLog;
  #state: 'records' | RecordSearch | 'lost' = 'records';
  /** Bytes of the file before the current buffer. */
  #offset = 0;
  #damagedAt = 0;
  /** The search began because the file ended within a record, not because a record was wrong. */
  #cut = false;
  /** How often a short run of records was accepted. */
  #shorts = 0;

  constructor(layout: RecordLayout, log: CaptureLog) {
    this.#layout = layout;
    this.#log = log;
  }

  /** Bytes, counted from where `read` stopped, that the next call of `read` needs. */
  get needed(): number {
    return this.#state instanceof RecordSearch ? this.#state.needed : this.#layout.needed;
  }

  /**
   * Reads every whole record at the start of `bytes`. The result does not depend on how the file is cut into buffers.
   * @returns the number of consumed bytes; fewer than `needed` are left.
   */
  read(bytes: Uint8Array, copy: boolean, final: boolean): number {
    let at = 0;
    for (;;) {
      const state = this.#state;
      if (state === 'records') at = this.#records(bytes, at, copy, final);
      else if (state === 'lost') at = bytes.length;
      else at = this.#search(state, bytes, at, final);
      if (this.#state === state) break;
    }
    this.#offset += at;
    if (final) this.#end(bytes.length - at);
    return at;
  }

  #records(bytes: Uint8Array, start: number, copy: boolean, final: boolean): number {
    const layout = this.#layout;
    let at = start;
    while (at < bytes.length) {
      const size = layout.read(bytes, at, copy, final);
      if (size > 0) {
        at += size;
        continue;
      }
      if (size === MORE && !final) return at;
      this.#cut = size === MORE;
      this.#damagedAt = this.#offset + at;
      this.#state = new RecordSearch(layout, this.#damagedAt, this.#shorts < SHORTS_LIMIT);
      // A record past the end of the file is either cut or has a wrong length; intact records after it decide. The search
      // skips the bytes of its packet, because a sender could have put records into them.
      return this.#cut ? Math.min(Math.max(at + 1, layout.packetEnd(bytes, at)), bytes.length) : at + 1;
    }
    return at;
  }

  #search(search: RecordSearch, bytes: Uint8Array, start: number, final: boolean): number {
    const at = search.advance(bytes, this.#offset, start, final);
    if (search.result === 'lost') this.#state = 'lost';
    if (search.result === 'found') {
      this.#state = 'records';
      if (search.isShort) this.#shorts += 1;
      const skipped = this.#offset + at - this.#damagedAt;
      this.#log.damage(skipped, `${skipped} bytes from byte ${this.#damagedAt} of the file on were skipped`);
    }
    return at;
  }

  #end(left: number): void {
    this.#layout.end();
    if (this.#state === 'records') return;
    const lost = this.#offset + left - this.#damagedAt;
    if (this.#cut) this.#log.truncated(`the file ends ${lost} bytes into a packet or block`);
    else this.#log.damage(lost, `${lost} bytes from byte ${this.#damagedAt} of the file to its end were given up`);
  }
}

// Finds where the records continue after damage. Positions are bytes of the file.
//
//   file   [ … | damaged … | short run: record record ?? … | record record record record … ]
//               ^from        ^#short, if its reach has no longer run    ^WALK_LIMIT: found
class RecordSearch {
  result: 'searching' | 'found' | 'lost' = 'searching';
  /** No run of WALK_LIMIT bytes was found: the result is the longest one that ended before, by damage or within a packet. */
  isShort = false;
  /** Bytes, counted from where `advance` stopped, that the next call needs. */
  needed = 0;
  readonly #layout: RecordLayout;
  readonly #from: number;
  readonly #acceptsShort: boolean;
  #next: number;
  #short = -1;
  #shortBytes = 0;
  /** Positions from which records do not continue: none is walked from twice. */
  readonly #broken = new Set<number>();

  /**
   * @param from beginning of the damage.
   * @param acceptsShort whether a short run of records is better than none.
   */
  constructor(layout: RecordLayout, from: number, acceptsShort: boolean) {
    this.#layout = layout;
    this.#from = from;
    this.#next = from;
    this.#acceptsShort = acceptsShort;
  }

  /**
   * @param offset position of `bytes`.
   * @returns the number of consumed bytes; the next record begins after them if one was found.
   */
  advance(bytes: Uint8Array, offset: number, start: number, final: boolean): number {
    let position = Math.max(offset + start, this.#next);
    for (; position < offset + bytes.length; position += 1) {
      if (this.#short >= 0 && position - this.#short > WALK_LIMIT) break;
      if (this.#short < 0 && position - this.#from > SEARCH_LIMIT) {
        this.result = 'lost';
        return position - offset;
      }
      const reached = this.#walk(bytes, offset, position, final);
      if (reached === FOUND) {
        this.result = 'found';
        return position - offset;
      }
      if (reached !== ENDED) return this.#wait(position, reached + this.#layout.needed) - offset;
    }
    if (this.#short < 0) return bytes.length;
    if (!final && position - this.#short <= WALK_LIMIT) return this.#wait(position, position + 1) - offset;
    this.result = 'found';
    this.isShort = true;
    return this.#short - offset;
  }

  /**
   * Follows records until they are too far apart for one packet to contain them all, or the file ends.
   * @returns FOUND, ENDED, or the position of the record that needs more bytes.
   */
  #walk(bytes: Uint8Array, offset: number, start: number, final: boolean): number {
    const passed: number[] = [];
    let position = start;
    for (;;) {
      if (final && position === offset + bytes.length) return FOUND;
      const isBroken = this.#broken.has(position);
      const size = isBroken ? DAMAGED : this.#layout.probe(bytes, position - offset, final, position === start);
      if (size === MORE && !final) return position;
      // The last record of a file may be cut.
      if (size === MORE && position > start) return FOUND;
      if (size <= 0) break;
      if (position - start > WALK_LIMIT) return FOUND;
      passed.push(position);
      position += size;
    }
    for (const one of passed) this.#broken.add(one);
    if (this.#acceptsShort && passed.length > 1 && position - start > this.#shortBytes) {
      this.#short = start;
      this.#shortBytes = position - start;
    }
    return ENDED;
  }

  /** Suspends the search at `position` until there are bytes up to `until`. @returns the position from which bytes are needed. */
  #wait(position: number, until: number): number {
    const from = this.#short < 0 ? position : this.#short;
    this.#next = position;
    this.needed = Math.max(until - from, WALK_LIMIT);
    return from;
  }
}

const FOUND = -1;
const ENDED = -2;
/**
 * Limit in bytes: reach of the search for the next record after a damaged one: four of the largest packets, so two damaged headers in
 * a row do no harm.
 */
export const SEARCH_LIMIT = 4 * FRAME_LIMIT;
/**
 * Limit in bytes: reach over which records must follow each other to be accepted: an IP packet, which could contain forged ones, has
 * fewer.
 */
const WALK_LIMIT = 64 * 1024;
/**
 * Limit: how often a shorter run of records is accepted if nothing longer is within reach, as in a file full of damage: each makes the
 * search go again over up to WALK_LIMIT bytes.
 */
const SHORTS_LIMIT = 256;
