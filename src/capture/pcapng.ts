// Blocks of a pcapng file (draft-ietf-opsawg-pcapng). Knows the blocks and their options; knows nothing of what to do
// after damage (scanner.ts) and no packet contents.

import { text, u16be, u16le, u32be, u32le } from '../core/bytes.js';
import { InterfaceClock } from './clock.js';
import type { CaptureLog } from './log.js';
import { DAMAGED, MORE, type RecordLayout, SEARCH_LIMIT, YES } from './scanner.js';

/** True for the first four bytes of a pcapng file; they read the same in both byte orders. */
export function isPcapng(bytes: Uint8Array): boolean {
  return u32be(bytes, 0) === SECTION;
}

interface Interface {
  readonly linkType: number;
  /** Bytes; 0: no limit. */
  readonly snapLength: number;
  readonly clock: InterfaceClock;
  /** Packets dropped so far, as the last statistics block says. */
  dropped: number;
}

/**
 * Reads several sections in either byte order, several interfaces, enhanced, simple and obsolete packet blocks,
 * decryption secrets (TLS key logs) and drop counts; other blocks are passed over. Frame numbers are Wireshark's:
 * packet blocks have one, and so have custom and journal blocks, which give no frame. A block whose two lengths differ
 * is damaged.
 */
export class PcapngLayout implements RecordLayout {
  needed = SECTION_HEADER;
  readonly #log: CaptureLog;
  #u16: typeof u16be = u16be;
  #u32: typeof u32be = u32be;
  #interfaces: Interface[] = [];
  #saidKeys = false;

  constructor(log: CaptureLog) {
    this.#log = log;
  }

  //   block  [ type | length | body … padded to 4 | length ]
  read(bytes: Uint8Array, at: number, copy: boolean, _final: boolean): number {
    const size = this.#size(bytes, at, BLOCK_LIMIT);
    if (size > 0) this.#block(bytes, at, at + size - 4, copy);
    return size;
  }

  believable(bytes: Uint8Array, at: number, _final: boolean): number {
    if (at + BLOCK_HEADER > bytes.length) return this.#more(BLOCK_HEADER);
    const type = this.#u32(bytes, at);
    if (type !== SECTION && !FAMILIAR.has(type)) return DAMAGED;
    const [u16, u32] = [this.#u16, this.#u32];
    const size = this.#size(bytes, at, SEARCH_LIMIT);
    // A section header turns the byte order; whether it is one is for `read` to find again.
    this.#u16 = u16;
    this.#u32 = u32;
    return size > 0 ? YES : size;
  }

  end(): void {
    this.#sayDropped();
  }

  /** Size of the block at `at`, or MORE, or DAMAGED; takes over the byte order of a section header. */
  #size(bytes: Uint8Array, at: number, limit: number): number {
    if (at + SECTION_HEADER > bytes.length) return this.#more(SECTION_HEADER);
    if (u32be(bytes, at) === SECTION && !this.#takeOrder(bytes, at + 8)) return DAMAGED;
    const length = this.#u32(bytes, at + 4);
    if (length < SECTION_HEADER || length > limit) return DAMAGED;
    // Some writers leave the padding out of the length, as Wireshark found.
    const size = (length + 3) & ~3;
    if (at + size > bytes.length) return this.#more(size);
    return this.#u32(bytes, at + size - 4) === length ? size : DAMAGED;
  }

  #takeOrder(bytes: Uint8Array, at: number): boolean {
    const big = u32be(bytes, at) === BYTE_ORDER;
    if (!big && u32le(bytes, at) !== BYTE_ORDER) return false;
    this.#u16 = big ? u16be : u16le;
    this.#u32 = big ? u32be : u32le;
    return true;
  }

