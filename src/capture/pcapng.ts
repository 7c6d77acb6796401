// Blocks of a pcapng file (draft-ietf-opsawg-pcapng). Knows the blocks and their options; knows nothing of what to do
// after damage (search.ts) and no packet contents.

import { text, u16be, u16le, u32be, u32le } from '../core/bytes/bytes.js';
import { InterfaceClock } from './clock.js';
import { Drops } from './drops.js';
import { DAMAGED, MORE, type RecordLayout } from './layout.js';
import type { CaptureLog } from './log.js';
import {
  BYTE_ORDER,
  CUSTOM,
  CUSTOM_NO_COPY,
  END_OF_OPTIONS,
  ENHANCED_PACKET,
  EPB_DROPCOUNT,
  FAMILIAR,
  IF_TSOFFSET,
  IF_TSRESOL,
  INTERFACE,
  ISB_IFDROP,
  ISB_OSDROP,
  JOURNAL,
  MICROSECONDS,
  PACKET,
  SECRETS,
  SECTION,
  SIMPLE_PACKET,
  STATISTICS,
  TLS_KEY_LOG,
} from './pcapng-codes.js';
import { SEARCH_LIMIT } from './search.js';

/** True for the first four bytes of a pcapng file; they read the same in both byte orders. */
export function isPcapng(bytes: Uint8Array): boolean {
  return u32be(bytes, 0) === SECTION;
}

interface Interface {
  readonly linkType: number;
  /** Bytes; 0: no limit. */
  readonly snapLength: number;
  readonly clock: InterfaceClock;
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
  /** Byte order behind the block that was asked for last in a search. */
  #walked: readonly [typeof u16be, typeof u32be] = [u16be, u32be];
  /** By their number in the section; null: its block could not be read. */
  #interfaces: (Interface | null)[] = [];
  /**
   * Behind damage the next interface block has no number that is known, and may be the first of a section whose header
   * was damaged: from it on no interface of this section is known. A clock that is another's would be worse than none.
   */
  #numbers: 'known' | 'doubtful' | 'lost' = 'known';
  readonly #drops = new Drops();
  #saidKeys = false;

  constructor(log: CaptureLog) {
    this.#log = log;
  }

