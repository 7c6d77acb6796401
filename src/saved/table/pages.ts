// Checks the pages of a table's columns before they are decoded: the library would make an array as long as a page says it is.

import type { ColumnChunk } from 'hyparquet';

interface BytesOfFile {
  slice(start: number, end?: number): ArrayBuffer | Promise<ArrayBuffer>;
}

/**
 * @param rows of the row group: no page of a column without lists has more values.
 * @throws where one does, or where the pages are none.
 */
export async function checkPages(file: BytesOfFile, chunks: readonly ColumnChunk[], rows: number): Promise<void> {
  const ranges = chunks.map(rangeOf).filter((range) => range !== null);
  if (ranges.length === 0) return;
  // Columns stand one after the other.
  const start = Math.min(...ranges.map(([from]) => from));
  const end = Math.max(...ranges.map(([, to]) => to));
  if (end - start > MAX_ROW_GROUP) throw new Error(`a row group of ${end - start} bytes`);
  const bytes = new Uint8Array(await file.slice(start, end));
  for (const [from, to] of ranges) checkColumn(bytes.subarray(from - start, to - start), rows);
}

/** @returns null: it has no values here. */
function rangeOf({ meta_data: column }: ColumnChunk): readonly [number, number] | null {
  if (column === undefined) return null;
  const { dictionary_page_offset: dictionary, data_page_offset: data, total_compressed_size: length } = column;
  const start = Number(dictionary === undefined || dictionary === 0n ? data : dictionary);
  const end = start + Number(length);
  if (!(start >= 0 && end >= start)) throw new Error('a column that lies outside of the file');
  return [start, end];
}

function checkColumn(bytes: Uint8Array, rows: number): void {
  const reader = new HeaderReader(bytes);
  while (reader.at < bytes.length - 1) {
    const { values, nulls, length } = reader.page();
    if (!(values >= 0 && values <= rows && nulls >= 0 && nulls <= values))
      throw new Error(`a page of ${values} values in a row group of ${rows} rows`);
    if (!(length >= 0)) throw new Error(`a page of ${length} bytes`);
    reader.at += length;
  }
}

/** Of the header of a page; what it does not have is 0. */
interface PageHeader {
  values: number;
  nulls: number;
  /** Bytes that follow the header. */
  length: number;
}

/** Reads headers of pages (parquet.thrift, PageHeader) in Thrift's compact protocol (thrift-compact-protocol.md). */
class HeaderReader {
  at = 0;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  page(): PageHeader {
    const header: PageHeader = { values: 0, nulls: 0, length: 0 };
    this.#struct((field, type) => {
      if (field === 3 && type === I32) header.length = this.#integer();
      else if (HEADERS_OF_KINDS.has(field) && type === STRUCT) this.#valuesOf(header, field);
      else this.#skip(type, 0);
    }, 0);
    return header;
  }

  #valuesOf(header: PageHeader, kind: number): void {
    this.#struct((field, type) => {
      if (field === 1 && type === I32) header.values = this.#integer();
      else if (field === 2 && type === I32 && kind === DATA_PAGE_V2) header.nulls = this.#integer();
      else this.#skip(type, 1);
    }, 1);
  }

  #struct(onField: (field: number, type: number) => void, depth: number): void {
    if (depth > MAX_DEPTH) throw new Error('a page header that is nested too deeply');
    for (let field = 0; ; ) {
      const byte = this.#byte();
      if (byte === STOP) return;
      field = byte >> 4 === 0 ? this.#integer() : field + (byte >> 4);
      onField(field, byte & 0x0f);
    }
  }

  #skip(type: number, depth: number): void {
    if (type === TRUE || type === FALSE) return;
    if (type === BYTE) this.#byte();
    else if (type === I16 || type === I32 || type === I64) this.#varint();
    else if (type === DOUBLE) this.at += 8;
    else if (type === BINARY) this.at += this.#varint();
    else if (type === STRUCT) this.#struct((_, inner) => this.#skip(inner, depth + 1), depth + 1);
    else if (type === LIST || type === SET) this.#skipList(depth + 1);
    else throw new Error(`a page header with a field of type ${type}`);
  }

  #skipList(depth: number): void {
    if (depth > MAX_DEPTH) throw new Error('a page header that is nested too deeply');
    const byte = this.#byte();
    const count = byte >> 4 === 15 ? this.#varint() : byte >> 4;
    const type = byte & 0x0f;
    // Flags in a list have a byte each, which ends the loop at the end of the column at the latest.
    for (let i = 0; i < count; i++) this.#skip(type === TRUE || type === FALSE ? BYTE : type, depth);
  }

  #byte(): number {
    if (this.at >= this.#bytes.length) throw new Error('a page header that is cut short');
    const byte = this.#bytes[this.at];
    this.at += 1;
    return byte;
  }

  /** Signed: zigzag. */
  #integer(): number {
    const value = this.#varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  #varint(): number {
    let value = 0;
    for (let power = 1; ; power *= 128) {
      const byte = this.#byte();
      value += (byte & 0x7f) * power;
      if (byte < 128) return value;
    }
  }
}

const STOP = 0;
const TRUE = 1;
const FALSE = 2;
const BYTE = 3;
const I16 = 4;
const I32 = 5;
const I64 = 6;
const DOUBLE = 7;
const BINARY = 8;
const LIST = 9;
const SET = 10;
const STRUCT = 12;
const DATA_PAGE_V2 = 8;
/** Fields of a page's header: data page, dictionary page, data page of version 2. */
const HEADERS_OF_KINDS: ReadonlySet<number> = new Set([5, 7, DATA_PAGE_V2]);
/** Limit: nesting of a page's header; those that are written have three levels. */
const MAX_DEPTH = 8;
/** Limit: bytes of the columns of a row group that are needed, read in one piece: this program's have 8192 messages and their bodies. */
const MAX_ROW_GROUP = 512 * 1024 * 1024;
