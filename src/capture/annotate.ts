// Copies a capture as pcapng with comments at its packets (opt_comment, draft-ietf-opsawg-pcapng section 3.5): what was there stays as it is.
//
//   pcapng   every block as it is, but for the options of packets that get comments
//   pcap     a section and an interface; each packet in a block of its own

import { ByteQueue } from '../core/bytes/byte-queue.js';
import { concat, copyOf, u16be, u16le, u32be, u32le } from '../core/bytes/bytes.js';
import { NOTHING, type Stage } from '../core/stage.js';
import { captureReader, MAGIC_BYTES } from './capture-reader.js';
import type { CaptureItem } from './log.js';
import {
  BLOCK_LIMIT,
  BYTE_ORDER,
  CUSTOM,
  CUSTOM_NO_COPY,
  ENHANCED_PACKET,
  isPcapng,
  JOURNAL,
  PACKET,
  SECTION,
  SIMPLE_PACKET,
} from './pcapng.js';
import { annotatedPacket, commentOptions, pcapngHead } from './pcapng-writer.js';

/** Comments of a frame by its number, as Wireshark counts; undefined: none. */
export type CommentsOf = (frame: number) => readonly string[] | undefined;

/** Why a file cannot be copied so. */
export class NotAnnotatable extends Error {}

export class Annotator implements Stage<Uint8Array, Uint8Array> {
  readonly #commentsOf: CommentsOf;
  #copy: Stage<Uint8Array, Uint8Array> | null = null;
  readonly #begin = new ByteQueue();
  /** Frames that have comments, but no place for them: a simple packet block has no options. */
  unplaced = 0;

  constructor(commentsOf: CommentsOf) {
    this.#commentsOf = commentsOf;
  }

  /** @param bytes of the capture, decompressed. @throws NotAnnotatable where a block is damaged. */
  feed(bytes: Uint8Array): readonly Uint8Array[] {
    if (this.#copy !== null) return this.#copy.feed(bytes);
    this.#begin.push(bytes);
    if (this.#begin.length < MAGIC_BYTES) return NOTHING;
    const begin = this.#begin.peek();
    this.#copy = isPcapng(begin)
      ? new BlockCopy(this.#commentsOf, () => {
          this.unplaced += 1;
        })
      : new PacketCopy(this.#commentsOf);
    return this.#copy.feed(copyOf(begin));
  }

  end(): readonly Uint8Array[] {
    return this.#copy?.end() ?? NOTHING;
  }
}

/** A classic pcap, read as always. */
class PacketCopy implements Stage<Uint8Array, Uint8Array> {
  readonly #reader = captureReader({ capture: 0 });
  readonly #commentsOf: CommentsOf;
  #linkType: number | null = null;

  constructor(commentsOf: CommentsOf) {
    this.#commentsOf = commentsOf;
  }

  feed(bytes: Uint8Array): readonly Uint8Array[] {
    return this.#blocks(this.#reader.feed(bytes));
  }

  end(): readonly Uint8Array[] {
    return this.#blocks(this.#reader.end());
  }

  #blocks(items: readonly CaptureItem[]): readonly Uint8Array[] {
    const out: Uint8Array[] = [];
    for (const item of items) {
      if (item.kind === 'notice' && item.code !== 'capture.truncated') throw new NotAnnotatable(item.detail);
      if (item.kind !== 'frame') continue;
      if (this.#linkType === null) out.push(pcapngHead(item.linkType));
      this.#linkType ??= item.linkType;
      out.push(annotatedPacket(item, this.#commentsOf(item.origin.frame) ?? NOTHING));
    }
    return out;
  }
}

class BlockCopy implements Stage<Uint8Array, Uint8Array> {
  readonly #commentsOf: CommentsOf;
  readonly #unplaced: () => void;
  readonly #bytes = new ByteQueue();
  #isBigEndian = false;
  #frame = 0;

  constructor(commentsOf: CommentsOf, unplaced: () => void) {
    this.#commentsOf = commentsOf;
    this.#unplaced = unplaced;
  }

  feed(bytes: Uint8Array): readonly Uint8Array[] {
    this.#bytes.push(bytes);
    const all = this.#bytes.peek();
    const out: Uint8Array[] = [];
    let at = 0;
    for (;;) {
      const size = this.#size(all, at);
      if (size === null || at + size > all.length) break;
      out.push(this.#block(all.subarray(at, at + size)));
      at += size;
    }
    this.#bytes.consume(at);
    return out;
  }

  /** A block that the end of the file cuts is left out, as it is of every reader. */
  end(): readonly Uint8Array[] {
    return NOTHING;
  }

  #u16(bytes: Uint8Array, at: number): number {
    return this.#isBigEndian ? u16be(bytes, at) : u16le(bytes, at);
  }

  #u32(bytes: Uint8Array, at: number): number {
    return this.#isBigEndian ? u32be(bytes, at) : u32le(bytes, at);
  }

  /** null: not known yet. */
  #size(bytes: Uint8Array, at: number): number | null {
    if (at + SMALLEST_BLOCK > bytes.length) return null;
    if (u32be(bytes, at) === SECTION) {
      this.#isBigEndian = u32be(bytes, at + 8) === BYTE_ORDER;
      if (!this.#isBigEndian && u32le(bytes, at + 8) !== BYTE_ORDER) throw new NotAnnotatable(DAMAGED_BLOCK);
    }
    const length = this.#u32(bytes, at + 4);
    if (length < SMALLEST_BLOCK || length > BLOCK_LIMIT) throw new NotAnnotatable(DAMAGED_BLOCK);
    const size = (length + 3) & ~3;
    if (at + size <= bytes.length && this.#u32(bytes, at + size - 4) !== length)
      throw new NotAnnotatable(DAMAGED_BLOCK);
    return size;
  }

  #block(block: Uint8Array): Uint8Array {
    const type = this.#u32(block, 0);
    if (!NUMBERED.has(type)) return copyOf(block);
    this.#frame += 1;
    const comments = this.#commentsOf(this.#frame);
    if (comments === undefined || comments.length === 0) return copyOf(block);
    const optionsAt = 28 + ((this.#u32(block, 20) + 3) & ~3);
    if ((type !== ENHANCED_PACKET && type !== PACKET) || optionsAt > block.length - 4) {
      this.#unplaced();
      return copyOf(block);
    }
    const hasOptions = optionsAt + 4 < block.length && this.#u16(block, optionsAt) !== 0;
    const options = commentOptions(comments, this.#isBigEndian, !hasOptions);
    const rest = hasOptions ? block.subarray(optionsAt, block.length - 4) : block.subarray(0, 0);
    const whole = concat([block.subarray(0, optionsAt), options, rest, block.subarray(block.length - 4)]);
    const length = new DataView(whole.buffer, whole.byteOffset, whole.length);
    length.setUint32(4, whole.length, !this.#isBigEndian);
    length.setUint32(whole.length - 4, whole.length, !this.#isBigEndian);
    return whole;
  }
}

/** Blocks that have a frame number, in Wireshark and here. */
const NUMBERED: ReadonlySet<number> = new Set([
  ENHANCED_PACKET,
  PACKET,
  SIMPLE_PACKET,
  CUSTOM,
  CUSTOM_NO_COPY,
  JOURNAL,
]);
const SMALLEST_BLOCK = 12;
const DAMAGED_BLOCK = 'a block is damaged';
