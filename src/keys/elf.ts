// Reads ELF executables of 64 bits, little endian (System V ABI; elf.h): segments, sections, pointers and their relative relocations.

import { latin1 } from '../core/bytes/bytes.js';

/** Bytes of a file at an offset; fewer than `length` at the file's end. Valid until the next call. */
export type ReadAt = (offset: number, length: number) => Uint8Array;

export type Arch = 'amd64' | 'arm64';

export interface ElfSegment {
  readonly offset: number;
  readonly address: number;
  /** Bytes of the segment that the file holds. */
  readonly size: number;
  readonly writable: boolean;
  readonly executable: boolean;
}

export interface Section {
  readonly name: string;
  readonly address: number;
  readonly offset: number;
  readonly size: number;
}

export class Elf {
  readonly arch: Arch;
  /** Loaded segments (PT_LOAD). */
  readonly segments: readonly ElfSegment[];
  /** Empty if the section table was stripped too. */
  readonly sections: readonly Section[];
  readonly #read: ReadAt;
  readonly #dynamic: ElfSegment | null;
  #relocations: Relocations | null = null;

  /** @returns a reason why the file cannot be read, if it cannot. */
  static open(read: ReadAt): Elf | string {
    const head = copied(read, 0, HEADER);
    if (head.length < HEADER || u32(head, 0) !== MAGIC) return 'not an ELF executable';
    if (head[4] !== CLASS_64 || head[5] !== LITTLE_ENDIAN) return 'not of 64 bits and little endian';
    const arch = MACHINES[u16(head, 18)];
    if (arch === undefined) return `for a machine (ELF ${u16(head, 18)}) that is neither amd64 nor arm64`;
    return new Elf(read, head, arch);
  }

  private constructor(read: ReadAt, head: Bytes, arch: Arch) {
    this.#read = read;
    this.arch = arch;
    const programHeaders = table(read, u64(head, 32), u16(head, 54), u16(head, 56), PROGRAM_HEADER);
    this.segments = programHeaders
      .filter((entry) => u32(entry, 0) === PT_LOAD)
      .slice(0, SEGMENTS_LIMIT)
      .map(segmentOf);
    const dynamic = programHeaders.find((entry) => u32(entry, 0) === PT_DYNAMIC);
    this.#dynamic = dynamic === undefined ? null : segmentOf(dynamic);
    this.sections = sectionsOf(read, head);
  }

  section(name: string): Section | null {
    return this.sections.find((one) => one.name === name) ?? null;
  }

  /** A copy of the bytes at `address`; shorter where the file or the segment ends. */
  bytesAt(address: number, length: number): Bytes {
    return Buffer.from(this.#borrowedAt(address, length));
  }

  /** The same, until the next is read. */
  #borrowedAt(address: number, length: number): Bytes {
    const segment = this.segments.find((one) => address >= one.address && address - one.address < one.size);
    if (segment === undefined) return noBytes();
    const within = Math.min(length, segment.size - (address - segment.address));
    return borrowed(this.#read, address - segment.address + segment.offset, within);
  }

  /** Addresses at which `wanted` is, in order, from `address` on; reads a piece at a time, however long it is said to be. */
  *find(address: number, size: number, wanted: Bytes): Generator<number> {
    const length = Math.min(size, SEARCH_LIMIT);
    for (let from = 0; from < length; from += PIECE) {
      // Two pieces overlap by what may lie across their border.
      const bytes = this.#borrowedAt(address + from, Math.min(PIECE + wanted.length - 1, length - from));
      const isLast = bytes.length < PIECE;
      const found: number[] = [];
      for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + 1)) found.push(address + from + at);
      yield* found;
      if (isLast) return;
    }
  }

  /** The pointer at `address` for a load address of 0; 0 if there is none. */
  pointerAt(address: number): number {
    // Linkers that write RELA leave zeros in the file; others write the value itself.
    const addend = this.relocations.addendAt(address);
    if (addend !== null) return addend;
    const bytes = this.bytesAt(address, 8);
    return bytes.length < 8 ? 0 : u64(bytes, 0);
  }

  get relocations(): Relocations {
    this.#relocations ??= new Relocations(this.#relocationTable(), this.arch);
    return this.#relocations;
  }

  #relocationTable(): Bytes {
    if (this.#dynamic === null) return noBytes();
    const { offset, size } = this.#dynamic;
    const dynamic = copied(this.#read, offset, Math.min(size, DYNAMIC_LIMIT));
    let [address, length] = [0, 0];
    for (let at = 0; at + 16 <= dynamic.length; at += 16) {
      const tag = u64(dynamic, at);
      if (tag === DT_RELA) address = u64(dynamic, at + 8);
      else if (tag === DT_RELASZ) length = u64(dynamic, at + 8);
    }
    return this.bytesAt(address, Math.min(length, RELOCATIONS_LIMIT));
  }
}

//   Elf64_Rela  [ where 8 | type 4, symbol 4 | addend 8 ]
class Relocations {
  readonly #bytes: Bytes;
  readonly #relative: number;

  constructor(bytes: Bytes, arch: Arch) {
    this.#bytes = bytes;
    this.#relative = RELATIVE[arch];
  }

