// Walks the records of a capture file, whatever their layout: one after another while they are sound, a bounded search
// for the next sound one after damage, an honest count where nothing more is found. Knows no byte of any format.

import { MORE, type RecordLayout } from './layout.js';
import type { CaptureLog } from './log.js';
import { RecordSearch } from './search.js';

//   file   [ records … | damaged … skipped … | records … | cut ]
//                       ^damagedAt            ^found
export class RecordScanner {
  readonly #layout: RecordLayout;
  readonly #log: CaptureLog;
  #state: 'records' | RecordSearch | 'lost' = 'records';
  /** Bytes of the file before the buffer at hand. */
  #offset = 0;
  #damagedAt = 0;
  /** The search began because the file ended within a record, not because the record was wrong. */
  #cut = false;
  /** Records were taken that did not go on for long. */
  #shorts = 0;

  constructor(layout: RecordLayout, log: CaptureLog) {
    this.#layout = layout;
    this.#log = log;
  }

  /** Bytes, counted from where `read` stopped, that it wants to see before it is called again. */
  get needed(): number {
    return this.#state instanceof RecordSearch ? this.#state.needed : this.#layout.needed;
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
      else if (state === 'lost') at = bytes.length;
      else at = this.#look(state, bytes, at, final);
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
      // The end within a record is a cut file or a wrong length: sound records behind it tell. Not within its packet:
      // whoever can send one can write records into it.
      return this.#cut ? Math.min(Math.max(at + 1, layout.packetEnd(bytes, at)), bytes.length) : at + 1;
    }
    return at;
  }

  #look(search: RecordSearch, bytes: Uint8Array, start: number, final: boolean): number {
    const at = search.look(bytes, this.#offset, start, final);
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

/**
 * Times that records are taken which do not go on for long, as in a file full of damage: each costs a search up to where
 * a packet that may hold them ends.
 */
const SHORTS_LIMIT = 256;
