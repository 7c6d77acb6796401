// Reads one ring of capture files: emits the frames of the current file, and follows it to the next one.
//
//   ring   [ read | read | current … growing ]     [ next ]
//          the current file is finished when a next one has begun and the current one has no more frames

import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { beginningOf, notice, type PipelineInput } from '../../index.js';
import { CaptureTail } from './capture-tail.js';
import { readCapture } from './input.js';

export class Ring {
  readonly #begin: (file: string) => number;
  /** Name without `.gz` → file. */
  readonly #seen = new Map<string, SeenFile>();
  #current: { readonly stem: string; readonly tail: CaptureTail } | null = null;
  /** It could not be opened since the last scan. */
  #unopened: string | null = null;
  /** Notices to emit with the next frames. */
  #pending: PipelineInput[] = [];

  /** @param begin is called for each started file and returns its capture number. */
  constructor(begin: (file: string) => number) {
    this.#begin = begin;
  }

  /** Updates a file that was written to. */
  async see(file: string): Promise<void> {
    const stem = file.replace(/\.gz$/, '');
    const found = await stat(file).catch(() => null);
    if (found === null || found.size === 0) return;
    const known = this.#seen.get(stem);
    if (known !== undefined) {
      known.missed = 0;
      known.file = file;
      // The current file only grows; a rewrite is detected when it is read. gzip changes only the name.
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

  /** A file counts as gone after two scans without it, because gzip may rename a file during a scan. */
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

  /** Frames that can be read now; null: none until more is written. */
  async next(): Promise<PipelineInput[] | null> {
    const pending = this.#pending;
    this.#pending = [];
    if (pending.length > 0) return pending;
    const current = this.#current;
    // Checked before the end is read: data after it was written before the next file began.
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

  /** The current file is finished. */
  end(): PipelineInput[] {
    return this.#current === null ? this.#pending : [...this.#pending, ...this.#current.tail.end()];
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
      // The ring wrapped around since the last scan.
      this.#lost(known.file);
      known.first = first;
      return [];
    }
    const tail = await CaptureTail.open(known.file, () => this.#begin(known.file)).catch(() => null);
    if (tail === null) {
      // It was renamed or removed: the next scan decides.
      this.#unopened = stem;
      return null;
    }
    known.isRead = true;
    this.#current = { stem, tail };
    return [];
  }

  #lost(file: string): void {
    this.#pending.push(notice('capture.ring-lost', basename(file)));
  }
}

interface SeenFile {
  file: string;
  /** Modification time, ms since the epoch. */
  written: number;
  /** Time of the first packet, ns since the epoch; null: none yet. */
  first: bigint | null;
  isRead: boolean;
  /** Consecutive scans that did not find it. */
  missed: number;
}

/** Scans that may miss a file before it counts as gone. */
const MISSED = 2;
