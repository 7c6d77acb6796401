// A uprobe on the HPACK decoder of Go's HTTP/2: what a kernel is told, and what it reports of each header block that is decoded.

import type { Arch } from './elf.js';
import type { GoProgram } from './go-function.js';
import { cheapestPlace, PROLOGUE_BYTES } from './prologue.js';

/** Called for each fragment of a header block; golang.org/x/net's, and the one that net/http brings with it. */
export const HEADER_FUNCTIONS: readonly string[] = [
  'golang.org/x/net/http2/hpack.(*Decoder).Write',
  'vendor/golang.org/x/net/http2/hpack.(*Decoder).Write',
];

/**
 * Offsets in `hpack.Decoder`, which begins with its dynamic table (hpack.go, tables.go): a slice of entries, how many were evicted; and
 * in an entry (`HeaderField`).
 */
export const HPACK_FIELDS = { entries: 0, evicted: 24, name: 0, value: 16, size: 40 } as const;

/** A header block that a process is about to decode. */
export interface HeaderReport {
  readonly program: number;
  readonly thread: number;
  readonly goroutine: string;
  /** ns of the clock that the tracing instance uses. */
  readonly time: bigint;
  /** Address of the decoder. */
  readonly decoder: number;
  /** Bytes of the fragment, and its first ones, hexadecimal. */
  readonly length: number;
  readonly start: string;
  /** Fields that were inserted into its table before. */
  readonly inserted: number;
}

/** @returns offsets in the file of the functions that the program has. */
export function findHeaderProbes(program: GoProgram): number[] {
  return HEADER_FUNCTIONS.flatMap((name) => {
    const found = program.find(name);
    if (typeof found === 'string') return [];
    const within = cheapestPlace(program.codeOf(found, PROLOGUE_BYTES), found.arch);
    return within === null ? [] : [found.offset + within];
  });
}

/** The line that sets a probe, for `uprobe_events`. */
export function headerProbeLine(arch: Arch, offset: number, file: string, event: string): string {
  const { receiver, bytes, length, goroutine } = REGISTERS[arch];
  const block = [0, 1, 2, 3].map((i) => `b${i}=+${8 * i}(${bytes}):x64`);
  const values = [
    `de=${receiver}:x64`,
    `g=${goroutine}:x64`,
    `bn=${length}:u64`,
    ...block,
    `el=+${HPACK_FIELDS.entries + 8}(${receiver}):u64`,
    `ev=+${HPACK_FIELDS.evicted}(${receiver}):u64`,
  ];
  return `p:${event} ${file}:0x${offset.toString(16)} ${values.join(' ')}`;
}

/** @returns null: another line, or a block too short to be known again. */
export function headerReport(line: string): HeaderReport | null {
  const match = REPORT.exec(line);
  if (match === null) return null;
  const [, thread, seconds, micros, program, decoder, goroutine, bytes, words, entries, evicted] = match;
  const length = Number(bytes);
  const start = [...words.matchAll(/0x([0-9a-f]{1,16})/g)]
    .map(([, word]) => (word.padStart(16, '0').match(/../g) ?? []).reverse().join(''))
    .join('')
    .slice(0, 2 * Math.min(length, 32));
  if (length === 0 || length > BLOCK_LIMIT || Number(entries) > ENTRIES_LIMIT) return null;
  return {
    program: Number(program),
    thread: Number(thread),
    goroutine,
    time: BigInt(seconds) * 1_000_000_000n + BigInt(micros) * 1000n,
    decoder: Number(decoder),
    length,
    start,
    inserted: Number(entries) + Number(evicted),
  };
}

/** Go's internal calling convention (src/cmd/compile/abi-internal.md): receiver, slice, and the current goroutine. */
const REGISTERS: Readonly<Record<Arch, { receiver: string; bytes: string; length: string; goroutine: string }>> = {
  amd64: { receiver: '%ax', bytes: '%bx', length: '%cx', goroutine: '%r14' },
  arm64: { receiver: '%x0', bytes: '%x1', length: '%x2', goroutine: '%x28' },
};
export const GOROUTINE: Readonly<Record<Arch, string>> = { amd64: '%r14', arm64: '%x28' };

const REPORT =
  /-(\d{1,10}) +\[\d+\] \S+ +(\d{1,10})\.(\d{6}): (?:headers|stdheaders)_\w+_(\d{1,6}): \(0x[0-9a-f]+\) de=(0x[0-9a-f]{1,16}) g=(0x[0-9a-f]{1,16}) bn=(\d{1,12}) ((?:b\d=0x[0-9a-f]{1,16} ){4})el=(\d{1,12}) ev=(\d{1,15})$/;
/** Bytes of a fragment: a frame has 16 KiB unless more was agreed on. */
const BLOCK_LIMIT = 16 * 1024;
/** Entries of a table of 4 KiB: at most 128, as each counts for 32 bytes and more. */
export const ENTRIES_LIMIT = 1024;
