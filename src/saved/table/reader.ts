// Reads a table of messages (Parquet) that an export wrote: the row groups and columns that are needed, as records of saved lines.

import { type FileMetaData, parquetMetadataAsync, parquetRead, snappyUncompress } from 'hyparquet';
import { base64Bytes, concat, latin1, text, u32le } from '../../core/bytes/bytes.js';
import { readText } from '../../kubernetes/messages/field-values.js';
import type { FieldName } from '../../kubernetes/messages/fields.js';
import { inflateRaw } from '../../platform/compression.js';
import type { SavedLine } from '../message-fields.js';
import { parsedRecord, SavedReader, type SavedReaderOptions, type SavedReaderOutput } from '../read.js';
import { FORMAT } from '../write.js';
import { columnNamesOf } from './columns.js';
import { RECORDS_KEY, TABLE_KEY } from './head.js';
import { checkPages } from './pages.js';
import { RowGroupColumns, type TableCaptures } from './rows.js';

/** A file of which any part can be read. */
export interface RandomAccessFile {
  /** For errors. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** @param end exclusive, bytes. */
  read(start: number, end: number): Uint8Array | Promise<Uint8Array>;
}

/** What is needed of a table. */
export interface TableSelection {
  /** null: all. */
  readonly fields: ReadonlySet<FieldName> | null;
  /** Whether no further message is needed. */
  readonly isOver?: () => boolean;
  /** Messages and notices alone: no connections. */
  readonly messagesAlone?: boolean;
}

/** A file that is no table of messages, is cut or damaged, or was written by a newer version. */
export class UnreadableTable extends Error {}

export interface TableReaderOptions extends SavedReaderOptions {
  readonly selection?: TableSelection;
}

/**
 * What the table holds, a batch for each row group.
 * @throws UnreadableTable
 */
export async function* readTable(
  file: RandomAccessFile,
  options: TableReaderOptions,
): AsyncGenerator<readonly SavedReaderOutput[]> {
  const buffer = bufferOf(file);
  const metadata = await metadataOf(file, buffer);
  const { lines, captures } = recordsOf(file, metadata);
  const reader = new SavedReader(options);
  const { fields, isOver, messagesAlone } = options.selection ?? ALL;
  const later: string[] = [];
  yield* records(reader, beforeMessages(lines, messagesAlone === true, later));
  const there = new Set(metadata.schema.map(({ name }) => name));
  const columns = columnNamesOf(fields, options.bodies === true).filter((name) => there.has(name));
  let rowStart = 0;
  for (const { num_rows, columns: chunks } of metadata.row_groups) {
    const rows = Number(num_rows);
    const needed = withValues(columns, chunks);
    const request = { file: buffer, metadata, columns: needed, rowStart, rowEnd: rowStart + rows };
    const group = await rowGroup(file, request, chunks);
    // Messages of a batch die young, before the next is made; those of a whole row group would be collected with all others.
    for (let row = 0; row < rows && isOver?.() !== true; row += ROWS_OF_BATCH)
      yield reader.readRows(group, row, Math.min(rows, row + ROWS_OF_BATCH), captures);
    rowStart += rows;
    if (isOver?.() === true) break;
  }
  yield* records(reader, later);
  yield reader.end();
}

/** What the records of lines are. */
function* records(reader: SavedReader, lines: Iterable<string>): Generator<readonly SavedReaderOutput[]> {
  let batch: SavedLine[] = [];
  for (const line of lines) {
    const record = parsedRecord(line);
    if (record !== null) batch.push(record);
    if (batch.length < RECORDS_OF_BATCH) continue;
    yield reader.read(batch);
    batch = [];
  }
  yield reader.read(batch);
}

/**
 * The lines that are read before the messages: the head and the participants.
 * @param messagesAlone nobody needs connections. @param later takes the other lines.
 */
