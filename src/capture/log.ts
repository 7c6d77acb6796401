// What a record reader says, collected for the next list: frames with their numbers, notices, and the running account
// that becomes the CaptureReport. Knows no file format.

import { type Notice, type NoticeCode, notice } from '../core/notice.js';
import type { Origin } from '../core/origin.js';
import { NOTHING } from '../core/stage.js';
import type { CaptureReport, EmbeddedSecrets, Frame } from './frame.js';
import { FrameWithin } from './frame-within.js';

export type CaptureItem = Frame | EmbeddedSecrets | Notice | CaptureReport;

export class CaptureLog {
  readonly #capture: number;
  readonly #shift: bigint;
  #items: CaptureItem[] = [];
  /** Number of the last frame, and how many were given; they differ where a frame was lost. */
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

  /** @param shift ns that are added to every frame's time; the account keeps the file's own times. */
  constructor(capture: number, shift: bigint) {
    this.#capture = capture;
    this.#shift = shift;
  }

  /** Time of the last frame, for records that have none; 0n before the first. */
  get lastTime(): bigint {
    return this.#last ?? 0n;
  }

  /** Adds the frame with the next number. `time` in ns, as the file has it; the data, `length` bytes at `start`, is cut at the limit. */
  frame(
    time: bigint,
    linkType: number,
    within: Uint8Array,
    start: number,
    length: number,
    originalLength: number,
    copy: boolean,
  ): void {
    this.#number += 1;
    this.#frames += 1;
    const shifted = this.#shift === 0n ? time : time + this.#shift;
    const origin: Origin = { capture: this.#capture, frame: this.#number, time: shifted };
    if (length > FRAME_LIMIT) {
      this.say('limit.frame', `a packet of ${length} bytes was cut to ${FRAME_LIMIT} bytes`, origin);
      length = FRAME_LIMIT;
    }
    this.#bytes += length;
    if (this.#first === null) this.#first = time;
    this.#last = time;
    if (copy) {
      within = within.slice(start, start + length);
      start = 0;
    }
    this.#items.push(new FrameWithin(origin, linkType, within, start, start + length, originalLength, this.#digits));
  }

  /** A record that has a frame number and gives no frame: a damaged packet, or something else that Wireshark numbers. */
  skipNumber(): void {
    this.#number += 1;
  }

  linkType(linkType: number): void {
    if (!this.#linkTypes.includes(linkType) && this.#linkTypes.length < LINK_TYPES) this.#linkTypes.push(linkType);
  }

  nanoseconds(): void {
    this.#digits = 9;
  }

  secrets(keyLog: string): void {
    this.#items.push({ kind: 'secrets', keyLog });
  }

  say(code: NoticeCode, detail: string, origin?: Origin): void {
    this.#items.push(notice(code, detail, origin === undefined ? {} : { origin }));
  }

  /** Tells of `bytes` bytes that could not be read. A file full of damage is told in a few notices and a sum. */
  damage(bytes: number, detail: string): void {
    this.#damages += 1;
    this.#damagedBytes += bytes;
    if (this.#damages <= DAMAGE_NOTICES) this.say('capture.damaged', detail);
  }

  truncated(detail: string): void {
    this.#truncated = true;
    this.say('capture.truncated', detail);
  }

  end(format: CaptureReport['format']): void {
    if (this.#damages > DAMAGE_NOTICES) {
      this.say('capture.damaged', `${this.#damages} damaged places, ${this.#damagedBytes} bytes not read`);
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

  /** What was said since the last call. */
  take(): readonly CaptureItem[] {
    if (this.#items.length === 0) return NOTHING;
    const items = this.#items;
    this.#items = [];
    return items;
  }
}

/** Bytes of a captured packet: tcpdump's MAXIMUM_SNAPLEN and Wireshark's WTAP_MAX_PACKET_SIZE_STANDARD. */
export const FRAME_LIMIT = 262_144;
/** Damaged places that are told one by one; a file of nothing else would fill the memory with notices. */
const DAMAGE_NOTICES = 8;
/** Different link types that a report lists; a real file has one or two, a made one could have thousands. */
const LINK_TYPES = 64;
