// From the bytes of some captures to what the pipeline makes of them: several captures are merged by time. Knows how
// to pull; where the bytes come from is the caller's business.

import { type CaptureBytes, isInflateError, open, readItems } from './capture-bytes.js';
import { notice } from './core/notice.js';
import { Pipeline, type PipelineInput, type PipelineItem, type PipelineOptions } from './pipeline.js';
import { redacting, showing } from './redaction/redaction.js';
import { Merge } from './saved/merge.js';
import { type SavedReaderOptions, savedReader } from './saved/read.js';

/**
 * Reads captures and yields what was learnt, in batches: one for each chunk read. A file of saved messages (an export, or
 * `messages -o ndjson`) stands for the capture that it was made of; beside others, messages are numbered anew.
 *
 * @param captures pcap, pcapng or saved messages each, gzipped or not, in the order of the command's arguments.
 * @param options.shifts ns to add to the times of each capture (clocks.ts).
 */
export async function* observe(
  captures: readonly CaptureBytes[],
  options: PipelineOptions & { readonly pipeline?: Pipeline; readonly shifts?: readonly bigint[] } = {},
): AsyncGenerator<readonly PipelineItem[]> {
  const pipeline = options.pipeline ?? new Pipeline(options);
  const opened = await Promise.all(captures.map(open));
  const packets = opened.flatMap(({ bytes, isSaved }, capture) =>
    isSaved ? [] : [readItems(bytes, capture, options.shifts?.[capture])],
  );
  const decoded = decode(packets, pipeline);
  let lastCapture = captures.length - 1;
  const nextCapture = (): number => {
    lastCapture += 1;
    return lastCapture;
  };
  const saved = opened.flatMap(({ bytes, isSaved }, capture) =>
    isSaved ? [readSaved(bytes, { ...options, capture, nextCapture })] : [],
  );
  if (saved.length === 0) yield* decoded;
  else if (saved.length === 1 && packets.length === 0) {
    yield* saved[0];
    yield* decoded;
  } else yield* mergedMessages([decoded, ...saved]);
}

/**
 * The packets of all captures in the order of their times, in batches: the input of `Streams`, for one who reads them
 * apart from the rest. null where one of the files holds saved messages.
 */
export async function framesOf(
  captures: readonly CaptureBytes[],
  shifts: readonly bigint[] = [],
): Promise<AsyncIterable<readonly PipelineInput[]> | null> {
  const opened = await Promise.all(captures.map(open));
  if (opened.some(({ isSaved }) => isSaved)) return null;
  const packets = opened.map(({ bytes }, capture) => readItems(bytes, capture, shifts[capture]));
  return packets.length === 1 ? packets[0] : merged(packets);
}

/** What the pipeline makes of the packets of all captures. */
async function* decode(
  packets: readonly AsyncGenerator<readonly PipelineInput[]>[],
  pipeline: Pipeline,
): AsyncGenerator<readonly PipelineItem[]> {
  for await (const inputs of packets.length === 1 ? packets[0] : merged(packets)) {
    const out: PipelineItem[] = [];
    for (const input of inputs) for (const item of pipeline.feed(input)) out.push(item);
    yield out;
  }
  yield pipeline.end();
}

async function* readSaved(
  bytes: CaptureBytes,
  options: Omit<SavedReaderOptions, 'redaction'> & { readonly showSecrets?: boolean },
): AsyncGenerator<readonly PipelineItem[]> {
  const reader = savedReader({ ...options, redaction: options.showSecrets === true ? showing : redacting });
  try {
    for await (const chunk of bytes) yield reader.feed(chunk);
  } catch (error) {
    if (!isInflateError(error)) throw error;
    yield [notice('capture.damaged', 'the gzip data is damaged; what came before was read')];
  }
  yield reader.end();
}

/** Messages of several sources in the order of their times; ties in the order of the sources. */
async function* mergedMessages(
  sources: readonly AsyncGenerator<readonly PipelineItem[]>[],
): AsyncGenerator<readonly PipelineItem[]> {
  const merge = new Merge();
  const heads = await Promise.all(sources.map((items) => Head.open(items, messageTime)));
  let out: PipelineItem[] = [];
  for (let earliest = earliestOf(heads); earliest >= 0; earliest = earliestOf(heads)) {
    const item = heads[earliest].item as PipelineItem;
    if (item.kind !== 'message') out.push(item);
    else for (const message of merge.feed(item.message, earliest)) out.push({ kind: 'message', message });
    if (out.length >= MERGED_BATCH || heads[earliest].atEndOfBatch) {
      yield out;
      out = [];
    }
    await heads[earliest].next();
  }
  for (const message of merge.end()) out.push({ kind: 'message', message });
  if (merge.copies > 0)
    out.push(notice('saved.copies', `${merge.copies} messages are in several of the files; each is told once`));
  yield out;
}

/** Frames of several captures in the order of their times; ties in the order of the captures. */
async function* merged(
  captures: readonly AsyncGenerator<readonly PipelineInput[]>[],
): AsyncGenerator<readonly PipelineInput[]> {
  const heads = await Promise.all(captures.map((items) => Head.open(items, frameTime)));
  for (let earliest = earliestOf(heads); earliest >= 0; earliest = earliestOf(heads)) {
    yield [heads[earliest].item as PipelineInput];
    await heads[earliest].next();
  }
}

/** Index of the source that goes on; -1 where all are over. */
function earliestOf(heads: readonly { readonly item: unknown; readonly time: bigint }[]): number {
  let earliest = -1;
  for (let i = 0; i < heads.length; i++)
    if (heads[i].item !== null && (earliest < 0 || heads[i].time < heads[earliest].time)) earliest = i;
  return earliest;
}

function frameTime(input: PipelineInput): bigint {
  return input.kind === 'frame' ? input.origin.time : NO_TIME;
}

function messageTime(item: PipelineItem): bigint {
  return item.kind === 'message' ? item.message.time : NO_TIME;
}

/** What one source of several would give next. */
class Head<T> {
  item: T | null = null;
  /** ns; what has no time of its own goes first. */
  time = NO_TIME;
  #batch: readonly T[] = [];
  #at = 0;
  readonly #items: AsyncGenerator<readonly T[]>;
  readonly #timeOf: (item: T) => bigint;

  private constructor(items: AsyncGenerator<readonly T[]>, timeOf: (item: T) => bigint) {
    this.#items = items;
    this.#timeOf = timeOf;
  }

  static async open<T>(items: AsyncGenerator<readonly T[]>, timeOf: (item: T) => bigint): Promise<Head<T>> {
    const head = new Head(items, timeOf);
    await head.next();
    return head;
  }

  /** Asking for the next may take a while, as with a live stream. */
  get atEndOfBatch(): boolean {
    return this.#at >= this.#batch.length;
  }

  async next(): Promise<void> {
    while (this.#at >= this.#batch.length) {
      const { value, done } = await this.#items.next();
      this.#batch = done === true ? [] : value;
      this.#at = 0;
      if (done === true) {
        this.item = null;
        return;
      }
    }
    this.item = this.#batch[this.#at++];
    this.time = this.#timeOf(this.item);
  }
}

const NO_TIME = -1n;
/** Messages that are gathered before they are passed on. */
const MERGED_BATCH = 1000;
