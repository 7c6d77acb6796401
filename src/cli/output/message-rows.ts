// Writes messages while they are read: rows are gathered to be written together.

import {
  LineBuffer,
  type Message,
  type MessageJsonOptions,
  type PipelineItem,
  type SavedWriter,
  type TableWriter,
  type TableWriterOptions,
  writeMessage,
} from '../../index.js';
import type { CapturedItems, Presentation } from './results.js';
import type { TraceWriter } from './trace.js';

/** Buffers rows to write them together. */
export interface MessageRows {
  /** Characters or bytes. */
  readonly length: number;
  add(message: Message): void;
  take(): string | Uint8Array;
  /** Output that is complete only at the end. */
  end?(): string;
}

/** Pieces of about 64 KiB, and one at the end of each batch, so that a reader of a live capture need not wait. */
export async function* rowPieces(
  batches: AsyncIterable<readonly PipelineItem[]>,
  rows: MessageRows,
): AsyncGenerator<string | Uint8Array> {
  for await (const batch of batches) {
    for (const item of batch) {
      if (item.kind !== 'message') continue;
      rows.add(item.message);
      // Decoded bodies can be many times longer than their packets.
      if (rows.length >= MAX_GATHERED) yield rows.take();
    }
    if (rows.length > 0) yield rows.take();
  }
  if (rows.length > 0) yield rows.take();
  if (rows.end !== undefined) yield rows.end();
}

/** What `export` saves: messages, and what else was learnt of the captures. */
export async function* savedPieces(
  writer: SavedWriter | TableWriter,
  { batches }: CapturedItems,
  shown: Presentation,
): AsyncGenerator<string | Uint8Array> {
  for await (const batch of batches) yield* writer.feed(batch, shown.firstTime);
  yield* writer.end(shown.firstTime);
}

/** How messages are saved. */
export function savedAs({ names, redacted, bodies }: CapturedItems, { digits }: Presentation): TableWriterOptions {
  return { captures: names, redacted, bodies, digits };
}

export function textRows(head: string, row: (message: Message) => string): MessageRows {
  let text = head;
  return {
    get length() {
      return text.length;
    },
    add(message) {
      text += row(message);
    },
    take() {
      const taken = text;
      text = '';
      return taken;
    },
  };
}

/** Spans are written when their exchange is over. @param create makes the writer, once the time of the first frame is known. */
export function traceRows(create: () => TraceWriter): MessageRows {
  let writer: TraceWriter | null = null;
  const opened = (): TraceWriter => {
    writer ??= create();
    return writer;
  };
  return {
    get length() {
      return writer?.length ?? 0;
    },
    add: (message) => opened().add(message),
    take: () => writer?.take() ?? '',
    end: () => opened().end(),
  };
}

export function jsonRows(options: MessageJsonOptions): MessageRows {
  const out = new LineBuffer(MAX_GATHERED + LONGEST_USUAL);
  return {
    get length() {
      return out.length;
    },
    add(message) {
      writeMessage(out, message, options);
      out.ascii('\n');
    },
    take: () => out.take(),
  };
}

/** Limit: characters or bytes that are buffered before a write: the capacity of a pipe. */
const MAX_GATHERED = 64 * 1024;
/** Initial bytes for a line; the buffer grows for longer ones. */
const LONGEST_USUAL = 4096;
