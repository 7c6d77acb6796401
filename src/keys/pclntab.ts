// Reads Go's table of functions (.gopclntab), which stack traces need and `strip` leaves, in its layouts since Go 1.16
// (debug/gosym/pclntab.go, internal/abi/symtab.go, runtime/symtab.go).

import { type Bytes, u32, u64 } from './elf.js';

/** Go 1.16–1.17, 1.18–1.19, since 1.20. */
export type Layout = '1.16' | '1.18' | '1.20';

export interface Header {
  readonly layout: Layout;
  readonly functions: number;
  /** Start of the text, which linkers before Go 1.26 write; 0 if absent or left to a relocation. */
  readonly textStart: number;
  /** Bytes from the start of the table. */
  readonly namesAt: number;
  readonly namesEnd: number;
  readonly functionsAt: number;
}

export interface FunctionEntry {
  /** Before Go 1.18: address of the function; in position-independent programs only a relocation has it. */
  readonly address: number | null;
  /** Since Go 1.18: bytes from the start of the text. */
  readonly fromText: number | null;
  /** Offset of that number in the table. */
  readonly at: number;
}

/** @returns null if no table begins at `at`. */
export function headerAt(bytes: Bytes, at: number, quantum: number): Header | null {
  if (at + HEADER_BYTES > bytes.length) return null;
  const layout = MAGICS[u32(bytes, at)];
  //   [ magic 4 | 0 | 0 | quantum | pointer size | functions 8 | files 8 | (text start 8) | names 8 | … | functions 8 ]
  if (layout === undefined || bytes[at + 4] !== 0 || bytes[at + 5] !== 0) return null;
  if (bytes[at + 6] !== quantum || bytes[at + 7] !== POINTER) return null;
  const word = (index: number): number => u64(bytes, at + 8 + index * POINTER);
  const shift = layout === '1.16' ? 0 : 1;
  const header: Header = {
    layout,
    functions: word(0),
    textStart: shift === 1 ? word(2) : 0,
    namesAt: word(2 + shift),
    namesEnd: word(3 + shift),
    functionsAt: word(6 + shift),
  };
  const inOrder =
    header.namesAt >= 8 + (7 + shift) * POINTER &&
    header.namesAt < header.namesEnd &&
    header.namesEnd <= word(4 + shift) &&
    word(4 + shift) <= word(5 + shift) &&
    word(5 + shift) <= header.functionsAt;
  return inOrder && header.functions > 0 && header.functions <= FUNCTIONS_LIMIT ? header : null;
}

/** @param table the whole table. @param name the function's full name, e.g. `crypto/tls.(*Config).writeKeyLog`. */
export function findFunction(table: Bytes, header: Header, name: string): FunctionEntry | null {
  const nameAt = findName(table, header, name);
  if (nameAt < 0) return null;
  const { layout, functions, functionsAt } = header;
  const field = layout === '1.16' ? POINTER : 4;
  const number = layout === '1.16' ? u64 : u32;
  //   function table  [ entry | offset of its data ] … one for each function, from `functionsAt`, as the offsets are
  //   its data        [ entry | offset of its name 4 | … ]
  for (let i = 0; i < functions; i += 1) {
    const at = functionsAt + i * 2 * field;
    if (at + 2 * field > table.length) return null;
    const data = functionsAt + number(table, at + field);
    if (data + field + 4 > table.length) continue;
    if (u32(table, data + field) !== nameAt) continue;
    const entry = number(table, at);
    return layout === '1.16' ? { address: entry, fromText: null, at } : { address: null, fromText: entry, at };
  }
  return null;
}

/** Offset from the start of the names; -1 if no function has this name. */
function findName(table: Bytes, { namesAt, namesEnd }: Header, name: string): number {
  const names = table.subarray(namesAt, namesEnd);
  const wanted = Buffer.from(`${name}\0`, 'latin1');
  for (let at = names.indexOf(wanted); at >= 0; at = names.indexOf(wanted, at + 1)) {
    if (at === 0 || names[at - 1] === 0) return at;
  }
  return -1;
}

const MAGICS: Readonly<Record<number, Layout | undefined>> = {
  4294967290: '1.16',
  4294967280: '1.18',
  4294967281: '1.20',
};
/** Bytes that hold a header of any layout. */
export const HEADER_BYTES = 72;
const POINTER = 8;
/** Limit: functions of one program; kubelet has 90,000. */
const FUNCTIONS_LIMIT = 10_000_000;
