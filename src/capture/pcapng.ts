// Reads the blocks of a pcapng file (draft-ietf-opsawg-pcapng).

import { text, u16be, u16le, u32be, u32le } from '../core/bytes/bytes.js';
import { entryOf } from '../core/collections/series-table.js';
import { InterfaceClock } from './clock.js';
import type { CaptureLog } from './log.js';
import { isNetworkCard, type PacketNote, packetNoteOf } from './packet-note.js';
import { DAMAGED, MORE, type RecordLayout, SEARCH_LIMIT } from './scanner.js';

/** Whether the first four bytes are those of a pcapng file; they are the same in both byte orders. */
export function isPcapng(bytes: Uint8Array): boolean {
  return u32be(bytes, 0) === SECTION;
}

interface Interface {
  readonly linkType: number;
  /** Bytes; 0 means no limit. */
  readonly snapLength: number;
  readonly clock: InterfaceClock;
  /** A network card, by its name. */
  readonly isCard: boolean;
}

/**
 * Reads several sections in either byte order, several interfaces, enhanced, simple and obsolete packet blocks,
 * decryption secrets (TLS key logs) and drop counts; skips other blocks. Frame numbers are Wireshark's: packet blocks have one,
 * and so have custom and journal blocks, which yield no frame. A block whose two lengths differ is damaged.
 */
export class PcapngLayout implements RecordLayout {
  needed = SECTION_HEADER;
  readonly #log: CaptureLog;
  #u16: typeof u16be = u16be;
  #u32: typeof u32be = u32be;
  /** Byte order after the latest block of a search. */
  #probed: readonly [typeof u16be, typeof u32be] = [u16be, u32be];
  /** By number in the section; null if the block could not be read. */
  #interfaces: (Interface | null)[] = [];
  /**
   * After damage the number of the next interface block is unknown, and the block may begin a section whose header was damaged.
   * From it on all interfaces of the section are unknown, because the clock of another interface would be worse than none.
   */
  #numbers: 'known' | 'doubtful' | 'lost' = 'known';
  readonly #drops = new Drops();
  #hasNoticedKeys = false;

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

  probe(bytes: Uint8Array, at: number, _final: boolean, isFirst: boolean): number {
    if (at + BLOCK_HEADER > bytes.length) return this.#more(BLOCK_HEADER);
    const [u16, u32] = [this.#u16, this.#u32];
    if (!isFirst) [this.#u16, this.#u32] = this.#probed;
    const type = this.#u32(bytes, at);
    const size = type !== SECTION && !KNOWN_BLOCKS.has(type) ? DAMAGED : this.#size(bytes, at, SEARCH_LIMIT);
    // A section header sets the byte order; `read` will set it again if the search ends here.
    this.#probed = [this.#u16, this.#u32];
    this.#u16 = u16;
    this.#u32 = u32;
    return size;
  }

  /** If the packet itself is complete, by its own length, a wrong block length is more likely than a long comment. */
  packetEnd(bytes: Uint8Array, at: number): number {
    if (at + SECTION_HEADER > bytes.length) return bytes.length;
    const type = this.#u32(bytes, at);
    if (type === SIMPLE_PACKET) return bytes.length;
    if (type !== ENHANCED_PACKET && type !== PACKET) return at;
    return at + 28 > bytes.length ? bytes.length : at + 28 + this.#u32(bytes, at + 20);
  }

  end(): void {
    this.#drops.flush(this.#log);
  }

  /** Size of the block at `at`, or MORE, or DAMAGED; sets the byte order if the block is a section header. */
  #size(bytes: Uint8Array, at: number, limit: number): number {
    if (at + SECTION_HEADER > bytes.length) return this.#more(SECTION_HEADER);
    if (u32be(bytes, at) === SECTION && !this.#setByteOrder(bytes, at + 8)) return DAMAGED;
    const length = this.#u32(bytes, at + 4);
    if (length < SECTION_HEADER || length > limit) return DAMAGED;
    // Some writers leave the padding out of the length; Wireshark accepts that too.
    const size = (length + 3) & ~3;
    if (at + size > bytes.length) return this.#more(size);
    return this.#u32(bytes, at + size - 4) === length ? size : DAMAGED;
  }

  #setByteOrder(bytes: Uint8Array, at: number): boolean {
    const big = u32be(bytes, at) === BYTE_ORDER;
    if (!big && u32le(bytes, at) !== BYTE_ORDER) return false;
    this.#u16 = big ? u16be : u16le;
    this.#u32 = big ? u32be : u32le;
    return true;
  }

  /** @param end of the body. A block that is too short for its fields is damaged, but the next block is in place. */
  #block(bytes: Uint8Array, at: number, end: number, copy: boolean): void {
    const type = this.#u32(bytes, at);
    if (type === ENHANCED_PACKET || type === PACKET) this.#packet(bytes, at, end, type, copy);
    else if (type === SIMPLE_PACKET) this.#simplePacket(bytes, at, end, copy);
    else if (type === SECTION) this.#startSection();
    else if (type === INTERFACE) this.#addInterface(bytes, at, end);
    else if (type === STATISTICS) this.#statistics(bytes, at, end);
    else if (type === SECRETS) this.#secrets(bytes, at, end);
    else if (type === CUSTOM || type === CUSTOM_NO_COPY || type === JOURNAL) this.#log.skipNumber();
  }