function* beforeMessages(lines: string, messagesAlone: boolean, later: string[]): Generator<string> {
  for (let start = 0; start < lines.length; ) {
    const found = lines.indexOf('\n', start);
    const end = found < 0 ? lines.length : found;
    const isConnection = lines.startsWith(CONNECTION_RECORD, start);
    if (!isConnection || !messagesAlone) {
      const line = lines.slice(start, end);
      if (isConnection || !BEFORE_MESSAGES.test(line)) later.push(line);
      else yield line;
    }
    start = end + 1;
  }
}

/** The table that a pipe or a compressed file has. @throws UnreadableTable where it is too long for that. */
export async function inMemory(bytes: AsyncIterable<Uint8Array>): Promise<RandomAccessFile> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > MAX_TABLE)
      throw new UnreadableTable(
        `a table of more than ${MAX_TABLE} bytes is read from a file alone; it needs parts of it`,
      );
    parts.push(chunk.slice());
  }
  const whole = concat(parts);
  return { name: 'the table', size, read: (start, end) => whole.subarray(start, end) };
}

type TableBuffer = ReturnType<typeof bufferOf>;

function bufferOf(file: RandomAccessFile) {
  return {
    byteLength: file.size,
    async slice(start: number, end = file.size): Promise<ArrayBuffer> {
      const bytes = await file.read(start, end);
      if (bytes.length !== end - start) throw new Error('it ends before its last row group');
      const { buffer, byteOffset, byteLength } = bytes;
      return byteOffset === 0 && byteLength === buffer.byteLength
        ? (buffer as ArrayBuffer)
        : (buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer);
    },
  };
}

async function metadataOf(file: RandomAccessFile, buffer: TableBuffer): Promise<FileMetaData> {
  const end = file.size < MIN_FILE ? null : await file.read(file.size - 8, file.size);
  if (end === null || latin1(end, 4) !== 'PAR1')
    throw new UnreadableTable(`${file.name} is cut short: the end of the Parquet file is missing; write it again`);
  if (u32le(end, 0) > MAX_FOOTER)
    throw new UnreadableTable(`${file.name} is damaged: its metadata would have ${u32le(end, 0)} bytes`);
  return parquetMetadataAsync(buffer, { parsers: PARSERS }).catch((error: unknown) => {
    throw damaged(file, error);
  });
}

/** The records of the file's metadata, which has them as lines of an export. */
function recordsOf(
  file: RandomAccessFile,
  { key_value_metadata: pairs = [] }: FileMetaData,
): { readonly lines: string; readonly captures: TableCaptures } {
  const underKey = (name: string): string | undefined => pairs.find(({ key }) => key === name)?.value;
  const head = parsedRecord(underKey(TABLE_KEY) ?? '');
  const lines = underKey(RECORDS_KEY);
  if (head === null || lines === undefined)
    throw new UnreadableTable(`${file.name} is a Parquet file, but none that kubeseq wrote`);
  if (head['format'] !== FORMAT) {
    const by = typeof head['kubeseq'] === 'string' ? `kubeseq ${head['kubeseq'].slice(0, 40)}` : 'another version';
    throw new UnreadableTable(`${file.name} was written by ${by}, in a format that this version does not read`);
  }
  return { lines: inflated(file, lines), captures: capturesOf(head) };
}

function inflated(file: RandomAccessFile, lines: string): string {
  const found = inflateRaw(base64Bytes(lines), { maxBytes: MAX_FOOTER });
  if (!(found instanceof Uint8Array)) throw damaged(file, new Error(`the records of its metadata are ${found}`));
  return text(found);
}

function capturesOf({ captures, digits }: SavedLine): TableCaptures {
  const names: readonly unknown[] = Array.isArray(captures) ? captures : [];
  const ofTimes: readonly unknown[] = Array.isArray(digits) ? digits : [];
  return {
    name: (capture) => (names.length > 1 && typeof capture === 'number' ? (readText(names[capture]) ?? null) : null),
    digits: (capture) => (typeof capture === 'number' && ofTimes[capture] === 9 ? 9 : 6),
  };
}

/** Without the columns in which no row of the row group has a value. */
function withValues(columns: readonly string[], chunks: RowGroupChunks): string[] {
  const found = new Set<string>();
  for (const { meta_data } of chunks) {
    const isEmpty = meta_data?.statistics?.null_count === meta_data?.num_values;
    if (meta_data !== undefined && !isEmpty) found.add(meta_data.path_in_schema[0]);
  }
  return columns.filter((name) => found.has(name));
}

