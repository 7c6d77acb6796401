// Decodes the HPACK header blocks of one direction of a connection (RFC 7541). References to unknown table entries become partial
// fields, never guesses.

import { latin1 } from '../../core/bytes/bytes.js';
import { FieldGatherer, type Fields, NO_FIELDS } from '../../core/fields.js';
import type { TableEntry } from '../../core/header-table.js';
import type { PartialField } from '../http-event.js';
import { DynamicTable } from './dynamic-table.js';
import { huffmanText } from './huffman.js';
import { STATIC_LENGTH, STATIC_NAMES, STATIC_VALUES } from './static-table.js';

export interface HeaderBlock {
  /** One character a byte. */
  fields: Fields;
  readonly partial: PartialField[];
  /** Name of the first field; null if it is unknown, undefined for an empty block. */
  firstName: string | null | undefined;
  /** `cut`: the end of the block is missing. `malformed`: decoding stopped at an error. `limit`: fields were omitted. */
  problem: 'cut' | 'malformed' | 'limit' | null;
}

/**
 * @param options.complete the connection was captured from its first block. Otherwise the table has unknown entries.
 * @param options.maxTableSize bytes of a complete table. An encoder announces every change in its blocks (RFC 7541, 4.2), so SETTINGS
 *   of the other direction, whose time of effect is unknown to an observer, are not needed.
 */
export function hpackDecoder(options: { complete: boolean; maxTableSize?: number }): HpackDecoder {
  return new HpackDecoder(new DynamicTable(options.complete, options.maxTableSize ?? DEFAULT_TABLE_SIZE));
}

export class HpackDecoder {
  readonly #table: DynamicTable;
  #bytes: Uint8Array = NO_BYTES;
  #at = 0;
  #end = 0;
  #listSize = 0;

  constructor(table: DynamicTable) {
    this.#table = table;
  }

  /** False if the table may have entries that were not captured. */
  get complete(): boolean {
    return this.#table.complete;
  }

  /** Size of the known entries by RFC 7541, 4.1. */
  get tableSize(): number {
    return this.#table.size;
  }

  get tableLength(): number {
    return this.#table.length;
  }

  /** Sets the entries that the receiving process had before the next block. @param inserted total number of insertions. */
  observed(inserted: number, entries: readonly TableEntry[]): void {
    this.#table.observed(inserted, entries);
  }

  /** A header block was missed, so the indexes of earlier entries are unknown. */
  lost(): void {
    this.#table.lose();
  }

  /**
   * Decodes one whole header block (all its fragments), borrowed. After an error the table is lost, because an endpoint would have
   * closed the connection (COMPRESSION_ERROR).
   * @param cut only the beginning of the block is available; afterwards the table is lost.
   */
  decode(block: Uint8Array, cut = false): HeaderBlock {
    const out: HeaderBlock = { fields: NO_FIELDS, partial: [], firstName: undefined, problem: null };
    this.#bytes = block;
    this.#at = 0;
    this.#end = block.length;
    this.#listSize = 0;
    let stop = 0;
    while (stop === 0 && this.#at < this.#end) {
      const byte = block[this.#at];
      if (byte >= 0x80) stop = this.#indexed(out);
      else if (byte >= 0x40) stop = this.#literal(out, 0x3f, true);
      else if (byte >= 0x20) stop = this.#sizeUpdate(out);
      else stop = this.#literal(out, 0x0f, false);
    }
    this.#bytes = NO_BYTES;
    out.fields = GATHERED.take();
    if (cut || stop !== 0) {
      out.problem = cut && stop !== MALFORMED ? 'cut' : 'malformed';
      this.#table.lose();
    }
    return out;
  }

  /** RFC 7541, 6.1. @returns 0, NEED_MORE or MALFORMED, like the following methods. */
  #indexed(out: HeaderBlock): number {
    const index = this.#integer(0x7f);
    if (index < 0) return index;
    if (index <= STATIC_LENGTH) {
      if (index === 0) return MALFORMED;
      this.#known(out, STATIC_NAMES[index], STATIC_VALUES[index]);
      return 0;
    }
    const table = this.#table;
    const slot = table.slotAt(index - STATIC_LENGTH - 1);
    if (!table.has(slot)) {
      if (table.complete) return MALFORMED;
      this.#unknown(out, null, slot);
      return 0;
    }
    const name = table.name(slot);
    if (name === null) this.#unknown(out, table.value(slot), table.nameSlot(slot));
    else this.#known(out, name, table.value(slot));
    return 0;
  }