  /** The addend of the relocation for `address`; null if there is none. */
  addendAt(address: number): number | null {
    const bytes = this.#bytes;
    for (let at = 0; at + 24 <= bytes.length; at += 24) {
      if (u64(bytes, at) === address && u32(bytes, at + 8) === this.#relative) return u64(bytes, at + 16);
    }
    return null;
  }

  /** Addresses to which the loader writes pointers to `target`. */
  pointersTo(target: number): number[] {
    const bytes = this.#bytes;
    const found: number[] = [];
    for (let at = 0; at + 24 <= bytes.length && found.length < POINTERS_LIMIT; at += 24) {
      if (u64(bytes, at + 16) === target && u32(bytes, at + 8) === this.#relative) found.push(u64(bytes, at));
    }
    return found;
  }
}

//   Elf64_Phdr  [ type 4 | flags 4 | offset 8 | address 8 | physical 8 | file size 8 | … ]
function segmentOf(entry: Bytes): ElfSegment {
  const flags = u32(entry, 4);
  return {
    offset: u64(entry, 8),
    address: u64(entry, 16),
    size: u64(entry, 32),
    writable: (flags & PF_W) !== 0,
    executable: (flags & PF_X) !== 0,
  };
}

//   Elf64_Shdr  [ name 4 | type 4 | flags 8 | address 8 | offset 8 | size 8 | … ]
function sectionsOf(read: ReadAt, head: Bytes): Section[] {
  const headers = table(read, u64(head, 40), u16(head, 58), u16(head, 60), SECTION_HEADER);
  const names = headers[u16(head, 62)];
  if (names === undefined) return [];
  const texts = copied(read, u64(names, 24), Math.min(u64(names, 32), NAMES_LIMIT));
  return headers
    .filter((entry) => u32(entry, 4) !== SHT_NOBITS)
    .map((entry) => ({
      name: textAt(texts, u32(entry, 0)),
      address: u64(entry, 16),
      offset: u64(entry, 24),
      size: u64(entry, 32),
    }));
}

function textAt(bytes: Bytes, at: number): string {
  const end = bytes.indexOf(0, at);
  return end < 0 ? '' : latin1(bytes, at, end);
}

/** Entries of a header table; none if its sizes are not plausible. */
function table(read: ReadAt, offset: number, size: number, count: number, minSize: number): Bytes[] {
  if (size < minSize || size > ENTRY_LIMIT || count === 0) return [];
  const bytes = copied(read, offset, size * count);
  const entries: Bytes[] = [];
  for (let at = 0; at + size <= bytes.length; at += size) entries.push(bytes.subarray(at, at + size));
  return entries;
}

/** A Buffer, for its fast search. */
export type Bytes = Buffer;

/** @returns a copy; empty for offsets that are not safe integers or are negative. */
export function copied(read: ReadAt, offset: number, length: number): Bytes {
  return Buffer.from(borrowed(read, offset, length));
}

function borrowed(read: ReadAt, offset: number, length: number): Bytes {
  if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(length) || offset < 0 || length <= 0) return noBytes();
  const { buffer, byteOffset, byteLength } = read(offset, length);
  return Buffer.from(buffer, byteOffset, byteLength);
}

export function u16(bytes: Bytes, at: number): number {
  return bytes.readUInt16LE(at);
}

export function u32(bytes: Bytes, at: number): number {
  return bytes.readUInt32LE(at);
}

/** Inexact above 2^53, which no address or size of a program exceeds. */
export function u64(bytes: Bytes, at: number): number {
  return bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * 4_294_967_296;
}

/** Made when it is needed: browsers, which load this file with the library, have no Buffer. */
function noBytes(): Bytes {
  return Buffer.alloc(0);
}

const MAGIC = 0x46_4c_45_7f;
const CLASS_64 = 2;
const LITTLE_ENDIAN = 1;
const HEADER = 64;
const PROGRAM_HEADER = 56;
const SECTION_HEADER = 64;
/** Limit in bytes: one header of a segment or section: 56 and 64 today. */
const ENTRY_LIMIT = 256;
const PT_LOAD = 1;
const PT_DYNAMIC = 2;
const PF_X = 1;
const PF_W = 2;
const SHT_NOBITS = 8;
const DT_RELA = 7;
const DT_RELASZ = 8;
const MACHINES: Readonly<Record<number, Arch | undefined>> = { 62: 'amd64', 183: 'arm64' };
/** R_X86_64_RELATIVE, R_AARCH64_RELATIVE */
const RELATIVE: Readonly<Record<Arch, number>> = { amd64: 8, arm64: 1027 };
/** Limit in bytes: a part of a program that is searched; kubelet's read-only data has some 50 MiB. */
const SEARCH_LIMIT = 512 * 1024 * 1024;
/** Bytes that are read at once of what is searched. */
const PIECE = 4 * 1024 * 1024;
/** Limit: loaded segments; linkers write four to six. */
const SEGMENTS_LIMIT = 64;
/** Limit in bytes: section names: some kilobytes. */
const NAMES_LIMIT = 1024 * 1024;
/** Limit in bytes: the dynamic section: 16 for each of some thirty entries. */
const DYNAMIC_LIMIT = 64 * 1024;
/** Limit in bytes: relocations: 24 for each pointer in the data of a position-independent program; docker's has 7 MiB. */
const RELOCATIONS_LIMIT = 32 * 1024 * 1024;
/** Limit: pointers to one address that are examined: Go has two or three to its function table. */
const POINTERS_LIMIT = 64;