  //   enhanced  [ header 8 | interface 4           | time 8 | captured 4 | original 4 | packet … | options … ]
  //   obsolete  [ header 8 | interface 2 | drops 2 | time 8 | captured 4 | original 4 | packet … | options … ]
  #packet(bytes: Uint8Array, at: number, end: number, type: number, copy: boolean): void {
    const start = at + 28;
    if (start > end) {
      this.#skipPacket(at, end);
      return;
    }
    const u32 = this.#u32;
    const id = type === PACKET ? this.#u16(bytes, at + 8) : u32(bytes, at + 8);
    const length = u32(bytes, at + 20);
    if (length > end - start) {
      this.#skipPacket(at, end);
      return;
    }
    if (id < INTERFACES) this.#drops.addBetween(id, this.#dropCount(bytes, at, end, type, start + length));
    const source = id < this.#interfaces.length ? this.#interfaces[id] : null;
    if (source === null) {
      this.#skipPacket(at, end, 'is of an interface that is not known');
      return;
    }
    const time = source.clock.time(u32(bytes, at + 12), u32(bytes, at + 16));
    const original = Math.max(length, u32(bytes, at + 24));
    const noted = source.isCard && type === ENHANCED_PACKET ? this.#noteOf(bytes, start + length, end) : null;
    this.#log.frame(time, source.linkType, bytes, start, length, original, copy, noted);
  }

  /** The process that the options of a packet name. @param packetEnd options follow, padded to 4 bytes after the packet's data. */
  #noteOf(bytes: Uint8Array, packetEnd: number, end: number): PacketNote | null {
    const from = (packetEnd + 3) & ~3;
    // Most packets have no options, and there are millions.
    if (from + 4 > end) return null;
    let flags = 0;
    const comments: string[] = [];
    this.#eachOption(bytes, from, end, (code, at, size) => {
      if (code === OPT_COMMENT) comments.push(text(bytes, at, at + Math.min(size, MAX_COMMENT)));
      else if (code === EPB_FLAGS && size === 4) flags = this.#u32(bytes, at);
    });
    return comments.length === 0 ? null : packetNoteOf(comments, flags);
  }

  //   simple  [ header 8 | original 4 | packet … ]  from interface 0, cut at its snap length, without a time
  #simplePacket(bytes: Uint8Array, at: number, end: number, copy: boolean): void {
    const start = at + 12;
    if (start > end) {
      this.#skipPacket(at, end);
      return;
    }
    const source = this.#interfaces.length > 0 ? this.#interfaces[0] : null;
    if (source === null) {
      this.#skipPacket(at, end, 'is of an interface that is not known');
      return;
    }
    const { snapLength, linkType } = source;
    const original = this.#u32(bytes, at + 8);
    const length = Math.min(original, end - start, snapLength === 0 ? original : snapLength);
    this.#log.frame(this.#log.lastTime, linkType, bytes, start, length, original, copy);
  }

  /** epb_dropcount, or the count in an obsolete block, where 65535 means unknown. */
  #dropCount(bytes: Uint8Array, at: number, end: number, type: number, packetEnd: number): number {
    if (type === PACKET) return this.#u16(bytes, at + 10) % 0xffff;
    const optionsAt = at + ((packetEnd - at + 3) & ~3);
    return optionsAt + 12 > end ? 0 : Math.max(0, this.#count(bytes, optionsAt, end, EPB_DROPCOUNT));
  }

  #startSection(): void {
    this.#drops.flush(this.#log);
    this.#interfaces = [];
    this.#numbers = 'known';
  }

  //   interface  [ header 8 | link type 2 | reserved 2 | snap length 4 | options … ]
  #addInterface(bytes: Uint8Array, at: number, end: number): void {
    if (this.#numbers !== 'known') {
      if (this.#numbers === 'doubtful') this.#startSection();
      this.#numbers = 'lost';
      this.#skipBlock(at, end, 'an interface block', 'has no number that is known, behind what is damaged,');
      return;
    }
    if (at + 16 > end || this.#interfaces.length === INTERFACES) {
      if (this.#interfaces.length < INTERFACES) this.#interfaces.push(null);
      this.#skipBlock(at, end, 'an interface block');
      return;
    }
    const resolutionAt = this.#option(bytes, at + 16, end, IF_TSRESOL, 1);
    const offsetAt = this.#option(bytes, at + 16, end, IF_TSOFFSET, 8);
    const resolution = resolutionAt < 0 ? MICROSECONDS : bytes[resolutionAt];
    const offset = offsetAt < 0 ? 0n : BigInt.asIntN(64, this.#u64(bytes, offsetAt));
    const clock = new InterfaceClock(resolution, offset);
    const linkType = this.#u16(bytes, at + 8);
    const isCard = isNetworkCard(this.#interfaceName(bytes, at + 16, end));
    this.#interfaces.push({ linkType, snapLength: this.#u32(bytes, at + 12), clock, isCard });
    this.#log.addLinkType(linkType);
    if (clock.fine) this.#log.useNanoseconds();
  }

  #interfaceName(bytes: Uint8Array, from: number, end: number): string {
    let name = '';
    this.#eachOption(bytes, from, end, (code, at, size) => {
      if (code === IF_NAME && name === '') name = text(bytes, at, at + Math.min(size, MAX_INTERFACE_NAME));
    });
    return name;
  }

  //   statistics  [ header 8 | interface 4 | time 8 | options … ]
  #statistics(bytes: Uint8Array, at: number, end: number): void {
    if (at + 20 > end) {
      this.#skipBlock(at, end, 'a statistics block');
      return;
    }
    const id = this.#u32(bytes, at + 8);
    if (id >= INTERFACES) return;
    const [byInterface, bySystem] = [ISB_IFDROP, ISB_OSDROP].map((code) => this.#count(bytes, at + 20, end, code));
    this.#drops.setTotals(id, byInterface, bySystem);
  }

  //   secrets  [ header 8 | secrets type 4 | length 4 | secrets … ]
  #secrets(bytes: Uint8Array, at: number, end: number): void {
    const start = at + 16;
    const length = start > end ? 0 : this.#u32(bytes, at + 12);
    if (start > end || length > end - start) {
      this.#skipBlock(at, end, 'a secrets block');
      return;
    }
    if (this.#u32(bytes, at + 8) !== TLS_KEY_LOG) return;
    if (!this.#hasNoticedKeys) this.#log.notice('keys.embedded', 'a decryption secrets block holds a TLS key log');
    this.#hasNoticedKeys = true;
    this.#log.secrets(text(bytes, start, start + length));
  }

  /** Position of the value of the first option `code` with `length` bytes, or -1. */
  #option(bytes: Uint8Array, from: number, end: number, code: number, length: number): number {
    let found = -1;
    this.#eachOption(bytes, from, end, (one, at, size) => {
      if (found < 0 && one === code && size === length) found = at;
    });
    return found;
  }

  /** @param use gets the code of each option, the position of its value, and the value's length in bytes. */
  #eachOption(
    bytes: Uint8Array,
    from: number,
    end: number,
    use: (code: number, at: number, size: number) => void,
  ): void {
    let at = from;
    while (at + 4 <= end) {
      const code = this.#u16(bytes, at);
      const size = this.#u16(bytes, at + 2);
      if (code === END_OF_OPTIONS || at + 4 + size > end) return;
      use(code, at + 4, size);
      at += 4 + ((size + 3) & ~3);
    }
  }

  /** Value of the 64-bit option `code`, or -1. */
  #count(bytes: Uint8Array, from: number, end: number, code: number): number {
    const at = this.#option(bytes, from, end, code, 8);
    return at < 0 ? -1 : Number(this.#u64(bytes, at));
  }

  #u64(bytes: Uint8Array, at: number): bigint {
    const [high, low] = this.#u32 === u32be ? [at, at + 4] : [at + 4, at];
    return (BigInt(this.#u32(bytes, high)) << 32n) | BigInt(this.#u32(bytes, low));
  }

  #skipPacket(at: number, end: number, why?: string): void {
    this.#log.skipNumber();
    this.#skipBlock(at, end, 'a packet block', why);
  }

  #skipBlock(at: number, end: number, what: string, why = 'contradicts itself'): void {
    this.#log.damage(end + 4 - at, `${what} of ${end + 4 - at} bytes ${why} and was skipped`);
  }

  #more(needed: number): number {
    this.needed = needed;
    return MORE;
  }
}