  /** RFC 7541, 6.2.1 to 6.2.3: with indexing, without, never indexed. */
  #literal(out: HeaderBlock, prefix: number, insert: boolean): number {
    const index = this.#integer(prefix);
    if (index < 0) return index;
    let name: string | null;
    let nameSlot = 0;
    if (index === 0) {
      const read = this.#string();
      if (typeof read === 'number') return read;
      name = read;
    } else if (index <= STATIC_LENGTH) {
      name = STATIC_NAMES[index];
    } else {
      const table = this.#table;
      nameSlot = table.slotAt(index - STATIC_LENGTH - 1);
      if (table.has(nameSlot)) {
        name = table.name(nameSlot);
        if (name === null) nameSlot = table.nameSlot(nameSlot);
      } else if (table.complete) {
        return MALFORMED;
      } else {
        name = null;
      }
    }
    const value = this.#string();
    if (typeof value === 'number') return value;
    if (insert) this.#table.insert(name, value, nameSlot);
    if (name === null) this.#unknown(out, value, nameSlot);
    else this.#known(out, name, value);
    return 0;
  }

  /** RFC 7541, 6.3; only allowed at the beginning of a block (4.2). */
  #sizeUpdate(out: HeaderBlock): number {
    const size = this.#integer(0x1f);
    if (size < 0) return size;
    if (out.firstName !== undefined) return MALFORMED;
    this.#table.resize(size);
    return 0;
  }

  #known(out: HeaderBlock, name: string, value: string): void {
    if (out.firstName === undefined) out.firstName = name;
    if (this.#overLimit(out, name.length + value.length)) return;
    GATHERED.add(name, value);
  }

  #unknown(out: HeaderBlock, value: string | null, slot: number): void {
    if (out.firstName === undefined) out.firstName = null;
    if (this.#overLimit(out, value === null ? 0 : value.length)) return;
    out.partial.push({ name: null, value, slot });
  }

  // Fields beyond the limit are omitted, but the block is decoded to its end, because its insertions change the table.
  #overLimit(out: HeaderBlock, length: number): boolean {
    this.#listSize += length + ENTRY_OVERHEAD;
    if (this.#listSize <= MAX_HEADER_LIST) return false;
    out.problem = 'limit';
    return true;
  }

  /** RFC 7541, 5.1. */
  #integer(prefix: number): number {
    let value = this.#bytes[this.#at++] & prefix;
    if (value < prefix) return value;
    let scale = 1;
    while (this.#at < this.#end) {
      const byte = this.#bytes[this.#at++];
      value += (byte & 0x7f) * scale;
      if (value > MAX_INTEGER) return MALFORMED;
      if (byte < 0x80) return value;
      scale *= 128;
      if (scale > MAX_INTEGER) return MALFORMED;
    }
    return NEED_MORE;
  }

  /** RFC 7541, 5.2. */
  #string(): string | number {
    if (this.#at >= this.#end) return NEED_MORE;
    const huffman = this.#bytes[this.#at] >= 0x80;
    const length = this.#integer(0x7f);
    if (length < 0) return length;
    const start = this.#at;
    if (length > this.#end - start) return NEED_MORE;
    this.#at = start + length;
    if (!huffman) return latin1(this.#bytes, start, this.#at);
    return huffmanText(this.#bytes, start, this.#at) ?? MALFORMED;
  }
}

const NO_BYTES = new Uint8Array(0);
const GATHERED = new FieldGatherer();

const NEED_MORE = -1;
const MALFORMED = -2;

/** RFC 9113, 6.5.2: SETTINGS_HEADER_TABLE_SIZE before any SETTINGS. */
const DEFAULT_TABLE_SIZE = 4096;

const ENTRY_OVERHEAD = 32;

/** Limit: an HPACK number: no real length, index or table size needs more than 28 bits (RFC 7541, 7.4 demands a limit). */
const MAX_INTEGER = 2 ** 28;

/**
 * Limit in bytes: decoded size of one header list, counted like SETTINGS_MAX_HEADER_LIST_SIZE. Go's servers and clients accept 1 MiB
 * and 10 MiB; a block of one-byte references to one large entry (a bomb) reaches the limit after a few hundred.
 */
const MAX_HEADER_LIST = 1024 * 1024;
