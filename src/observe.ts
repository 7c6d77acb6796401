// From the bytes of some captures to what the pipeline makes of them: several captures are merged by time. Knows how
// to pull; where the bytes come from is the caller's business.

import { Readable } from 'node:stream';
import { constants, createGunzip } from 'node:zlib';
import { captureReader, isGzip } from './capture/capture-reader.js';
import { concat } from './core/bytes.js';
import { notice } from './core/notice.js';
import { Pipeline, type PipelineInput, type PipelineItem, type PipelineOptions } from './pipeline.js';

/** Chunks of one capture file or stream, gzipped or not. A chunk may be overwritten once the next one is asked for. */
export type CaptureBytes = AsyncIterable<Uint8Array>;

/**
 * Reads captures and yields what was learnt, in batches: one for each chunk read.
 *
 * @param captures pcap or pcapng each, gzipped or not, in the order of the command's arguments.
 */
export async function* observe(
  captures: readonly CaptureBytes[],
  options: PipelineOptions & { readonly pipeline?: Pipeline } = {},
): AsyncGenerator<readonly PipelineItem[]> {
  const pipeline = options.pipeline ?? new Pipeline(options);
  for await (const inputs of captures.length === 1 ? readItems(captures[0], 0) : merged(captures)) {
    const out: PipelineItem[] = [];
    for (const input of inputs) for (const item of pipeline.feed(input)) out.push(item);
    yield out;
  }
  yield pipeline.end();
}

async function* readItems(bytes: CaptureBytes, capture: number): AsyncGenerator<readonly PipelineInput[]> {
  const reader = captureReader({ capture });
  const plain = await plainBytes(bytes);
  try {
    for await (const chunk of plain) yield reader.feed(chunk);
  } catch (error) {
    if (!isInflateError(error)) throw error;
    yield [notice('capture.damaged', 'the gzip data is damaged; what came before was read')];
  }
  yield reader.end();
}

/** Frames of several captures in the order of their times; ties in the order of the captures. */
async function* merged(captures: readonly CaptureBytes[]): AsyncGenerator<readonly PipelineInput[]> {
  const heads = await Promise.all(captures.map((bytes, capture) => Head.open(readItems(bytes, capture))));
  while (true) {
    let earliest: Head | null = null;
    for (const head of heads)
      if (head.input !== null && (earliest === null || head.time < earliest.time)) earliest = head;
    if (earliest === null) return;
    yield [earliest.input as PipelineInput];
    await earliest.next();
  }
}

/** One capture of several: what it would give next. */
class Head {
  input: PipelineInput | null = null;
  /** ns; what has no time of its own goes first. */
  time = -1n;
  #batch: readonly PipelineInput[] = [];
  #at = 0;
  readonly #items: AsyncGenerator<readonly PipelineInput[]>;

  private constructor(items: AsyncGenerator<readonly PipelineInput[]>) {
    this.#items = items;
  }

  static async open(items: AsyncGenerator<readonly PipelineInput[]>): Promise<Head> {
    const head = new Head(items);
    await head.next();
    return head;
  }

  async next(): Promise<void> {
    while (this.#at >= this.#batch.length) {
      const { value, done } = await this.#items.next();
      this.#batch = done === true ? [] : value;
      this.#at = 0;
      if (done === true) {
        this.input = null;
        return;
      }
    }
    this.input = this.#batch[this.#at++];
    this.time = this.input.kind === 'frame' ? this.input.origin.time : -1n;
  }
}

/** Undoes gzip where the first bytes are its. */
async function plainBytes(bytes: CaptureBytes): Promise<CaptureBytes> {
  const iterator = bytes[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  let length = 0;
  while (length < 3) {
    const { value, done } = await iterator.next();
    if (done === true) break;
    first.push(new Uint8Array(value));
    length += value.length;
  }
  const begin = concat(first.length === 0 ? [new Uint8Array(0)] : first);
  const all = (async function* () {
    if (begin.length > 0) yield begin;
    for (;;) {
      const { value, done } = await iterator.next();
      if (done === true) return;
      yield value;
    }
  })();
  if (!isGzip(begin)) return all;
  const copies = (async function* () {
    for await (const chunk of all) yield new Uint8Array(chunk);
  })();
  // A cut file is inflated as far as it goes; the capture reader then says where it ends.
  const gunzip = createGunzip({ chunkSize: INFLATE_CHUNK, finishFlush: constants.Z_SYNC_FLUSH });
  const source = Readable.from(copies, { objectMode: false });
  source.on('error', (error) => gunzip.destroy(error));
  return source.pipe(gunzip);
}

function isInflateError(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' && code.startsWith('Z_');
}

const INFLATE_CHUNK = 256 * 1024;
