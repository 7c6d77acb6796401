// Observes the HPACK decoders of Go's HTTP/2 in running processes: the uprobe on them, the report of each header block, and the dynamic
// tables read from memory, as lines of a key log.

import { BoundedMap } from '../core/collections/bounded.js';
import { headerTableLine, type TableEntry } from '../core/header-table.js';
import { addressText, type SocketAddress } from '../core/open-connection.js';
import type { Arch } from './elf.js';
import type { GoProgram } from './go-function.js';

/** Called for each fragment of a header block: golang.org/x/net's function, and net/http's vendored copy. */
const HEADER_FUNCTIONS: readonly string[] = [
  'golang.org/x/net/http2/hpack.(*Decoder).Write',
  'vendor/golang.org/x/net/http2/hpack.(*Decoder).Write',
];

/**
 * Offsets in `hpack.Decoder`, which begins with its dynamic table (hpack.go, tables.go): a slice of entries, the number evicted; and
 * in an entry (`HeaderField`).
 */
export const HPACK_FIELDS = { entries: 0, evicted: 24, name: 0, value: 16, size: 40 } as const;

/** A header block that a process is about to decode. */
export interface HeaderReport {
  readonly program: number;
  readonly thread: number;
  readonly goroutine: string;
  /** ns on the clock of the tracing instance. */
  readonly time: bigint;
  /** Address of the decoder. */
  readonly decoder: number;
  /** Bytes of the fragment, and its first 32, hexadecimal. */
  readonly length: number;
  readonly start: string;
  /** Fields that were inserted into the decoder's table before. */
  readonly inserted: number;
}

/** @returns offsets in the file of probes on those of the functions that the program has. */
export function findHeaderProbes(program: GoProgram): number[] {
  return HEADER_FUNCTIONS.flatMap((name) => {
    const found = program.find(name);
    if (typeof found === 'string') return [];
    return program.probeOffset(found) ?? [];
  });
}

/** @returns the line for `uprobe_events` that sets a probe. */
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

/** @returns null for another line, or for a block or table of implausible size. */
export function headerReport(line: string): HeaderReport | null {
  const match = REPORT.exec(line);
  if (match === null) return null;
  const [, thread, seconds, micros, program, decoder, goroutine, bytes, words, entries, evicted] = match;
  const length = Number(bytes);
  const start = [...words.matchAll(/0x[0-9a-f]{1,16}/g)].map(([word]) => bytesOfWord(word)).join('');
  if (length === 0 || length > BLOCK_LIMIT || Number(entries) > ENTRIES_LIMIT) return null;
  return {
    program: Number(program),
    thread: Number(thread),
    goroutine,
    time: BigInt(seconds) * 1_000_000_000n + BigInt(micros) * 1000n,
    decoder: Number(decoder),
    length,
    start: start.slice(0, 2 * Math.min(length, 32)),
    inserted: Number(entries) + Number(evicted),
  };
}

/** @param word of memory as the kernel prints it (`0x…`, little endian). @returns the hexadecimal digits of its bytes. */
export function bytesOfWord(word = '0x0'): string {
  return (word.slice(2).padStart(16, '0').match(/../g) ?? []).reverse().join('');
}

/** Go's internal calling convention (src/cmd/compile/abi-internal.md): receiver, slice, and the current goroutine. */
export const REGISTERS: Readonly<Record<Arch, { receiver: string; bytes: string; length: string; goroutine: string }>> =
  {
    amd64: { receiver: '%ax', bytes: '%bx', length: '%cx', goroutine: '%r14' },
    arm64: { receiver: '%x0', bytes: '%x1', length: '%x2', goroutine: '%x28' },
  };

const REPORT =
  /-(\d{1,10}) +\[\d+\] \S+ +(\d{1,10})\.(\d{6}): (?:headers|stdheaders)_\w+_(\d{1,6}): \(0x[0-9a-f]+\) de=(0x[0-9a-f]{1,16}) g=(0x[0-9a-f]{1,16}) bn=(\d{1,12}) ((?:b\d=0x[0-9a-f]{1,16} ){4})el=(\d{1,12}) ev=(\d{1,15})$/;
/** Limit in bytes: a fragment of a header block: a frame has 16 KiB unless the settings allow more. */
const BLOCK_LIMIT = 16 * 1024;
/** Limit: entries of an HPACK table: 4 KiB hold at most 128, as each counts for 32 bytes and more. */
const ENTRIES_LIMIT = 1024;

