// Records of a classic capture file (draft-ietf-opsawg-pcap). Knows the file header and the record headers; knows
// nothing of what to do after damage (search.ts) and no packet contents.

import { u32be, u32le } from '../core/bytes/bytes.js';
import { DAMAGED, MORE, type RecordLayout } from './layout.js';
import { type CaptureLog, FRAME_LIMIT } from './log.js';

/** True for the first four bytes of a classic capture, in either byte order. */
export function isPcap(bytes: Uint8Array): boolean {
  return MAGICS.has(u32be(bytes, 0)) || MAGICS.has(u32le(bytes, 0));
}

/**
 * A record header is doubtful where its numbers contradict each other: then it is believed only if another header, or
 * the end of the file, stands where its packet ends. All others are believed at once, so a live stream is never behind.
 */
export class PcapLayout implements RecordLayout {
  needed = FILE_HEADER;
  readonly #log: CaptureLog;
  #opened = false;
  #u32: typeof u32be = u32be;
  #header = RECORD_HEADER;
  #linkType = 0;
  /** ns of one unit of the fraction field, and how many units make a second. */
  #unit = 1000;
  #units = 1_000_000;
  /** Of the last packet; NaN is near to nothing. */
  #seconds = Number.NaN;
  #secondsInNs = 0n;
  /** Of the record that was asked for last in a search. */
  #walked = Number.NaN;

  constructor(log: CaptureLog) {
    this.#log = log;
  }

  //   record  [ seconds | fraction | captured length | original length | (8 bytes, modified format) | packet … ]
  read(bytes: Uint8Array, at: number, copy: boolean, final: boolean): number {
    if (!this.#opened) return this.#open(bytes, at);
    const start = at + this.#header;
    if (start > bytes.length) return this.#more(this.#header);
    const u32 = this.#u32;
    const original = u32(bytes, at + 12);
    let length = u32(bytes, at + 8);
    if (!this.#sound(bytes, at)) {
      const settled = this.#settle(bytes, at, length, original, final);
      if (settled < 0) return settled === WAIT ? MORE : DAMAGED;
      // Also where the claim is believed: the packet may hold others that nobody will see.
      if (length > original) this.#log.damage(0, `a record claims ${length} bytes of a packet of ${original} bytes`);
      length = settled;
    }
    if (start + length > bytes.length) return this.#more(this.#header + length);
    const time = this.#time(u32(bytes, at), u32(bytes, at + 4));
    this.#log.frame(time, this.#linkType, bytes, start, length, Math.max(length, original), copy);
    return this.#header + length;
  }

  believable(bytes: Uint8Array, at: number, final: boolean, isFirst: boolean): number {
    if (!this.#opened) return DAMAGED;
    if (at + this.#header > bytes.length) return this.#more(this.#header);
    if (!this.#sound(bytes, at)) return DAMAGED;
    const size = this.#header + this.#u32(bytes, at + 8);
    // Whose neighbours are unknown has only the last packet to be near to.
    const isAlone = isFirst && final && at + size === bytes.length;
    const before = isFirst ? this.#seconds : this.#walked;
    this.#walked = this.#u32(bytes, at);
    if ((!isFirst || isAlone) && !near(before, this.#walked)) return DAMAGED;
    return final && at + size > bytes.length ? this.#more(size) : size;
  }

  /** Only one whose numbers are sound is cut, so all of the file behind it is its packet. */
  packetEnd(bytes: Uint8Array): number {
    return bytes.length;
  }

  end(): void {}

  #open(bytes: Uint8Array, at: number): number {
    if (at + FILE_HEADER > bytes.length) return this.#more(FILE_HEADER);
    this.#u32 = MAGICS.has(u32be(bytes, at)) ? u32be : u32le;
    const magic = this.#u32(bytes, at);
    if (magic === MODIFIED) this.#header = RECORD_HEADER + 8;
    if (magic === NANO) {
      this.#unit = 1;
      this.#units = 1_000_000_000;
      this.#log.nanoseconds();
    }
    // The upper half says how long a frame check sequence is; the IP length cuts it off anyway.
    this.#linkType = this.#u32(bytes, at + 20) & 0xffff;
    this.#log.linkType(this.#linkType);
    this.#opened = true;
    return FILE_HEADER;
  }

  /** Numbers that no writer contradicts. A packet without bytes would make a record of any sixteen zeros. */
  #sound(bytes: Uint8Array, at: number): boolean {
    const u32 = this.#u32;
    const length = u32(bytes, at + 8);
    const original = u32(bytes, at + 12);
    return (
      length > 0 &&
      length <= FRAME_LIMIT &&
      length <= original &&
      original <= ORIGINAL_LIMIT &&
      u32(bytes, at + 4) < this.#units
    );
  }

  /**
   * The packet length of a doubtful record, by what stands behind it. Some writers have the two lengths the other way
   * round (libpcap's "swapped" files), so the second is tried as well.
   */
  #settle(bytes: Uint8Array, at: number, length: number, original: number, final: boolean): number {
    const answer = this.#fits(bytes, at, length, final);
    if (answer !== DAMAGED || original >= length) return answer === YES ? length : answer === MORE ? WAIT : NEITHER;
    const second = this.#fits(bytes, at, original, final);
    return second === YES ? original : second === MORE ? WAIT : NEITHER;
  }

  /** Whether a record, or the end of the file, stands behind a packet of `length` bytes. */
  #fits(bytes: Uint8Array, at: number, length: number, final: boolean): number {
    if (length > FRAME_LIMIT) return DAMAGED;
    const u32 = this.#u32;
    const size = this.#header + length;
    const next = at + size;
    if (next + RECORD_HEADER > bytes.length) {
      if (final) return next === bytes.length ? YES : DAMAGED;
      return this.#more(size + RECORD_HEADER);
    }
    const lengths = [u32(bytes, next + 8), u32(bytes, next + 12)];
    const lesser = Math.min(...lengths);
    const sound = lesser > 0 && lesser <= FRAME_LIMIT && Math.max(...lengths) <= ORIGINAL_LIMIT;
    return sound && near(u32(bytes, at), u32(bytes, next)) ? YES : DAMAGED;
  }

  #time(seconds: number, fraction: number): bigint {
    if (seconds !== this.#seconds) {
      this.#seconds = seconds;
      this.#secondsInNs = BigInt(seconds) * 1_000_000_000n;
    }
    return this.#secondsInNs + BigInt(fraction * this.#unit);
  }

  #more(needed: number): number {
    this.needed = needed;
    return MORE;
  }
}

function near(a: number, b: number): boolean {
  return Math.abs(a - b) <= NEAR_SECONDS;
}

/** First four bytes, in the file's own order: microseconds, nanoseconds, Kuznetzov's modified record header. */
const MICRO = 0xa1b2c3d4;
const NANO = 0xa1b23c4d;
const MODIFIED = 0xa1b2cd34;
const MAGICS: ReadonlySet<number> = new Set([MICRO, NANO, MODIFIED]);
const FILE_HEADER = 24;
const RECORD_HEADER = 16;
const YES = 1;
const WAIT = -1;
const NEITHER = -2;
/** Length on the wire, bytes: Linux BIG TCP makes packets of 512 KiB, nothing makes longer ones. */
const ORIGINAL_LIMIT = 1024 * 1024;
/** Two packets in a row of a capture of a control plane are seconds apart (leases are renewed); a day is generous. */
const NEAR_SECONDS = 86_400;
