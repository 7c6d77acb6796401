// Walks the records of a capture file, whatever their layout: one after another while they are sound, a bounded search
// for the next sound one after damage, an honest count where nothing more is found. Knows no byte of any format.

import { type CaptureLog, FRAME_LIMIT } from './log.js';

/** What a file format says about its records. */
export interface RecordLayout {
  /** After an answer that more bytes are needed: how many, counted from the start of that record. */
  readonly needed: number;
  /**
   * Reads the record at `at` and says what is in it.
   * @param copy frames must not be views of `bytes`.
   * @param final no more bytes will come.
   * @returns its size in bytes, or MORE, or DAMAGED.
   */
  read(bytes: Uint8Array, at: number, copy: boolean, final: boolean): number;
  /** Whether a record begins at `at`, strictly judged, as anything may stand there: YES, MORE or DAMAGED. */
  believable(bytes: Uint8Array, at: number, final: boolean): number;
  /** The file is over: what only then can be said. */
  end(): void;
}

export const YES = 1;
export const MORE = 0;
export const DAMAGED = -1;

//   file   [ records … | damaged … skipped … | records … | cut ]
//                       ^damagedAt            ^believable
export class RecordScanner {
  readonly #layout: RecordLayout;
  readonly #log: CaptureLog;
  #state: 'records' | 'search' | 'lost' = 'records';
  /** Bytes of the file before the buffer at hand. */
  #offset = 0;
  #damagedAt = 0;
  /** The search began because the file ended within a record, not because the record was wrong. */
  #cut = false;

  constructor(layout: RecordLayout, log: CaptureLog) {
    this.#layout = layout;
    this.#log = log;
  }

  /** Bytes, counted from where `read` stopped, that it wants to see before it is called again. */
  get needed(): number {
    return this.#layout.needed;
  }

  /**
   * Reads every whole record at the start of `bytes`. The results do not depend on how the file is cut into buffers.
   * @returns the number of bytes it is done with; fewer than `needed` are left.
   */
  read(bytes: Uint8Array, copy: boolean, final: boolean): number {
    let at = 0;
    for (;;) {
      const state = this.#state;
      if (state === 'records') at = this.#records(bytes, at, copy, final);
      else if (state === 'search') at = this.#search(bytes, at, final);
      else at = bytes.length;
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
      // The end within a record is as often a wrong length as a cut file: sound records behind it tell.
      this.#cut = size === MORE;
      this.#damagedAt = this.#offset + at;
      this.#state = 'search';
      return at + 1;
    }
    return at;
  }

  #search(bytes: Uint8Array, start: number, final: boolean): number {
    for (let at = start; at < bytes.length; at += 1) {
      const skipped = this.#offset + at - this.#damagedAt;
      if (skipped > SEARCH_LIMIT) {
        this.#state = 'lost';
        return at;
      }
      const answer = this.#layout.believable(bytes, at, final);
      if (answer === YES) {
        this.#state = 'records';
        this.#log.damage(skipped, `${skipped} bytes from byte ${this.#damagedAt} of the file on were skipped`);
        return at;
      }
      if (answer === MORE && !final) return at;
    }
    return bytes.length;
  }

  #end(left: number): void {
    this.#layout.end();
    if (this.#state === 'records') return;
    const lost = this.#offset + left - this.#damagedAt;
    if (this.#cut) this.#log.truncated(`the file ends ${lost} bytes into a packet or block`);
    else this.#log.damage(lost, `${lost} bytes from byte ${this.#damagedAt} of the file to its end were given up`);
  }
}

/** How far the next record is looked for: four packets of the largest size, so two damaged headers in a row are survived. */
export const SEARCH_LIMIT = 4 * FRAME_LIMIT;
