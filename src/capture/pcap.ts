// Reads the records of a classic pcap file (draft-ietf-opsawg-pcap).

import { u32be, u32le } from '../core/bytes/bytes.js';
import { type CaptureLog, FRAME_LIMIT } from './log.js';
import { DAMAGED, MORE, type RecordLayout } from './scanner.js';

/** Whether the first four bytes are those of a classic pcap file, in either byte order. */
export function isPcap(bytes: Uint8Array): boolean {
  return MAGICS.has(u32be(bytes, 0)) || MAGICS.has(u32le(bytes, 0));
}

/**
 * A record header whose numbers contradict each other is accepted only if another header, or the end of the file, follows its
 * packet. All others are accepted at once, so that a live stream is never delayed.
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
  /** Seconds of the latest packet; NaN is near no time. */
  #seconds = Number.NaN;
  #secondsInNs = 0n;
  /** Seconds of the latest record of a search. */
  #probed = Number.NaN;

  constructor(log: CaptureLog) {
    this.#log = log;
  }

  //   record  [ seconds | fraction | captured length | original length | (8 bytes, modified format) | packet … ]
  read(bytes: Uint8Array, at: number, copy: boolean, final: boolean): number {
    if (!this.#opened) return this.#open(bytes, at);
    // A capture may follow another one (cat a.pcap b.pcap); as the time of a packet the magic number would be one after 2055.
    if (at + VERSION_END <= bytes.length && isFileHeader(bytes, at)) return this.#open(bytes, at);
    const start = at + this.#header;
    if (start > bytes.length) return this.#more(this.#header);
    const u32 = this.#u32;
    const original = u32(bytes, at + 12);
    let length = u32(bytes, at + 8);
    if (!this.#isConsistent(bytes, at)) {
      const resolved = this.#resolveLength(bytes, at, length, original, final);
      if (resolved < 0) return resolved === WAIT ? MORE : DAMAGED;
      // Reported even if the length is accepted: the packet may contain others, which are then not read.
      if (length > original) this.#log.damage(0, `a record claims ${length} bytes of a packet of ${original} bytes`);
      length = resolved;
    }
    if (start + length > bytes.length) return this.#more(this.#header + length);
    const time = this.#time(u32(bytes, at), u32(bytes, at + 4));
    this.#log.frame(time, this.#linkType, bytes, start, length, Math.max(length, original), copy);
    return this.#header + length;
  }

  probe(bytes: Uint8Array, at: number, final: boolean, isFirst: boolean): number {
    if (!this.#opened) return DAMAGED;
    if (at + this.#header > bytes.length) return this.#more(this.#header);
    if (!this.#isConsistent(bytes, at)) return DAMAGED;
    const size = this.#header + this.#u32(bytes, at + 8);
    // A record without neighbours can only be compared with the latest packet.
    const isAlone = isFirst && final && at + size === bytes.length;
    const before = isFirst ? this.#seconds : this.#probed;
    this.#probed = this.#u32(bytes, at);
    if ((!isFirst || isAlone) && !near(before, this.#probed)) return DAMAGED;
    return final && at + size > bytes.length ? this.#more(size) : size;
  }

  /** Only a record with consistent numbers is cut, so the rest of the file is its packet. */
  packetEnd(bytes: Uint8Array): number {
    return bytes.length;
  }

  end(): void {}

  #open(bytes: Uint8Array, at: number): number {
    if (at + FILE_HEADER > bytes.length) return this.#more(FILE_HEADER);
    this.#u32 = MAGICS.has(u32be(bytes, at)) ? u32be : u32le;
    const magic = this.#u32(bytes, at);
    this.#header = magic === MODIFIED ? RECORD_HEADER + 8 : RECORD_HEADER;
    this.#unit = magic === NANO ? 1 : 1000;
    this.#units = 1_000_000_000 / this.#unit;
    if (magic === NANO) this.#log.useNanoseconds();
    // The upper half is the length of the frame check sequence, which the IP length cuts off anyway.
    this.#linkType = this.#u32(bytes, at + 20) & 0xffff;
    this.#log.addLinkType(this.#linkType);
    this.#opened = true;
    return FILE_HEADER;
  }

  /** Whether the numbers of a record agree. An empty packet does not count: sixteen zeros would be a record. */
  #isConsistent(bytes: Uint8Array, at: number): boolean {
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
   * The packet length of a record with contradictory numbers, by what follows it. Some writers swap the two lengths (libpcap's
   * "swapped" files), so the other one is tried as well.
   */
  #resolveLength(bytes: Uint8Array, at: number, length: number, original: number, final: boolean): number {
    const first = this.#fits(bytes, at, length, final);
    if (first !== DAMAGED || original >= length) return first === YES ? length : first === MORE ? WAIT : NEITHER;
    const second = this.#fits(bytes, at, original, final);
    return second === YES ? original : second === MORE ? WAIT : NEITHER;
  }

  /** Whether a record, or the end of the file, follows a packet of `length` bytes: YES, MORE or DAMAGED. */
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
    const isRecord = lesser > 0 && lesser <= FRAME_LIMIT && Math.max(...lengths) <= ORIGINAL_LIMIT;
    return isRecord && near(u32(bytes, at), u32(bytes, next)) ? YES : DAMAGED;
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

/** A magic number, and version 2.4 in the same byte order. */
function isFileHeader(bytes: Uint8Array, at: number): boolean {
  if (MAGICS.has(u32le(bytes, at))) return u32le(bytes, at + 4) === 0x0004_0002;
  return MAGICS.has(u32be(bytes, at)) && u32be(bytes, at + 4) === 0x0002_0004;
}

function near(a: number, b: number): boolean {
  return Math.abs(a - b) <= NEAR_SECONDS;
}

/** First four bytes, in the byte order of the file: microseconds, nanoseconds, Kuznetzov's modified record header. */
const MICRO = 0xa1b2c3d4;
const NANO = 0xa1b23c4d;
const MODIFIED = 0xa1b2cd34;
const MAGICS: ReadonlySet<number> = new Set([MICRO, NANO, MODIFIED]);
const FILE_HEADER = 24;
const VERSION_END = 8;
const RECORD_HEADER = 16;
const YES = 1;
const WAIT = -1;
const NEITHER = -2;
/** Limit in bytes: length of a packet on the wire: Linux BIG TCP sends packets of 512 KiB, and there are no longer ones. */
const ORIGINAL_LIMIT = 1024 * 1024;
/**
 * Limit in s: distance in time of two packets that a search believes: packets of a control plane are seconds apart, because leases are
 * renewed; a day is generous.
 */
const NEAR_SECONDS = 86_400;