  /** `end`: where the body ends. Blocks too short for their own fields are damage, but the next block is known. */
  #block(bytes: Uint8Array, at: number, end: number, copy: boolean): void {
    const type = this.#u32(bytes, at);
    if (type === ENHANCED_PACKET || type === PACKET) this.#packet(bytes, at, end, type, copy);
    else if (type === SIMPLE_PACKET) this.#simplePacket(bytes, at, end, copy);
    else if (type === SECTION) this.#newSection();
    else if (type === INTERFACE) this.#newInterface(bytes, at, end);
    else if (type === STATISTICS) this.#statistics(bytes, at, end);
    else if (type === SECRETS) this.#secrets(bytes, at, end);
    else if (type === CUSTOM || type === CUSTOM_NO_COPY || type === JOURNAL) this.#log.skipNumber();
  }

  //   enhanced  [ header 8 | interface 4           | time 8 | captured 4 | original 4 | packet … | options … ]
  //   obsolete  [ header 8 | interface 2 | drops 2 | time 8 | captured 4 | original 4 | packet … | options … ]
  #packet(bytes: Uint8Array, at: number, end: number, type: number, copy: boolean): void {
    const start = at + 28;
    if (start > end) {
      this.#lostPacket(at, end);
      return;
    }
    const u32 = this.#u32;
    const id = type === PACKET ? this.#u16(bytes, at + 8) : u32(bytes, at + 8);
    const length = u32(bytes, at + 20);
    const source = id < this.#interfaces.length ? this.#interfaces[id] : null;
    if (source === null || length > end - start) {
      this.#lostPacket(at, end);
      return;
    }
    const time = source.clock.time(u32(bytes, at + 12), u32(bytes, at + 16));
    const original = Math.max(length, u32(bytes, at + 24));
    this.#log.frame(time, source.linkType, bytes, start, length, original, copy);
  }

  //   simple  [ header 8 | original 4 | packet … ]  of interface 0, cut at its snap length, without a time
  #simplePacket(bytes: Uint8Array, at: number, end: number, copy: boolean): void {
    const start = at + 12;
    if (start > end || this.#interfaces.length === 0) {
      this.#lostPacket(at, end);
      return;
    }
    const { snapLength, linkType } = this.#interfaces[0];
    const original = this.#u32(bytes, at + 8);
    const length = Math.min(original, end - start, snapLength === 0 ? original : snapLength);
    this.#log.frame(this.#log.lastTime, linkType, bytes, start, length, original, copy);
  }

  #newSection(): void {
    this.#sayDropped();
    this.#interfaces = [];
  }

  //   interface  [ header 8 | link type 2 | reserved 2 | snap length 4 | options … ]
  #newInterface(bytes: Uint8Array, at: number, end: number): void {
    if (at + 16 > end || this.#interfaces.length === INTERFACES) {
      this.#damaged(at, end, 'an interface block');
      return;
    }
    const resolutionAt = this.#option(bytes, at + 16, end, IF_TSRESOL, 1);
    const offsetAt = this.#option(bytes, at + 16, end, IF_TSOFFSET, 8);
    const resolution = resolutionAt < 0 ? MICROSECONDS : bytes[resolutionAt];
    const offset = offsetAt < 0 ? 0n : BigInt.asIntN(64, this.#u64(bytes, offsetAt));
    const clock = new InterfaceClock(resolution, offset);
    const linkType = this.#u16(bytes, at + 8);
    this.#interfaces.push({ linkType, snapLength: this.#u32(bytes, at + 12), clock, dropped: 0 });
    this.#log.linkType(linkType);
    if (clock.fine) this.#log.nanoseconds();
  }

  //   statistics  [ header 8 | interface 4 | time 8 | options … ]
  #statistics(bytes: Uint8Array, at: number, end: number): void {
    if (at + 20 > end) {
      this.#damaged(at, end, 'a statistics block');
      return;
    }
    const id = this.#u32(bytes, at + 8);
    if (id >= this.#interfaces.length) return;
    let dropped = 0;
    for (const code of [ISB_IFDROP, ISB_OSDROP]) {
      const valueAt = this.#option(bytes, at + 20, end, code, 8);
      if (valueAt >= 0) dropped += Number(this.#u64(bytes, valueAt));
    }
    // The counts run from the start of the capture: the last block has the sum.
    this.#interfaces[id].dropped = dropped;
  }

  //   secrets  [ header 8 | secrets type 4 | length 4 | secrets … ]
  #secrets(bytes: Uint8Array, at: number, end: number): void {
    const start = at + 16;
    const length = start > end ? 0 : this.#u32(bytes, at + 12);
    if (start > end || length > end - start) {
      this.#damaged(at, end, 'a secrets block');
      return;
    }
    if (this.#u32(bytes, at + 8) !== TLS_KEY_LOG) return;
    if (!this.#saidKeys) this.#log.say('keys.in-input', 'a decryption secrets block holds a TLS key log');
    this.#saidKeys = true;
    this.#log.secrets(text(bytes, start, start + length));
  }

  /** Where the value of the first option `code` with `length` bytes begins, or -1. */
  #option(bytes: Uint8Array, from: number, end: number, code: number, length: number): number {
    let at = from;
    while (at + 4 <= end) {
      const found = this.#u16(bytes, at);
      const size = this.#u16(bytes, at + 2);
      if (found === END_OF_OPTIONS || at + 4 + size > end) return -1;
      if (found === code && size === length) return at + 4;
      at += 4 + ((size + 3) & ~3);
    }
    return -1;
  }

  #u64(bytes: Uint8Array, at: number): bigint {
    const [high, low] = this.#u32 === u32be ? [at, at + 4] : [at + 4, at];
    return (BigInt(this.#u32(bytes, high)) << 32n) | BigInt(this.#u32(bytes, low));
  }

  #sayDropped(): void {
    this.#interfaces.forEach(({ dropped }, id) => {
      if (dropped > 0) this.#log.say('capture.dropped', `${dropped} packets were dropped on interface ${id}`);
    });
  }

  #lostPacket(at: number, end: number): void {
    this.#log.skipNumber();
    this.#damaged(at, end, 'a packet block');
  }

  #damaged(at: number, end: number, what: string): void {
    this.#log.damage(end + 4 - at, `${what} of ${end + 4 - at} bytes contradicts itself and was skipped`);
  }

  #more(needed: number): number {
    this.needed = needed;
    return MORE;
  }
}