  //   block  [ type | length | body … padded to 4 | length ]
  read(bytes: Uint8Array, at: number, copy: boolean, final: boolean): number {
    const size = this.#size(bytes, at, BLOCK_LIMIT);
    if (size > 0) this.#block(bytes, at, at + size - 4, copy);
    else if ((size === DAMAGED || final) && this.#numbers === 'known') this.#numbers = 'doubtful';
    return size;
  }

  believable(bytes: Uint8Array, at: number, _final: boolean, isFirst: boolean): number {
    if (at + BLOCK_HEADER > bytes.length) return this.#more(BLOCK_HEADER);
    const [u16, u32] = [this.#u16, this.#u32];
    if (!isFirst) [this.#u16, this.#u32] = this.#walked;
    const type = this.#u32(bytes, at);
    const size = type !== SECTION && !FAMILIAR.has(type) ? DAMAGED : this.#size(bytes, at, SEARCH_LIMIT);
    // A section header turns the byte order; whether it is one is for `read` to find again.
    this.#walked = [this.#u16, this.#u32];
    this.#u16 = u16;
    this.#u32 = u32;
    return size;
  }

  /** A block whose packet is all there, by the packet's own length, has a wrong length more likely than a long comment. */
  packetEnd(bytes: Uint8Array, at: number): number {
    if (at + SECTION_HEADER > bytes.length) return bytes.length;
    const type = this.#u32(bytes, at);
    if (type === SIMPLE_PACKET) return bytes.length;
    if (type !== ENHANCED_PACKET && type !== PACKET) return at;
    return at + 28 > bytes.length ? bytes.length : at + 28 + this.#u32(bytes, at + 20);
  }

  end(): void {
    this.#drops.say(this.#log);
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
    if (length > end - start) {
      this.#lostPacket(at, end);
      return;
    }
    if (id < INTERFACES) this.#drops.between(id, this.#droppedBefore(bytes, at, end, type, start + length));
    const source = id < this.#interfaces.length ? this.#interfaces[id] : null;
    if (source === null) {
      this.#lostPacket(at, end, 'is of an interface that is not known');
      return;
    }
    const time = source.clock.time(u32(bytes, at + 12), u32(bytes, at + 16));
    const original = Math.max(length, u32(bytes, at + 24));
    this.#log.frame(time, source.linkType, bytes, start, length, original, copy);
  }

  //   simple  [ header 8 | original 4 | packet … ]  of interface 0, cut at its snap length, without a time
  #simplePacket(bytes: Uint8Array, at: number, end: number, copy: boolean): void {
    const start = at + 12;
    if (start > end) {
      this.#lostPacket(at, end);
      return;
    }
    const source = this.#interfaces.length > 0 ? this.#interfaces[0] : null;
    if (source === null) {
      this.#lostPacket(at, end, 'is of an interface that is not known');
      return;
    }
    const { snapLength, linkType } = source;
    const original = this.#u32(bytes, at + 8);
    const length = Math.min(original, end - start, snapLength === 0 ? original : snapLength);
    this.#log.frame(this.#log.lastTime, linkType, bytes, start, length, original, copy);
  }

  /** epb_dropcount, or the count that the obsolete block has, 65535 for one that is not known. */
  #droppedBefore(bytes: Uint8Array, at: number, end: number, type: number, packetEnd: number): number {
    if (type === PACKET) return this.#u16(bytes, at + 10) % 0xffff;
    const optionsAt = at + ((packetEnd - at + 3) & ~3);
    return optionsAt + 12 > end ? 0 : Math.max(0, this.#count(bytes, optionsAt, end, EPB_DROPCOUNT));
  }

  #newSection(): void {
    this.#drops.say(this.#log);
    this.#interfaces = [];
    this.#numbers = 'known';
  }

  //   interface  [ header 8 | link type 2 | reserved 2 | snap length 4 | options … ]
  #newInterface(bytes: Uint8Array, at: number, end: number): void {
    if (this.#numbers !== 'known') {
      if (this.#numbers === 'doubtful') this.#newSection();
      this.#numbers = 'lost';
      this.#damaged(at, end, 'an interface block', 'has no number that is known, behind what is damaged,');
      return;
    }
    if (at + 16 > end || this.#interfaces.length === INTERFACES) {
      if (this.#interfaces.length < INTERFACES) this.#interfaces.push(null);
      this.#damaged(at, end, 'an interface block');
      return;
    }
    const resolutionAt = this.#option(bytes, at + 16, end, IF_TSRESOL, 1);
    const offsetAt = this.#option(bytes, at + 16, end, IF_TSOFFSET, 8);
    const resolution = resolutionAt < 0 ? MICROSECONDS : bytes[resolutionAt];
    const offset = offsetAt < 0 ? 0n : BigInt.asIntN(64, this.#u64(bytes, offsetAt));
    const clock = new InterfaceClock(resolution, offset);
    const linkType = this.#u16(bytes, at + 8);
    this.#interfaces.push({ linkType, snapLength: this.#u32(bytes, at + 12), clock });
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
    if (id >= INTERFACES) return;
    const [byInterface, bySystem] = [ISB_IFDROP, ISB_OSDROP].map((code) => this.#count(bytes, at + 20, end, code));
    this.#drops.sinceStart(id, byInterface, bySystem);
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
    if (!this.#saidKeys) this.#log.say('keys.embedded', 'a decryption secrets block holds a TLS key log');
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

  /** The option `code` as a number of 64 bits; -1 where it is not there. */
  #count(bytes: Uint8Array, from: number, end: number, code: number): number {
    const at = this.#option(bytes, from, end, code, 8);
    return at < 0 ? -1 : Number(this.#u64(bytes, at));
  }

  #u64(bytes: Uint8Array, at: number): bigint {
    const [high, low] = this.#u32 === u32be ? [at, at + 4] : [at + 4, at];
    return (BigInt(this.#u32(bytes, high)) << 32n) | BigInt(this.#u32(bytes, low));
  }

  #lostPacket(at: number, end: number, why?: string): void {
    this.#log.skipNumber();
    this.#damaged(at, end, 'a packet block', why);
  }

  #damaged(at: number, end: number, what: string, why = 'contradicts itself'): void {
    this.#log.damage(end + 4 - at, `${what} of ${end + 4 - at} bytes ${why} and was skipped`);
  }

  #more(needed: number): number {
    this.needed = needed;
    return MORE;
  }
}

const BLOCK_HEADER = 8;
/** Every block has this much (type, twice its length), and the byte order of a section is within it. */
const SECTION_HEADER = 12;

/** Bytes of a block: Wireshark's MAX_BLOCK_SIZE. */
const BLOCK_LIMIT = 16 * 1024 * 1024;
/** Interfaces of a section; a host with many Pods has hundreds of veths. */
const INTERFACES = 4096;
