// From the bytes of some captures to what the pipeline makes of them: several captures are merged by time. Knows how
// to pull; where the bytes come from is the caller's business.

import { type CaptureBytes, isInflateError, type LaterCapture, open, readItems } from './capture-bytes.js';
import { notice } from './core/notice.js';
import { NOTHING } from './core/stage.js';
import { Pipeline, type PipelineInput, type PipelineItem, type PipelineOptions } from './pipeline.js';
import { redacting, showing } from './redaction/redaction.js';
import { Merge } from './saved/merge.js';
import { type SavedReaderOptions, savedReader } from './saved/read.js';
import type { Meanwhile } from './secrets.js';

/**
 * Reads captures and yields what was learnt, in batches: one for each chunk read. A file of saved messages (an export, or
 * `messages -o ndjson`) stands for the capture that it was made of; beside others, messages are numbered anew.
 *
 * @param captures pcap, pcapng or saved messages each, gzipped or not, in the order of the command's arguments; files whose
 *   beginning is known are opened when their time comes.
 * @param options with `shifts`: ns to add to the times of each capture (clocks.ts); `meanwhile`: what happens while the
 *   captures are read.
 */
export async function* observe(
  captures: readonly (CaptureBytes | LaterCapture)[],
  options: PipelineOptions & {
    readonly pipeline?: Pipeline;
    readonly shifts?: readonly bigint[];
    readonly meanwhile?: Meanwhile;
  } = {},
): AsyncGenerator<readonly PipelineItem[]> {
  const moreSecrets = options.moreSecrets ?? options.meanwhile !== undefined;
  const pipeline = options.pipeline ?? new Pipeline({ ...options, moreSecrets });
  const sources = await sourcesOf(captures, options.shifts ?? []);
  const packets = sources.filter(({ isSaved }) => !isSaved);
  const decoded = decode(framesInOrder(packets), pipeline, options.meanwhile);
  let lastCapture = captures.length - 1;
  const nextCapture = (): number => {
    lastCapture += 1;
    return lastCapture;
  };
  const saved = sources
    .filter(({ isSaved }) => isSaved)
    .map(({ bytes, capture }) =>
      shifted(readSaved(bytes, { ...options, capture, nextCapture }), options.shifts?.[capture] ?? 0n),
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
 *
 * @param firstCapture number of the first of them among all captures.
 */
export async function framesOf(
  captures: readonly (CaptureBytes | LaterCapture)[],
  shifts: readonly bigint[] = [],
  firstCapture = 0,
): Promise<AsyncIterable<readonly PipelineInput[]> | null> {
  const sources = await sourcesOf(captures, shifts, firstCapture);
  return sources.some(({ isSaved }) => isSaved) ? null : framesInOrder(sources);
}

/** What the pipeline makes of frames in their order, in batches that no chunk makes long. */
export async function* decode(
  frames: AsyncGenerator<readonly PipelineInput[]>,
  pipeline: Pipeline,
  meanwhile?: Meanwhile,
): AsyncGenerator<readonly PipelineItem[]> {
  for await (const inputs of meanwhile === undefined ? frames : wakened(frames, meanwhile)) {
    const first: PipelineItem[] = [];
    addSecrets(pipeline, meanwhile?.read(), first);
    const quiet = inputs.length === 0 ? meanwhile?.quiet?.() : undefined;
    if (quiet !== undefined) for (const item of pipeline.elapsed(quiet)) first.push(item);
    if (first.length > 0) yield first;
    for (let i = 0; i < inputs.length; i++) {
      pipeline.hear(inputs[i]);
      if (pipeline.ready >= FULL_BATCH) yield pipeline.taken();
    }
    yield pipeline.taken();
  }
  const last: PipelineItem[] = [];
  addSecrets(pipeline, meanwhile?.rest?.() ?? meanwhile?.read(), last);
  for (const item of pipeline.end()) last.push(item);
  yield last;
}

function addSecrets(pipeline: Pipeline, text: string | undefined, out: PipelineItem[]): void {
  if (text !== undefined && text !== '') for (const item of pipeline.addSecrets(text)) out.push(item);
}

/** The batches, and empty ones whenever something else happened while none comes. */
async function* wakened(
  batches: AsyncGenerator<readonly PipelineInput[]>,
  meanwhile: Meanwhile,
): AsyncGenerator<readonly PipelineInput[]> {
  let changed = false;
  let wake = (): void => {};
  const stop = meanwhile.watch?.(() => {
    changed = true;
    wake();
  });
  try {
    for (;;) {
      let came = false;
      const next = batches.next();
      const arrived = (): void => {
        came = true;
        wake();
      };
      next.then(arrived, arrived);
      while (!came) {
        if (!changed) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        if (came || !changed) continue;
        changed = false;
        yield NOTHING;
      }
      const { value, done } = await next;
      if (done === true) return;
      yield value;
    }
  } finally {
    stop?.();
  }
}

interface Source {
  readonly capture: number;
  readonly isSaved: boolean;
  readonly mayHoldSecrets: boolean;
  /** ns since the epoch: nothing of it is wanted before; NO_TIME: at once. */
  readonly from: bigint;
  readonly bytes: CaptureBytes;
  frames(): AsyncGenerator<readonly PipelineInput[]>;
}

async function sourcesOf(
  captures: readonly (CaptureBytes | LaterCapture)[],
  shifts: readonly bigint[],
  firstCapture = 0,
): Promise<Source[]> {
  const opened = captures.map(async (given, i): Promise<Source> => {
    const capture = firstCapture + i;
    const shift = shifts[i] ?? 0n;
    if (!isLater(given)) {
      const { bytes, isSaved, mayHoldSecrets } = await open(given);
      return { capture, isSaved, mayHoldSecrets, from: NO_TIME, bytes, frames: () => readItems(bytes, capture, shift) };
    }
    const { first, isSaved, mayHoldSecrets = true } = given;
    const bytes = openedLater(given);
    const from = first === null ? NO_TIME : first + shift;
    return { capture, isSaved, mayHoldSecrets, from, bytes, frames: () => readItems(bytes, capture, shift) };
  });
  return Promise.all(opened);
}

async function* openedLater(capture: LaterCapture): AsyncGenerator<Uint8Array> {
  yield* (await open(capture.bytes())).bytes;
}

function isLater(capture: CaptureBytes | LaterCapture): capture is LaterCapture {
  return 'first' in capture;
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

/** Saved messages of a clock that is behind. @param shift ns to add. */
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

/** Messages of several sources in the order of their times; ties in the order of the sources. */
async function* mergedMessages(
  sources: readonly AsyncGenerator<readonly PipelineItem[]>[],
): AsyncGenerator<readonly PipelineItem[]> {
  const merge = new Merge();
  const heads = await Promise.all(sources.map((items, i) => Head.open(items, messageTime, i)));
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

/**
 * Frames of several captures in the order of their times; ties in the order of the captures. A capture is opened when its
 * first frame is due, so that files that follow each other are never open together.
 */
async function* framesInOrder(sources: readonly Source[]): AsyncGenerator<readonly PipelineInput[]> {
  if (!sources.some(({ mayHoldSecrets }) => mayHoldSecrets)) yield [{ kind: 'no-secrets' }];
  if (sources.length === 1) {
    yield* sources[0].frames();
    return;
  }
  const later = [...sources].sort((a, b) => (a.from === b.from ? a.capture - b.capture : a.from < b.from ? -1 : 1));
  let next = 0;
  const heads: Head<PipelineInput>[] = [];
  let out: PipelineInput[] = [];
  for (;;) {
    let earliest = earliestOf(heads);
    while (next < later.length && (earliest < 0 || later[next].from <= heads[earliest].time)) {
      const { capture } = later[next];
      const head = await Head.open(later[next].frames(), frameTime, capture);
      next += 1;
      if (head.item !== null) heads.splice(placeOf(heads, capture), 0, head);
      earliest = earliestOf(heads);
    }
    if (earliest < 0) break;
    const head = heads[earliest];
    out.push(head.item as PipelineInput);
    // What a capture gave last is borrowed until it is asked for more.
    if (head.atEndOfBatch) {
      yield out;
      out = [];
    }
    if (!head.advance()) await head.next();
    if (head.item === null) heads.splice(earliest, 1);
  }
  if (out.length > 0) yield out;
}

function placeOf(heads: readonly { readonly source: number }[], source: number): number {
  const at = heads.findIndex((head) => head.source > source);
  return at < 0 ? heads.length : at;
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
  /** Which one of the sources it is. */
  readonly source: number;

  private constructor(items: AsyncGenerator<readonly T[]>, timeOf: (item: T) => bigint, source: number) {
    this.#items = items;
    this.#timeOf = timeOf;
    this.source = source;
  }

  static async open<T>(
    items: AsyncGenerator<readonly T[]>,
    timeOf: (item: T) => bigint,
    source: number,
  ): Promise<Head<T>> {
    const head = new Head(items, timeOf, source);
    await head.next();
    return head;
  }

  /** Asking for the next may take a while, as with a live stream. */
  get atEndOfBatch(): boolean {
    return this.#at >= this.#batch.length;
  }

  async next(): Promise<void> {
    while (!this.advance()) {
      const { value, done } = await this.#items.next();
      this.#batch = done === true ? [] : value;
      this.#at = 0;
      if (done === true) {
        this.item = null;
        return;
      }
    }
  }

  /** Goes on within what was read already; false where that is over. */
  advance(): boolean {
    if (this.#at >= this.#batch.length) return false;
    this.item = this.#batch[this.#at++];
    this.time = this.#timeOf(this.item);
    return true;
  }
}

const NO_TIME = -1n;
/** Messages that are gathered before they are passed on. */
const MERGED_BATCH = 1000;

/** Items of a batch that wait for no more: two bytes of a watch stream can be a message, which takes a thousand. */
const FULL_BATCH = 4096;
