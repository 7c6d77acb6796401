// The HPACK tables of processes, read from their memory at header blocks that the kernel reported, as lines of a key log.

import { keep } from '../core/collections/bounded.js';
import { headerTableLine, type TableEntry } from '../core/header-table.js';
import { addressText, type SocketAddress } from '../core/open-connection.js';
import { ENTRIES_LIMIT, type HeaderReport, HPACK_FIELDS } from './header-report.js';

/** Memory of a process at an address; null: it cannot be read. */
export type ReadMemory = (address: number, length: number) => Buffer | null;

export class ObservedTables {
  /** By process and decoder: when it was looked into last, and up to which entry it was written. */
  readonly #decoders = new Map<string, { time: bigint; written: number }>();
  /** The one decoder of each connection, by process and ends. */
  readonly #ofConnection = new Map<string, number>();

  /** The next block of each decoder is wanted, however short ago the last one was: a capture begins. */
  again(): void {
    for (const one of this.#decoders.values()) one.time = 0n;
  }

  /** @returns whether the table is worth a look at this block. */
  wants(pid: number, { decoder, time }: HeaderReport): boolean {
    const known = this.#decoders.get(`${pid} ${decoder}`);
    return known === undefined || known.time === 0n || time - known.time >= EVERY_NS;
  }

  /**
   * @param ends of the connection, as the process sees them. @param clock ns that make the report's time one since the epoch.
   * @returns a line of the key log; null where the table changed while it was read.
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
    // The goroutine, or the decoder's memory, is another connection's by now.
    if (
      report.inserted < written ||
      !this.#isOwn(`${pid} ${addressText(ends.local)} ${addressText(ends.remote)}`, report)
    )
      return null;
    keep(this.#decoders, key, { time: report.time, written: entries.at(-1)?.number ?? written }, DECODERS_LIMIT);
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

  #isOwn(connection: string, { decoder }: HeaderReport): boolean {
    const own = this.#ofConnection.get(connection);
    if (own === undefined) keep(this.#ofConnection, connection, decoder, DECODERS_LIMIT);
    return own === undefined || own === decoder;
  }
}

/** The entries of a decoder's dynamic table, the oldest first; null: it could not be read as it was at one moment. */
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
  // Entries move within the table when others are evicted.
  return read(decoder, HEAD_BYTES)?.equals(head) === true ? entries : null;
}

const HEAD_BYTES = 32;
/** Bytes of a name or value: an HPACK table has 4 KiB in all, unless a program asks for more. */
const TEXT_LIMIT = 4096;
/** ns between two looks into one decoder. */
const EVERY_NS = 2_000_000_000n;
/** Decoders that are remembered: of a busy API server some thousand. */
const DECODERS_LIMIT = 16_384;