const BLOCK_HEADER = 8;
/** Every block has so many bytes (type, twice its length); in a section header they include the byte order. */
const SECTION_HEADER = 12;

/** Limit in bytes: one pcapng block (Wireshark's MAX_BLOCK_SIZE). */
export const BLOCK_LIMIT = 16 * 1024 * 1024;
/** Limit: interfaces of one section; a host with many Pods has hundreds of veth devices. */
const INTERFACES = 4096;

interface DropCounts {
  /** Sum of the drops between packets (epb_dropcount). */
  between: number;
  /** Latest totals since the start of the capture, of the interface (isb_ifdrop) and of the system (isb_osdrop). */
  byInterface: number;
  bySystem: number;
}

/** Counts the packets that the capturing program dropped in one section, by interface. */
class Drops {
  readonly #counts = new Map<number, DropCounts>();

  addBetween(id: number, count: number): void {
    if (count > 0) this.#of(id).between += count;
  }

  /** @param byInterface, bySystem totals since the start of the capture; -1 if absent, which leaves the earlier total. */
  setTotals(id: number, byInterface: number, bySystem: number): void {
    if (byInterface < 0 && bySystem < 0) return;
    const counts = this.#of(id);
    if (byInterface >= 0) counts.byInterface = byInterface;
    if (bySystem >= 0) counts.bySystem = bySystem;
  }