/** Memory of a process at an address; null if it cannot be read. */
export type ReadMemory = (address: number, length: number) => Buffer | null;

export class ObservedTables {
  /** By process and decoder: when its table was read last, and the number of the last entry that was written. */
  readonly #decoders = new BoundedMap<string, { time: bigint; written: number }>(
    DECODERS_LIMIT,
    'decoders of header fields',
  );
  /** The one decoder of each connection, by process and ends. */
  readonly #decoderOf = new BoundedMap<string, number>(DECODERS_LIMIT, 'decoders of connections');

  /** @returns whether the decoder's table is due to be read at this block. */
  isDue(pid: number, { decoder, time }: HeaderReport): boolean {
    const known = this.#decoders.get(`${pid} ${decoder}`);
    return known === undefined || time - known.time >= READ_INTERVAL_NS;
  }

  /**
   * @param ends addresses of the connection, local and remote to the process.
   * @param clock ns to add to the report's time for ns since the epoch.
   * @returns a line of the key log; null if the table changed while it was read.
   */
  observe(
    pid: number,
    report: HeaderReport,
    ends: { readonly local: SocketAddress; readonly remote: SocketAddress },
    read: ReadMemory,
    clock: bigint,
  ): string | null {
    const entries = tableAt(report.decoder, read);
    if (entries === null) return null;
    const key = `${pid} ${report.decoder}`;
    const known = this.#decoders.get(key);
    const written = known?.written ?? 0;
    // The goroutine, or the decoder's memory, belongs to another connection by now.
    if (
      report.inserted < written ||
      !this.#isDecoderOf(`${pid} ${addressText(ends.local)} ${addressText(ends.remote)}`, report)
    )
      return null;
    this.#decoders.set(key, { time: report.time, written: entries.at(-1)?.number ?? written });
    const { length, start, inserted } = report;
    return headerTableLine({
      local: ends.local,
      remote: ends.remote,
      length,
      start,
      inserted,
      time: report.time + clock,
      entries: entries.filter(({ number }) => number > written),
    });
  }

  #isDecoderOf(connection: string, { decoder }: HeaderReport): boolean {
    const known = this.#decoderOf.get(connection);
    if (known === undefined) this.#decoderOf.set(connection, decoder);
    return known === undefined || known === decoder;
  }
}

/** The entries of a decoder's dynamic table, the oldest first; null if no consistent state could be read. */
function tableAt(decoder: number, read: ReadMemory): TableEntry[] | null {
  const head = read(decoder, HEAD_BYTES);
  if (head === null) return null;
  const word = (bytes: Buffer, at: number): number => Number(bytes.readBigUInt64LE(at));
  const [pointer, count] = [word(head, HPACK_FIELDS.entries), word(head, HPACK_FIELDS.entries + 8)];
  const evicted = word(head, HPACK_FIELDS.evicted);
  if (count > ENTRIES_LIMIT) return null;
  const fields = count === 0 ? Buffer.alloc(0) : read(pointer, count * HPACK_FIELDS.size);
  if (fields === null) return null;
  const text = (at: number): string | null => {
    const length = word(fields, at + 8);
    if (length === 0) return '';
    return length > TEXT_LIMIT ? null : (read(word(fields, at), length)?.toString('latin1') ?? null);
  };
  const entries: TableEntry[] = [];
  for (let i = 0; i < count; i += 1) {
    const at = i * HPACK_FIELDS.size;
    const [name, value] = [text(at + HPACK_FIELDS.name), text(at + HPACK_FIELDS.value)];
    if (name === null || value === null) return null;
    entries.push({ number: evicted + i + 1, name, value });
  }
  // Evictions move the other entries within the table.
  return read(decoder, HEAD_BYTES)?.equals(head) === true ? entries : null;
}

const HEAD_BYTES = 32;
/** Limit in bytes: a name or value in an HPACK table, which has 4 KiB in all unless a program sets more. */
const TEXT_LIMIT = 4096;
/** ns between two reads of one decoder's table. */
const READ_INTERVAL_NS = 2_000_000_000n;
/** Limit: HPACK decoders that are remembered: a busy API server has some thousand. */
const DECODERS_LIMIT = 16_384;
