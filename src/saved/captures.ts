// Reads the captures that a saved file was made of: the file's numbers become indices of captures in this run.

import type { CaptureReport } from '../capture/frame.js';
import type { SavedLine } from './message-fields.js';
import type { SavedCapture } from './saved.js';
import { timeOf } from './saved-time.js';

export class SavedCaptures {
  readonly #own: number;
  readonly #next: () => number;
  readonly #emit: (capture: SavedCapture) => void;
  /** Indices of the captures, as the file names and as it numbers them. */
  readonly #named = new Map<string, number>();
  readonly #listed: number[] = [];
  readonly #digits = new Map<number, 6 | 9>();
  /** ns since the epoch. */
  #first: bigint | null = null;

  /**
   * @param own index of the file itself.
   * @param next gives an index to a further capture.
   * @param emit called for each capture, and again where it has more digits or fewer.
   */
  constructor(own: number, next: () => number, emit: (capture: SavedCapture) => void) {
    this.#own = own;
    this.#next = next;
    this.#emit = emit;
  }

  /** The head of an export lists its captures. @param first ns since the epoch. */
  list(files: readonly string[], first: bigint | null): void {
    this.#first = first;
    for (const file of files.slice(0, MAX_CAPTURES)) this.#listed.push(this.of(file));
  }

  get areListed(): boolean {
    return this.#listed.length > 0;
  }

  /** @param number place in the list, as records have it: of a damaged file it may be anything. */
  listed(number: unknown): number | undefined {
    return typeof number === 'number' ? this.#listed[number] : undefined;
  }

  /**
   * Index of a capture. The first of a file has the file's own.
   *
   * @param file null: the file names none, as there is only one.
   * @param time ns since the epoch: of a message in it.
   */
  of(file: string | null, digits?: 6 | 9, time?: bigint): number {
    const name = file ?? '';
    let capture = file === null ? this.#own : this.#named.get(name);
    const isNew = capture === undefined || (file === null && !this.#named.has(name));
    if (capture === undefined) {
      const isFirst = this.#named.size === 0;
      capture = isFirst || this.#named.size >= MAX_CAPTURES ? this.#own : this.#next();
    }
    if (isNew) this.#named.set(name, capture);
    const known = this.#digits.get(capture);
    if (isNew || (digits !== undefined && known !== digits)) {
      this.#first ??= time ?? null;
      if (digits !== undefined) this.#digits.set(capture, digits);
      this.#emit({ kind: 'saved-capture', capture, file, digits: digits ?? known ?? 6, first: this.#first });
    }
    return capture;
  }

  /** A record of kind `capture`. @returns null where it is none of the format's. */
  report(record: SavedLine): CaptureReport | null {
    const { format, linkTypes, frames, bytes, digits, truncated } = record;
    const capture = this.listed(record['capture']);
    if (capture === undefined || !(format === 'pcap' || format === 'pcapng' || format === 'messages')) return null;
    if (!Number.isSafeInteger(frames) || !Number.isSafeInteger(bytes) || !Array.isArray(linkTypes)) return null;
    return {
      kind: 'capture-report',
      capture,
      format,
      linkTypes: linkTypes.filter((one) => Number.isSafeInteger(one)),
      frames: frames as number,
      bytes: bytes as number,
      first: timeOf(record['first']),
      last: timeOf(record['last']),
      digits: digits === 9 ? 9 : 6,
      truncated: truncated === true,
    };
  }

  /** Of a file that has no reports. @param isEmpty nothing of it could be read. @param last ns since the epoch. */
  ownReport(isEmpty: boolean, last: bigint | null): CaptureReport {
    return {
      kind: 'capture-report',
      capture: this.#own,
      format: isEmpty ? 'unknown' : 'messages',
      linkTypes: [],
      frames: 0,
      bytes: 0,
      first: this.#first,
      last,
      digits: this.#digits.get(this.#own) ?? 6,
      truncated: this.areListed,
    };
  }
}

/** Limit: captures that one export may name; people give a handful. */
const MAX_CAPTURES = 1000;