type RowGroupChunks = FileMetaData['row_groups'][number]['columns'];

/** The columns of one row group. */
async function rowGroup(
  file: RandomAccessFile,
  request: Pick<Parameters<typeof parquetRead>[0], 'file' | 'metadata' | 'columns'> & {
    readonly rowStart: number;
    readonly rowEnd: number;
  },
  chunks: RowGroupChunks,
): Promise<RowGroupColumns> {
  const { rowStart, rowEnd } = request;
  const rows = rowEnd - rowStart;
  if (!(rows >= 0 && rows <= MAX_ROWS))
    throw new UnreadableTable(`${file.name} has a row group of ${rows} rows; at most ${MAX_ROWS} are read`);
  const needed = chunks.filter(({ meta_data }) => request.columns?.includes(meta_data?.path_in_schema[0] ?? ''));
  await checkPages(request.file, needed, rows).catch((error: unknown) => {
    throw damaged(file, error);
  });
  const columns: Record<string, ArrayLike<unknown>> = Object.create(null);
  await parquetRead({
    ...request,
    parsers: PARSERS,
    compressors: { SNAPPY: uncompressed },
    // Members of groups come as columns: the library would make an object for each row.
    onPage: ({ pathInSchema, columnData, rowStart: at }) => {
      const name = columnNameOf(pathInSchema);
      if (columnData.length === rows) columns[name] = columnData;
      else {
        // A column of several pages.
        const whole = columns[name]?.length === rows ? (columns[name] as unknown[]) : new Array<unknown>(rows);
        for (let i = 0; i < columnData.length; i++) whole[at - rowStart + i] = columnData[i];
        columns[name] = whole;
      }
    },
  }).catch((error: unknown) => {
    throw damaged(file, error);
  });
  return new RowGroupColumns(columns);
}

/** `object.kind` is `objectKind`. */
function columnNameOf([name, ...members]: readonly string[]): string {
  return name + members.map((member) => member.charAt(0).toUpperCase() + member.slice(1)).join('');
}

function uncompressed(bytes: Uint8Array, length: number): Uint8Array {
  if (length > MAX_PAGE) throw new Error(`a page of ${length} bytes`);
  const out = new Uint8Array(length);
  snappyUncompress(bytes, out);
  return out;
}

function damaged(file: RandomAccessFile, error: unknown): UnreadableTable {
  const why = error instanceof Error ? error.message.split('\n', 1)[0].slice(0, 200) : '';
  return new UnreadableTable(`${file.name} is damaged: ${why}`);
}

const ALL: TableSelection = { fields: null };
/** Lines of records that are needed before the messages. */
const BEFORE_MESSAGES = /"kind":"(?:export|participant)"/;
const CONNECTION_RECORD = '{"kind":"connection"';
const ROWS_OF_BATCH = 512;
const RECORDS_OF_BATCH = 512;
const PARSERS = {
  timestampFromNanoseconds: (ns: bigint): bigint => ns,
  jsonFromBytes: (bytes: Uint8Array): unknown => {
    if (bytes === undefined) return undefined;
    try {
      return JSON.parse(new TextDecoder().decode(bytes));
    } catch {
      return undefined;
    }
  },
};
/** Bytes: the magic number at both ends, and the length of the metadata. */
const MIN_FILE = 12;
/** Limit: bytes of a table's metadata: participants, notices and connections of some days, 200 bytes each. */
const MAX_FOOTER = 256 * 1024 * 1024;
/** Limit: bytes of a table that comes through a pipe, which is kept in memory: that of a capture of some 10 GB. */
const MAX_TABLE = 512 * 1024 * 1024;
/** Limit: rows of one row group, which are in memory together: 60 times as many as this program writes. */
const MAX_ROWS = 1_000_000;
/** Limit: bytes of one page of a column after decompression: pages of this program have one MiB and one value. */
const MAX_PAGE = 128 * 1024 * 1024;