  /** Emits a notice for each interface with drops, and starts over. */
  flush(log: CaptureLog): void {
    for (const [id, { between, byInterface, bySystem }] of [...this.#counts].sort(([a], [b]) => a - b)) {
      // Both are counts of the same packets.
      const dropped = Math.max(between, byInterface + bySystem);
      if (dropped > 0) log.notice('capture.dropped', `${dropped} packets were dropped on interface ${id}`);
    }
    this.#counts.clear();
  }

  #of(id: number): DropCounts {
    return entryOf(this.#counts, id, () => ({ between: 0, byInterface: 0, bySystem: 0 }));
  }
}

export const SECTION = 0x0a0d0d0a;
export const INTERFACE = 1;
export const PACKET = 2;
export const SIMPLE_PACKET = 3;
const NAMES = 4;
export const STATISTICS = 5;
export const ENHANCED_PACKET = 6;
export const JOURNAL = 9;
export const SECRETS = 10;
export const CUSTOM = 0x0bad;
export const CUSTOM_NO_COPY = 0x40000bad;
/** Block types that a search accepts. */
const KNOWN_BLOCKS: ReadonlySet<number> = new Set([
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

export const BYTE_ORDER = 0x1a2b3c4d;
/** "TLSK" */
export const TLS_KEY_LOG = 0x544c534b;

const END_OF_OPTIONS = 0;
const OPT_COMMENT = 1;
const IF_NAME = 2;
const EPB_FLAGS = 2;
/** Limit in bytes: beginning of a packet's comment that is read: a path has 4,096 bytes at most (Linux, PATH_MAX). */
const MAX_COMMENT = 4608;
/** Limit in bytes: beginning of an interface's name that is read; Linux has 15 (IFNAMSIZ). */
const MAX_INTERFACE_NAME = 64;
export const IF_TSRESOL = 9;
const IF_TSOFFSET = 14;
const EPB_DROPCOUNT = 4;
const ISB_IFDROP = 5;
export const ISB_OSDROP = 7;
/** if_tsresol of an interface without this option. */
const MICROSECONDS = 6;
