// Stores HPACK dynamic tables that `kubeseq keys` read from running processes, and finds the one before a given header block. They are
// lines of the key log, with the secrets of the same connections.

import { hexText } from '../core/bytes/bytes.js';
import {
  BLOCK_BYTES,
  type HeaderTables,
  type ObservedHeaderTable,
  parseHeaderTable,
  type TableEntry,
} from '../core/header-table.js';
import { addressText, type SocketAddress } from '../core/open-connection.js';

export class HeaderTableStore implements HeaderTables {
  readonly #directions = new Map<string, TableDirection>();

  /** @returns what the line is; a table beyond the limits is ignored. */
  add(line: string): 'table' | 'other kind' | 'malformed' {
    const table = parseHeaderTable(line);
    if (table == null) return table === null ? 'other kind' : 'malformed';
    // The observed process received the block.
    const key = directionKey(table.remote, table.local);
    let direction = this.#directions.get(key);
    if (direction === undefined) {
      if (this.#directions.size >= DIRECTIONS_LIMIT) return 'table';
      direction = { tables: [], entries: new Map(), lines: [], isUsed: false, isAmbiguous: false };
      this.#directions.set(key, direction);
    }
    if (direction.tables.length >= BLOCKS_LIMIT) return 'table';
    direction.tables.push(table);
    direction.lines.push(line);
    for (const entry of table.entries) {
      const known = direction.entries.get(entry.number);
      // An entry never changes (RFC 7541, 2.3.2), so these are two connections with the same endpoints.
      if (known !== undefined && (known.name !== entry.name || known.value !== entry.value))
        direction.isAmbiguous = true;
      direction.entries.set(entry.number, entry);
    }
    return 'table';
  }

  /**
   * @returns `inserted`: how many entries were ever inserted before this block; `entries`: all that were read of this direction, at any
   * time, of which the caller finds each by its number. null also if it is not certain which block this is.
   */
  at(
    sender: SocketAddress,
    receiver: SocketAddress,
    block: Uint8Array,
    time: bigint,
  ): { readonly inserted: number; readonly entries: readonly TableEntry[] } | null {
    if (this.#directions.size === 0) return null;
    const direction = this.#directions.get(directionKey(sender, receiver));
    if (direction === undefined || direction.isAmbiguous) return null;
    const start = hexText(block.subarray(0, BLOCK_BYTES));
    const found = direction.tables.filter(
      (one) => one.length === block.length && one.start === start && near(one.time, time),
    );
    // Among equal blocks the table is only certain if nothing was inserted between them.
    if (found.length === 0 || found.some(({ inserted }) => inserted !== found[0].inserted)) return null;
    direction.isUsed = true;
    return { inserted: found[0].inserted, entries: [...direction.entries.values()] };
  }

  /** Lines of the directions that were used, with line ends. */
  usedLines(): string[] {
    return [...this.#directions.values()].flatMap(({ isUsed, lines }) =>
      isUsed ? lines.map((line) => `${line}\n`) : [],
    );
  }
}

interface TableDirection {
  readonly tables: ObservedHeaderTable[];
  readonly entries: Map<number, TableEntry>;
  readonly lines: string[];
  isUsed: boolean;
  isAmbiguous: boolean;
}

function directionKey(sender: SocketAddress, receiver: SocketAddress): string {
  return `${addressText(sender)} ${addressText(receiver)}`;
}

function near(a: bigint, b: bigint): boolean {
  return (a > b ? a - b : b - a) <= NEAR_NS;
}

/** ns between the capture of a block and its decoding in the observed process: microseconds, more on a busy machine. */
const NEAR_NS = 500_000_000n;
/** Limit: directions of which an HPACK table was observed, two for each open connection of a busy API server. */
const DIRECTIONS_LIMIT = 16_384;
/** Limit: blocks of one direction for which the table is known; `kubeseq keys` records one every two seconds. */
const BLOCKS_LIMIT = 256;
