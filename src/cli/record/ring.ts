// One ring: a capture that is written to one file after the other. Files that were seen go in, the frames of the one at hand
// come out. Knows how capturing programs turn files over, and what was lost by it; what one file has is capture-tail.ts's.
//
//   ring   [ read | read | at hand … growing ]     [ next: begun since ]
//          a file is left for the next when that has begun and this one gave no more after it

import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { beginningOf, notice, type PipelineInput } from '../../index.js';
import { CaptureTail } from '../input/capture-tail.js';
import { readCapture } from '../input/input.js';

export class Ring {
  readonly #begin: (file: string) => number;
  /** By name without `.gz`. */
  readonly #seen = new Map<string, SeenFile>();
  #current: { readonly stem: string; readonly tail: CaptureTail } | null = null;
  /** Could not be opened since the last look. */
  #unopened: string | null = null;
  /** Something to be told with the next frames. */
  #said: PipelineInput[] = [];

  /** @param begin told of each file that is begun; gives its number as a capture. */
  constructor(begin: (file: string) => number) {
    this.#begin = begin;
  }

  /** Looks at a file again that was written to since. */
  async see(file: string): Promise<void> {
    const stem = file.replace(/\.gz$/, '');
    const found = await stat(file).catch(() => null);
    if (found === null || found.size === 0) return;
    const known = this.#seen.get(stem);
    if (known !== undefined) {
      known.missed = 0;
      known.file = file;
      // What is at hand only grows; that it was begun anew shows when it is read. gzip changes the name alone.
      if (known.written === found.mtimeMs || stem === this.#current?.stem) return;
    }
    const { first } = await beginningOf(readCapture(file)).catch(() => ({ first: null }));
    if (known === undefined) {
      this.#seen.set(stem, { file, written: found.mtimeMs, first, isRead: false, missed: 0 });
    } else {
      known.written = found.mtimeMs;
      if (first === null || first === known.first) return;
      if (!known.isRead && known.first !== null) this.#lost(file);
      known.first = first;
      known.isRead = false;
    }
  }

  /** What was not seen twice is gone: while one look lists a folder, gzip can change a name. */
  sawAll(): void {
    this.#unopened = null;
    for (const [stem, one] of this.#seen) {
      if (one.missed >= MISSED && stem !== this.#current?.stem) {
        if (!one.isRead && one.first !== null) this.#lost(one.file);
        this.#seen.delete(stem);
      }
      one.missed += 1;
    }
  }

  /** What can be read now; null: nothing before something is written. */
  async next(): Promise<PipelineInput[] | null> {
    const said = this.#said;
    this.#said = [];
    if (said.length > 0) return said;
    const current = this.#current;
    // Asked before the end is read: what was written behind it was written before the next file was begun.
    const following = this.#following();
    if (current === null) return following === null ? null : this.#open(following);
    const items = await current.tail.read();
    if (items === 'other') {
      this.#lost(current.stem);
      const known = this.#seen.get(current.stem);
      if (known !== undefined) Object.assign(known, { written: 0, first: null, isRead: false });
      return this.#leave();
    }
    if (items !== null) return items;
    if (following === null) return null;
    return this.#leave();
  }

  /** The file at hand is over, as far as anyone waits. */
  end(): PipelineInput[] {
    return this.#current === null ? this.#said : [...this.#said, ...this.#current.tail.end()];
  }

  async close(): Promise<void> {
    await this.#current?.tail.close();
  }

  async #leave(): Promise<PipelineInput[]> {
    const { tail } = this.#current!;
    this.#current = null;
    const items = tail.end();
    await tail.close();
    return items;
  }

  /** The unread file that begins next. */
  #following(): string | null {
    let next: string | null = null;
    let earliest: bigint | null = null;
    for (const [stem, { first, isRead }] of this.#seen) {
      if (isRead || first === null || stem === this.#current?.stem || stem === this.#unopened) continue;
      if (earliest === null || first < earliest) [next, earliest] = [stem, first];
    }
    return next;
  }

  async #open(stem: string): Promise<PipelineInput[] | null> {
    const known = this.#seen.get(stem)!;
    const { first } = await beginningOf(readCapture(known.file)).catch(() => ({ first: null }));
    if (first !== null && first !== known.first) {
      // The ring went round since the last look.
      this.#lost(known.file);
      known.first = first;
      return [];
    }
    const tail = await CaptureTail.open(known.file, () => this.#begin(known.file)).catch(() => null);
    if (tail === null) {
      // It has another name by now, or is gone: the next look tells.
      this.#unopened = stem;
      return null;
    }
    known.isRead = true;
    this.#current = { stem, tail };
    return [];
  }

  #lost(file: string): void {
    this.#said.push(notice('capture.ring-lost', basename(file)));
  }
}

interface SeenFile {
  file: string;
  /** ms since the epoch: when it was last written to. */
  written: number;
  /** ns since the epoch: its first packet; null: it has none yet. */
  first: bigint | null;
  isRead: boolean;
  /** Looks in a row that did not find it. */
  missed: number;
}

/** Looks that may miss a file before it counts as gone. */
const MISSED = 2;
