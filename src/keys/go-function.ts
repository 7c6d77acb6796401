// Finds a function of a Go program by its name, in memory and in the file; works for stripped programs too.

import { goVersion } from './build-info.js';
import { type Arch, type Bytes, copied, Elf, type ElfSegment, type ReadAt } from './elf.js';
import { type FunctionEntry, findFunction, HEADER_BYTES, type Header, headerAt, type Layout } from './pclntab.js';
import { PROLOGUE_BYTES, probeOffset } from './prologue.js';

export interface GoFunction {
  readonly arch: Arch;
  /** E.g. `go1.24.6`; null if the program does not hold it. */
  readonly goVersion: string | null;
  /** Layout of the program's function table, which bounds the version. */
  readonly layout: Layout;
  /** As `go tool nm` prints it: for a load address of 0 in position-independent programs. */
  readonly address: number;
  /** Bytes from the start of the file, as uprobes take them. */
  readonly offset: number;
}

/** @returns the function, or a text without subject: why there is none. */
export function findGoFunction(read: ReadAt, name: string): GoFunction | string {
  const program = openGoProgram(read);
  return typeof program === 'string' ? program : program.find(name);
}

export interface GoProgram {
  /** The symbol table was removed; the function table stays. */
  readonly isStripped: boolean;
  /**
   * @param name full name of the function, e.g. `crypto/tls.(*Config).writeKeyLog`.
   * @returns the function, or a text without subject: why the program has none.
   */
  find(name: string): GoFunction | string;
  /** Offset in the file at which a probe on the function costs least; null if none may be set. */
  probeOffset(found: GoFunction): number | null;
}

/** @param read stays in use. @returns the program, or a text without subject: what the file is instead. */
export function openGoProgram(read: ReadAt): GoProgram | string {
  const elf = Elf.open(read);
  if (typeof elf === 'string') return elf;
  const found = goTableOf(elf);
  if (found === null) return 'not a Go program, or of a Go version before 1.16 or newer than is known';
  return {
    isStripped: elf.section('.symtab') === null,
    find: (name) => functionIn(elf, found, read, name),
    probeOffset({ arch, offset }) {
      const within = probeOffset(copied(read, offset, PROLOGUE_BYTES), arch);
      return within === null ? null : offset + within;
    },
  };
}

function functionIn(elf: Elf, found: FunctionTable, read: ReadAt, name: string): GoFunction | string {
  const { table, header, address: tableAt } = found;
  const entry = findFunction(table, header, name);
  if (entry === null) return `a Go program without the function ${name}`;
  const address = addressOf(elf, found, entry);
  const code = elf.segments.find((one) => one.executable && address >= one.address && address < one.address + one.size);
  if (code === undefined)
    return `a Go program whose function table at 0x${tableAt.toString(16)} points out of its code`;
  const offset = address - code.address + code.offset;
  if (copied(read, offset, 1).length === 0) return 'a Go program that is cut off before its code';
  return { arch: elf.arch, goVersion: goVersion(elf), layout: header.layout, address, offset };
}

interface FunctionTable {
  readonly address: number;
  readonly header: Header;
  readonly table: Bytes;
}

/** Finds the table by its section, else by its first bytes in segments that are no code. */
export function goTableOf(elf: Elf): FunctionTable | null {
  const quantum = QUANTUM[elf.arch];
  for (const name of SECTIONS) {
    const section = elf.section(name);
    if (section === null) continue;
    const table = elf.bytesAt(section.address, Math.min(section.size, TABLE_LIMIT));
    const header = headerAt(table, 0, quantum);
    if (header !== null) return { address: section.address, header, table };
  }
  for (const segment of elf.segments) {
    const found = segment.executable ? null : searchTable(elf, segment, quantum);
    if (found !== null) return found;
  }
  return null;
}

/** Prefers the table that the program's own module data points to, as any bytes may look like a header. */
function searchTable(elf: Elf, segment: ElfSegment, quantum: number): FunctionTable | null {
  const wanted = Buffer.from([0xff, 0xff, 0xff, 0, 0, quantum, POINTER]);
  let firstCandidate: FunctionTable | null = null;
  let candidates = 0;
  for (const at of elf.find(segment.address, segment.size, wanted)) {
    const address = at - 1;
    const header = headerAt(elf.bytesAt(address, HEADER_BYTES), 0, quantum);
    const rest = Math.min(segment.address + segment.size - address, TABLE_LIMIT);
    if (address < segment.address || header === null || header.functionsAt + HEADER_BYTES > rest) continue;
    const found = { address, header, table: elf.bytesAt(address, rest) };
    if (moduleTextOf(elf, found) !== null) return found;
    firstCandidate ??= found;
    candidates += 1;
    if (candidates === CANDIDATES_LIMIT) break;
  }
  return firstCandidate;
}

function addressOf(elf: Elf, found: FunctionTable, entry: FunctionEntry): number {
  if (entry.fromText !== null) return textOf(elf, found) + entry.fromText;
  return elf.relocations.addendAt(found.address + entry.at) ?? entry.address ?? 0;
}

/**
 * Address at which Go's code begins; with cgo it lies after C's. The module data holds it in every version, the table's header
 * until Go 1.25; the section table is right for programs without C.
 */
function textOf(elf: Elf, found: FunctionTable): number {
  const fromModule = moduleTextOf(elf, found);
  if (fromModule !== null) return fromModule;
  if (found.header.textStart !== 0) return found.header.textStart;
  return elf.section('.text')?.address ?? 0;
}

//   moduledata  [ table 8 | names, units, files, pcs, lines, functions: 6 slices of 24 | 8 | min pc 8 | max pc 8 | text 8 | … ]
// The same since Go 1.16 (runtime/symtab.go).
function moduleTextOf(elf: Elf, { address, header }: FunctionTable): number | null {
  for (const at of pointersTo(elf, address)) {
    if (elf.pointerAt(at + FUNCTIONS_SLICE) !== address + header.functionsAt) continue;
    const text = elf.pointerAt(at + TEXT_FIELD);
    const first = elf.pointerAt(at + FIRST_PC_FIELD);
    if (text !== 0 && first >= text) return text;
  }
  return null;
}

function pointersTo(elf: Elf, target: number): number[] {
  const found = elf.relocations.pointersTo(target);
  const wanted = Buffer.alloc(8);
  wanted.writeBigUInt64LE(BigInt(target));
  // Go 1.26 gives the module data a section of its own.
  const own = elf.section('.go.module');
  for (const { address, size } of own !== null ? [own] : elf.segments.filter(({ executable }) => !executable)) {
    for (const at of elf.find(address, size, wanted)) {
      if (at % POINTER !== 0) continue;
      found.push(at);
      if (found.length >= CANDIDATES_LIMIT) return found;
    }
  }
  return found;
}

const SECTIONS = ['.gopclntab', '.data.rel.ro.gopclntab'];
/** Bytes of the shortest instruction, as in the header. */
const QUANTUM: Readonly<Record<Arch, number>> = { amd64: 1, arm64: 4 };
const POINTER = 8;
/** The slice before the last of six: of the functions' data, which begins with the function table. */
const FUNCTIONS_SLICE = 8 + 4 * 24;
const FIRST_PC_FIELD = 8 + 6 * 24 + 8;
const TEXT_FIELD = FIRST_PC_FIELD + 16;
/** Limit in bytes: a function table; kubelet's has 25 MiB. */
const TABLE_LIMIT = 48 * 1024 * 1024;
/** Limit: places that look like a function table, or a pointer to it. */
const CANDIDATES_LIMIT = 64;
