// Collects the items of a capture file (frames with their numbers, notices, secrets) and the totals of its CaptureReport.

import { type Notice, type NoticeCode, notice } from '../core/notice.js';
import type { Origin } from '../core/origin.js';
import { NOTHING } from '../core/stage.js';
import type { CaptureReport, EmbeddedSecrets, Frame } from './frame.js';
import type { PacketNote } from './packet-note.js';

export type CaptureItem = Frame | EmbeddedSecrets | Notice | CaptureReport;

export class CaptureLog {
  readonly #capture: number;
  readonly #shift: bigint;
  #items: CaptureItem[] = [];
  /** Number of the latest frame, and how many were emitted; they differ if a frame was lost. */
  #number = 0;
  #frames = 0;
  #bytes = 0;
  #first: bigint | null = null;
  #last: bigint | null = null;
  #digits: 6 | 9 = 6;
  #truncated = false;
  readonly #linkTypes: number[] = [];
  #damages = 0;
  #damagedBytes = 0;

  /** @param shift ns that are added to the time of every frame; the report has the times of the file. */
  constructor(capture: number, shift: bigint) {
    this.#capture = capture;
    this.#shift = shift;
  }

  /** ns: time of the latest frame, for records that have none; 0n before the first. */
  get lastTime(): bigint {
    return this.#last ?? 0n;
  }

  /** Emits the next frame: `length` bytes at `start`, cut at FRAME_LIMIT. @param time ns, by the clock of the file. */
  frame(
    time: bigint,
    linkType: number,
    within: Uint8Array,
    start: number,
    length: number,
    originalLength: number,
    copy: boolean,
    noted: PacketNote | null = null,
  ): void {
    this.#number += 1;
    this.#frames += 1;
    const shifted = this.#shift === 0n ? time : time + this.#shift;
    const origin: Origin = { capture: this.#capture, frame: this.#number, time: shifted };
    if (length > FRAME_LIMIT) {
      this.notice('limit.frame', `a packet of ${length} bytes was cut to ${FRAME_LIMIT} bytes`, origin);
      length = FRAME_LIMIT;
    }
    this.#bytes += length;
    if (this.#first === null) this.#first = time;
    this.#last = time;
    if (copy) {
      within = within.slice(start, start + length);
      start = 0;
    }
    this.#items.push(
      new FrameWithin(origin, linkType, within, start, start + length, originalLength, this.#digits, noted),
    );
  }

  /** Uses up a frame number for a record without a frame: a damaged packet, or another block that Wireshark numbers. */
  skipNumber(): void {
    this.#number += 1;
  }

  addLinkType(linkType: number): void {
    if (!this.#linkTypes.includes(linkType) && this.#linkTypes.length < LINK_TYPES) this.#linkTypes.push(linkType);
  }

  useNanoseconds(): void {
    this.#digits = 9;
  }

  secrets(keyLog: string): void {
    this.#items.push({ kind: 'secrets', keyLog });
  }

  get isDamaged(): boolean {
    return this.#damages > 0;
  }

  notice(code: NoticeCode, detail: string, origin?: Origin): void {
    this.#items.push(notice(code, detail, origin === undefined ? {} : { origin }));
  }

  /** Reports `bytes` unreadable bytes: the first damages of a file one by one, the others as a sum at the end. */
  damage(bytes: number, detail: string): void {
    this.#damages += 1;
    this.#damagedBytes += bytes;
    if (this.#damages <= DAMAGE_NOTICES) this.notice('capture.damaged', detail);
  }

  truncated(detail: string): void {
    this.#truncated = true;
    this.notice('capture.truncated', detail);
  }

  end(format: CaptureReport['format']): void {
    if (this.#damages > DAMAGE_NOTICES) {
      this.notice('capture.damaged', `${this.#damages} damaged places, ${this.#damagedBytes} bytes not read`);
    }
    this.#items.push({
      kind: 'capture-report',
      capture: this.#capture,
      format,
      linkTypes: this.#linkTypes,
      frames: this.#frames,
      bytes: this.#bytes,
      first: this.#first,
      last: this.#last,
      digits: this.#digits,
      ...(this.#shift === 0n ? null : { shift: this.#shift }),
      truncated: this.#truncated,
    });
  }

  /** Returns the items since the last call. */
  take(): readonly CaptureItem[] {
    if (this.#items.length === 0) return NOTHING;
    const items = this.#items;
    this.#items = [];
    return items;
  }
}

/** A frame whose view of the bytes is made on demand: a view costs as much as reading the headers, and half of them carry no data. */
class FrameWithin implements Frame {
  readonly kind = 'frame';
  readonly origin: Origin;
  readonly linkType: number;
  readonly originalLength: number;
  readonly digits: 6 | 9;
  readonly noted: PacketNote | null;
  // Private, so that a copy of this object with other data does not inherit the position in the buffer.
  readonly #within: Uint8Array;
  readonly #start: number;
  readonly #end: number;

  /** @param within a plain Uint8Array, not a Buffer, so that all later code sees one hidden class. */
  constructor(
    origin: Origin,
    linkType: number,
    within: Uint8Array,
    start: number,
    end: number,
    originalLength: number,
    digits: 6 | 9,
    noted: PacketNote | null,
  ) {
    this.origin = origin;
    this.linkType = linkType;
    this.originalLength = originalLength;
    this.digits = digits;
    this.noted = noted;
    this.#within = within;
    this.#start = start;
    this.#end = end;
  }

  get within(): Uint8Array {
    return this.#within;
  }

  get start(): number {
    return this.#start;
  }

  get end(): number {
    return this.#end;
  }

  get data(): Uint8Array {
    return new Uint8Array(this.#within.buffer, this.#within.byteOffset + this.#start, this.#end - this.#start);
  }
}

/** Limit in bytes: one captured packet (tcpdump's MAXIMUM_SNAPLEN and Wireshark's WTAP_MAX_PACKET_SIZE_STANDARD). */
export const FRAME_LIMIT = 262_144;
/** Limit: damaged places that get a notice each; a file of nothing else would fill the memory with notices. */
const DAMAGE_NOTICES = 8;
/** Limit: different link types that a report lists: a real file has one or two, a forged one could have thousands. */
const LINK_TYPES = 64;
