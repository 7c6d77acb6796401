// `--watch`: follows rings of capture files while they are written, file after file, as `tail -F` does. Knows files and how
// capturing programs turn them over; what is in them the library's capture reader tells.
//
//   ring   [ read | read | at hand … growing ]     [ next: begun since ]
//          a file is left for the next when that has begun and this one gave no more after it

import { type FileHandle, open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { beginningOf, captureReader, framesOf, notice, type PipelineInput } from '../index.js';
import { isPattern, matchesOf } from './glob.js';
import { readCapture } from './input.js';
import { filesIn } from './inputs.js';
import { compareNames, ringOf } from './ring-names.js';

export interface Watching {
  /** Directories and patterns. */
  readonly names: readonly string[];
  /** Something was read. */
  came(): void;
  /** A file is begun. @returns its number as a capture. */
  begin(file: string): number;
  isStopped(): boolean;
  /** Resolves after this many ms, or when it is to stop. */
  pause(ms: number): Promise<void>;
}

/** Frames as they are written, until it is to stop; in the order of their times where several rings are. */
export async function* watch(watching: Watching): AsyncGenerator<readonly PipelineInput[]> {
  const rings = new Map<string, Ring>();
  let isSaid = false;
  try {
    while (!watching.isStopped()) {
      await look(watching, rings);
      if (rings.size > 1 && !isSaid) {
        isSaid = true;
        yield [notice('capture.clock-live', 'rings are followed as they are written')];
      }
      let moved = false;
      for (let going = true; going && !watching.isStopped(); ) {
        going = false;
        // A round: a chunk of each that has one. Packets of a chunk's time are about as old in every ring.
        const round: PipelineInput[][] = [];
        for (const ring of rings.values()) {
          const items = await ring.next();
          if (items === null) continue;
          going = true;
          if (items.length > 0) round.push(items);
        }
        if (round.length > 0) {
          watching.came();
          moved = true;
          yield round.length === 1 ? round[0] : inOrder(round);
        }
      }
      if (!moved) await watching.pause(POLL_MS);
    }
    for (const ring of rings.values()) yield ring.end();
  } finally {
    for (const ring of rings.values()) await ring.close();
  }
}

/** Finds files that are new or were written over. */
async function look({ names, begin }: Watching, rings: Map<string, Ring>): Promise<void> {
  const files = (await Promise.all(names.map((name) => (isPattern(name) ? matchesOf(name) : filesIn(name))))).flat();
  const here = new Set(files);
  for (const file of files.sort(compareNames)) {
    // gzip -z: until it is done, the file that it reads is there too.
    if (file.endsWith('.gz') && here.has(file.slice(0, -3))) continue;
    const key = ringOf(file) ?? file;
    let ring = rings.get(key);
    if (ring === undefined) {
      ring = new Ring(begin);
      rings.set(key, ring);
    }
    await ring.see(file);
  }
  for (const ring of rings.values()) ring.sawAll();
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

/** One capture that is written to one file after the other. */
class Ring {
  readonly #begin: Watching['begin'];
  /** By name without `.gz`. */
  readonly #seen = new Map<string, SeenFile>();
  #current: { readonly stem: string; readonly tail: Tail } | null = null;
  /** Could not be opened since the last look. */
  #unopened: string | null = null;
  /** Something to be told with the next frames. */
  #said: PipelineInput[] = [];

  constructor(begin: Watching['begin']) {
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
    const tail = await Tail.open(known.file, () => this.#begin(known.file)).catch(() => null);
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

/** A file that may grow. A gzipped one does not: it is read as it is. */
class Tail {
  readonly #file: FileHandle;
  readonly #reader: ReturnType<typeof captureReader>;
  readonly #buffer = new Uint8Array(CHUNK);
  readonly #beginning: Uint8Array;
  readonly #zipped: AsyncIterator<readonly PipelineInput[]> | null;
  #offset = 0;

  private constructor(
    file: FileHandle,
    capture: number,
    beginning: Uint8Array,
    zipped: AsyncIterator<readonly PipelineInput[]> | null,
  ) {
    this.#file = file;
    this.#reader = captureReader({ capture });
    this.#beginning = beginning;
    this.#zipped = zipped;
  }

  static async open(path: string, number: () => number): Promise<Tail> {
    const file = await open(path);
    const beginning = await headOf(file);
    const capture = number();
    const isZipped = beginning[0] === 0x1f && beginning[1] === 0x8b;
    const frames = isZipped ? await framesOf([readCapture(path)], [], capture) : null;
    return new Tail(file, capture, beginning, frames === null ? null : frames[Symbol.asyncIterator]());
  }

  /** null: at its end for now. `other`: it was written anew from its beginning. */
  async read(): Promise<PipelineInput[] | 'other' | null> {
    if (this.#zipped !== null) {
      const { value, done } = await this.#zipped.next();
      return done === true ? null : [...value];
    }
    const beginning = await headOf(this.#file);
    if (Buffer.compare(beginning, this.#beginning) !== 0) return 'other';
    const { bytesRead } = await this.#file.read(this.#buffer, 0, CHUNK, this.#offset);
    if (bytesRead === 0) return (await this.#file.stat()).size < this.#offset ? 'other' : null;
    this.#offset += bytesRead;
    return [...this.#reader.feed(this.#buffer.subarray(0, bytesRead))];
  }

  end(): PipelineInput[] {
    return this.#zipped === null ? [...this.#reader.end()] : [];
  }

  async close(): Promise<void> {
    await this.#zipped?.return?.();
    await this.#file.close();
  }
}

/** The bytes by which a file is known again: its head and that of its first packet, with the time. */
async function headOf(file: FileHandle): Promise<Uint8Array> {
  const head = new Uint8Array(HEAD_BYTES);
  const { bytesRead } = await file.read(head, 0, HEAD_BYTES, 0);
  return head.subarray(0, bytesRead);
}

/** Frames of several lists by their times; what has no time stays before the frame that follows it. */
function inOrder(lists: readonly (readonly PipelineInput[])[]): PipelineInput[] {
  const out: PipelineInput[] = [];
  const at = lists.map(() => 0);
  const timeAt = (i: number): bigint => {
    const item = lists[i][at[i]];
    return item.kind === 'frame' ? item.origin.time : -1n;
  };
  for (;;) {
    let earliest = -1;
    for (let i = 0; i < lists.length; i++)
      if (at[i] < lists[i].length && (earliest < 0 || timeAt(i) < timeAt(earliest))) earliest = i;
    if (earliest < 0) return out;
    out.push(lists[earliest][at[earliest]]);
    at[earliest] += 1;
  }
}

/** ms between two looks at a ring that stands still. */
const POLL_MS = 100;
/** Looks that may miss a file before it counts as gone. */
const MISSED = 2;
/** Bytes read at once. */
const CHUNK = 256 * 1024;
/** A pcap file's header and its first packet's: 24 and 16 bytes. pcapng's first packet comes later, and its blocks differ. */
const HEAD_BYTES = 40;
