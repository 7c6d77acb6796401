// Writes messages as a table (Parquet): one column a field, row groups in the order of time, and the records about participants,
// notices, connections and captures in the file's metadata (docs/export.md).

import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { base64Text } from '../../core/bytes/bytes.js';
import type { Message } from '../../kubernetes/messages/message.js';
import { deflateRaw } from '../../platform/compression.js';
import { jsonText } from '../../render/escape/json-text.js';
import { VERSION } from '../../version.js';
import type { ExportedItem } from '../saved.js';
import { FORMAT, SavedWriter, type SavedWriterOptions } from '../write.js';
import { columnsOf, type RowContext, type TableColumn } from './columns.js';
import { RECORDS_KEY, TABLE_KEY, type TableHead } from './head.js';

export interface TableWriterOptions extends SavedWriterOptions {
  /** With heads and bodies of messages. */
  readonly bodies: boolean;
}

export class TableWriter {
  readonly #options: TableWriterOptions;
  readonly #columns: readonly TableColumn[];
  readonly #bytes = new ByteWriter();
  readonly #parquet: ParquetWriter;
  readonly #records: SavedWriter;
  #recordText = '';
  #messages: Message[] = [];
  #participants: (readonly number[])[] = [];

  constructor(options: TableWriterOptions) {
    this.#options = options;
    this.#records = new SavedWriter(options);
    this.#columns = columnsOf(options.bodies);
    const schema = [
      { name: 'messages', num_children: this.#columns.length },
      ...this.#columns.flatMap((column) => column.schema),
    ];
    this.#parquet = new ParquetWriter({ writer: this.#bytes, schema, createdBy: `kubeseq ${VERSION}` });
  }

  /**
   * @param items one batch of what was learnt. @param first ns since the epoch: the first frame.
   * @returns bytes of the file that are complete.
   */
  *feed(items: readonly ExportedItem[], first: bigint | null): Generator<Uint8Array> {
    const records = items.filter(({ kind }) => kind !== 'message');
    for (const text of this.#records.feed(records, first)) this.#recordText += text;
    for (const item of items) {
      if (item.kind !== 'message') continue;
      this.#participants.push(this.#records.participantIds(item.message));
      this.#messages.push(item.message);
      if (this.#messages.length >= ROW_GROUP) yield* this.#rowGroup();
    }
  }

  *end(first: bigint | null): Generator<Uint8Array> {
    if (this.#messages.length > 0) yield* this.#rowGroup();
    for (const text of this.#records.end(first)) this.#recordText += text;
    const { captures, redacted, digits } = this.#options;
    const head: TableHead = {
      kubeseq: VERSION,
      format: FORMAT,
      redacted,
      captures,
      digits: captures.map((_, capture) => digits(capture)),
    };
    this.#parquet.kvMetadata = [
      { key: TABLE_KEY, value: jsonText(head) },
      { key: RECORDS_KEY, value: base64Text(deflateRaw(this.#recordText)) },
    ];
    this.#parquet.finish();
    yield this.#taken();
  }

  *#rowGroup(): Generator<Uint8Array> {
    const messages = this.#messages;
    const participants = this.#participants;
    this.#messages = [];
    this.#participants = [];
    const { captures } = this.#options;
    const several = captures.length > 1 ? captures : undefined;
    const contexts = participants.map((ids): RowContext => ({ captures: several, participants: ids }));
    const columnData = this.#columns.map(({ name, value, encoding }) => ({
      name,
      encoding,
      data: messages.map((message, i) => value(message, contexts[i])),
    }));
    this.#parquet.write({ columnData, rowGroupSize: ROW_GROUP });
    yield this.#taken();
  }

  /** The bytes that were written since the last call. */
  #taken(): Uint8Array {
    const bytes = this.#bytes.getBytes().slice();
    this.#bytes.index = 0;
    return bytes;
  }
}

/** Limit: messages of a row group, which are kept until it is written: a second or two of a busy API server, 8 MB. */
const ROW_GROUP = 8192;
