// Long captures are read by a second thread: files, packets, TCP and TLS there, messages here. Between them goes what
// stream-relay packs, so the output is byte for byte the same. Knows threads and how far one may be ahead of the other.

import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type Pipeline, type PipelineItem, type SpareBuffers, type StreamBatch, StreamUnpacker } from '../index.js';
import type { Input } from './inputs.js';
import { Trouble } from './trouble.js';

export interface ReaderWork {
  readonly inputs: readonly Input[];
  /** Text of NSS key logs. */
  readonly keyLogs: readonly string[];
  /** ns to add to the times of each. */
  readonly shifts: readonly bigint[];
  /** MD5 of every connection's bytes. */
  readonly digests: boolean;
}

/** What the thread says; it is answered by the buffers of each batch, or by `stop`. */
export type ReaderSays =
  /** `read`: bytes of all files so far. */
  | { readonly kind: 'batch'; readonly batch: StreamBatch; readonly read: number }
  | { readonly kind: 'progress'; readonly work: number; readonly limit: number }
  | { readonly kind: 'trouble'; readonly message: string }
  /** All was read. */
  | { readonly kind: 'over' }
  /** Nothing was: one of the files holds saved messages, which are no work for a thread. */
  | { readonly kind: 'saved' };

export type ReaderHears = SpareBuffers | 'stop';

/**
 * Regular files that are long enough, keys to decrypt them with, and a second core to do it on. Without decryption there
 * is too little to do beside the messages: a tenth of the time for 60 MB more of memory (docs/performance.md).
 *
 * @param jobs threads that the user asked for; undefined: as many as are worth it.
 */
export async function isWorthAThread(files: readonly string[], keyLogs: number, jobs?: number): Promise<boolean> {
  if (jobs === 1) return false;
  if (jobs === undefined && (keyLogs === 0 || availableParallelism() < 2)) return false;
  let size = 0;
  for (const file of files) {
    const found = file === '-' ? null : await stat(file).catch(() => null);
    if (found === null || !found.isFile()) return false;
    size += found.size;
  }
  return size >= WORTH_BYTES;
}

/**
 * Yields what `observe` does.
 *
 * @param pipeline whose second half makes the messages.
 * @param otherwise reads the files without a thread.
 * @param onRead told how many bytes of all files were read.
 * @param stopped asked between batches: an interrupted command says what came so far.
 */
export async function* readInThread(
  work: ReaderWork,
  pipeline: Pipeline,
  progress: ((work: number, limit: number) => void) | undefined,
  otherwise: () => AsyncIterable<readonly PipelineItem[]>,
  onRead: (bytes: number) => void,
  stopped: () => boolean,
): AsyncGenerator<readonly PipelineItem[]> {
  const worker = new Worker(new URL('./reader-thread.js', import.meta.url), {
    workerData: work,
    // Its objects live as long as a batch; what lives longer is little.
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  });
  const said: ReaderSays[] = [];
  let wake = (): void => {};
  let failure: Error | null = null;
  worker.on('message', (message: ReaderSays) => {
    said.push(message);
    wake();
  });
  worker.on('error', (error) => {
    failure = error;
    wake();
  });
  const unpacker = new StreamUnpacker(pipeline);
  try {
    for (;;) {
      const message = said.shift();
      if (message === undefined) {
        if (failure !== null) throw failure;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      } else if (message.kind === 'batch') {
        onRead(message.read);
        unpacker.read(message.batch);
        const { records, bytes } = message.batch;
        worker.postMessage({ records, bytes } satisfies ReaderHears, [records, bytes]);
        if (stopped()) worker.postMessage('stop' satisfies ReaderHears);
        yield pipeline.taken();
      } else if (message.kind === 'progress') progress?.(message.work, message.limit);
      else if (message.kind === 'trouble') throw new Trouble(message.message);
      else if (message.kind === 'over') break;
      else {
        yield* otherwise();
        return;
      }
    }
    pipeline.over();
    yield pipeline.taken();
  } finally {
    await worker.terminate();
  }
}

/** A thread begins within 50 ms, in which 10 MB are read without it. */
const WORTH_BYTES = 16_000_000;
const YOUNG_MB = 12;