const SECTION = 0x0a0d0d0a;
const INTERFACE = 1;
const PACKET = 2;
const SIMPLE_PACKET = 3;
const NAMES = 4;
const STATISTICS = 5;
const ENHANCED_PACKET = 6;
const JOURNAL = 9;
const SECRETS = 10;
const CUSTOM = 0x0bad;
const CUSTOM_NO_COPY = 0x40000bad;
/** Blocks that are believed where one is searched for. */
const FAMILIAR: ReadonlySet<number> = new Set([
  INTERFACE,
  PACKET,
  SIMPLE_PACKET,
  NAMES,
  STATISTICS,
  ENHANCED_PACKET,
  JOURNAL,
  SECRETS,
  CUSTOM,
  CUSTOM_NO_COPY,
]);

const BYTE_ORDER = 0x1a2b3c4d;
const BLOCK_HEADER = 8;
/** Every block has this much (type, twice its length), and the byte order of a section is within it. */
const SECTION_HEADER = 12;
const TLS_KEY_LOG = 0x544c534b;

const END_OF_OPTIONS = 0;
const IF_TSRESOL = 9;
const IF_TSOFFSET = 14;
const ISB_IFDROP = 5;
const ISB_OSDROP = 7;
/** if_tsresol of an interface that says nothing. */
const MICROSECONDS = 6;

/** Bytes of a block: Wireshark's MAX_BLOCK_SIZE. */
const BLOCK_LIMIT = 16 * 1024 * 1024;
/** Interfaces of a section; a host with many Pods has hundreds of veths. */
const INTERFACES = 4096;
