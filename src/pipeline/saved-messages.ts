// Reads saved messages, corrects their times by the clock's shift, and merges them with other sources by time.

import { EMPTY_BYTES } from '../core/bytes/bytes.js';
import { notice } from '../core/notice.js';
import { earliestOf, MAX_OVERLAPPING, NO_TIME, SourceCursor, TooManyCaptures } from '../core/source-cursor.js';
import { type Reveal, redactionOf } from '../redaction/redaction.js';
import { Merge } from '../saved/merge.js';
import { type SavedReaderOptions, savedReader } from '../saved/read.js';
import type { RandomAccessFile, TableReaderOptions, TableSelection } from '../saved/table/reader.js';
import type { SourcedMessage } from './audit-join.js';
import type { AuditLogs } from './audit-logs.js';
import { type CaptureBytes, firstOf, isTable, readWith, resumed } from './capture-bytes.js';
import type { PipelineItem } from './message-stage.js';

type SavedOptions = Omit<SavedReaderOptions, 'redaction'> & {
  readonly reveal?: Reveal;
  readonly randomAccess?: RandomAccessFile;
  readonly selection?: TableSelection;
};

/**
 * The items of a file of saved messages, a batch for each chunk; of a table, for each row group. Notice: `capture.damaged`.
 * @param shift ns by which its clock is behind the others.
 * @throws UnreadableTable
 */
export function savedMessages(
  bytes: CaptureBytes,
  options: SavedOptions,
  shift: bigint,
): AsyncGenerator<readonly PipelineItem[]> {
  const redaction = redactionOf(options.reveal);
  return shifted(itemsOf(bytes, { ...options, redaction }), shift);
}

async function* itemsOf(
  bytes: CaptureBytes,
  options: TableReaderOptions & Pick<SavedOptions, 'randomAccess'>,
): AsyncGenerator<readonly PipelineItem[]> {
  const chunks = bytes[Symbol.asyncIterator]();
  const { value, done } = await firstOf(chunks);
  const all = resumed(done === true ? EMPTY_BYTES : value, chunks);
  if (done === true || !isTable(value)) {
    yield* readWith(savedReader(options), all);
    return;
  }
  // What few commands need is loaded when it is needed.
  const { inMemory, readTable } = await import('../saved/table/reader.js');
  yield* readTable((await partsOf(options.randomAccess)) ?? (await inMemory(all)), options);
}

/** A compressed table cannot be read in parts. */
async function partsOf(file: RandomAccessFile | undefined): Promise<RandomAccessFile | null> {
  return file !== undefined && isTable(await file.read(0, 4)) ? file : null;
}

/**
 * Messages of several sources in the order of their times; ties in the order of the sources. Notice: `saved.copies`, and those of the
 * logs. Throws TooManyCaptures, as files of saved messages are all open together.
 * @param logs joins the sources that are audit logs with the others.
 */
export async function* mergedMessages(
  sources: readonly AsyncGenerator<readonly PipelineItem[]>[],
  logs?: AuditLogs,
): AsyncGenerator<readonly PipelineItem[]> {
  if (sources.length > MAX_OVERLAPPING) throw new TooManyCaptures();
  const merge = new Merge();
  const heads = await Promise.all(sources.map((items, i) => SourceCursor.open(items, messageTime, i)));
  heads.forEach(({ item }, i) => {
    if (item === null) logs?.ended(i);
  });
  let out: PipelineItem[] = [];
  const numbered = (given: readonly SourcedMessage[]): void => {
    for (const { message, source } of given)
      for (const one of merge.feed(message, source)) out.push({ kind: 'message', message: one });
  };
  for (let earliest = earliestOf(heads); earliest >= 0; earliest = earliestOf(heads)) {
    const item = heads[earliest].item as PipelineItem;
    if (item.kind === 'message')
      numbered(logs === undefined ? [{ message: item.message, source: earliest }] : logs.feed(item.message, earliest));
    else if (logs === undefined || logs.passes(item, earliest)) out.push(item);
    if (out.length >= MERGED_BATCH || heads[earliest].atEndOfBatch) {
      yield out;
      out = [];
    }
    await heads[earliest].next();
    if (heads[earliest].item === null) logs?.ended(earliest);
  }
  if (logs !== undefined) {
    numbered(logs.end());
    out.push(...logs.notices());
  }
  for (const message of merge.end()) out.push({ kind: 'message', message });
  if (merge.copies > 0)
    out.push(notice('saved.copies', `${merge.copies} messages are in several of the files; each is taken once`));
  yield out;
}

async function* shifted(
  batches: AsyncGenerator<readonly PipelineItem[]>,
  shift: bigint,
): AsyncGenerator<readonly PipelineItem[]> {
  if (shift === 0n) yield* batches;
  else for await (const batch of batches) yield batch.map((item) => shiftedItem(item, shift));
}

function shiftedItem(item: PipelineItem, shift: bigint): PipelineItem {
  if (item.kind === 'message') {
    const { message } = item;
    return { kind: 'message', message: { ...message, time: message.time + shift, started: message.started + shift } };
  }
  if (item.kind === 'capture-report') return { ...item, shift };
  return item.kind === 'saved-capture' && item.first !== null ? { ...item, first: item.first + shift } : item;
}

function messageTime(item: PipelineItem): bigint {
  return item.kind === 'message' ? item.message.time : NO_TIME;
}

/** Items of a batch. */
const MERGED_BATCH = 1000;
