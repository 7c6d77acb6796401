// Reads long captures in several threads: one for files, packets and TCP, others for TLS and HTTP, and this one for
// messages. The output is byte for byte the same as that of one thread.

import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import {
  type ExchangeBatch,
  type MessageStage,
  OrderedWorkerOutput,
  type PipelineItem,
  type SpareBuffers,
} from '../../index.js';
import { CliError } from '../cli-error.js';
import type { Input } from '../input/inputs.js';
import { openThread } from '../program-parts.js';

export interface ReaderWork {
  readonly inputs: readonly Input[];
  /** Text of NSS key logs. */
  readonly keyLogs: readonly string[];
  /** ns to add to the times of each. */
  readonly shifts: readonly bigint[];
  /** An address of the host on whose loopback each captured; null: not known. */
  readonly hosts: readonly (string | null)[];
  /** MD5 of every connection's bytes. */
  readonly digests: boolean;
}

/** Messages of worker threads; each batch is acknowledged with its consumed buffers. */
export type WorkerMessage =
  | { readonly kind: 'batch'; readonly batch: ExchangeBatch }
  /** Bytes of all files so far. */
  | { readonly kind: 'read'; readonly bytes: number }
  | { readonly kind: 'progress'; readonly work: number; readonly limit: number }
  | { readonly kind: 'trouble'; readonly message: string }
  /** The thread is finished. */
  | { readonly kind: 'end' }
  /** Nothing was read: one of the files has saved messages, which worker threads do not read. */
  | { readonly kind: 'saved' };

export type ReaderHears = SpareBuffers | 'stop';

/** Limit: batches that one thread may be ahead of another: enough that no thread waits for another one's garbage collection. */
export const MAX_AHEAD = 4;

/**
 * Uses threads for long regular files on several cores. Without decryption, threads save a sixth of the time for 40 MB of memory,
 * so they are used only on request (docs/performance.md).
 *
 * @param jobs threads that the user requested; undefined: automatic.
 * @returns the number of threads, including this one.
 */
export async function threadsFor(files: readonly string[], keyLogs: number, jobs?: number): Promise<number> {
  const worth = keyLogs === 0 ? 1 : Math.min(availableParallelism(), WORTH_THREADS);
  const threads = Math.min(jobs ?? worth, MAX_THREADS);
  if (threads < 2) return 1;
  let size = 0;
  for (const file of files) {
    const found = file === '-' ? null : await stat(file).catch(() => null);
    if (found === null || !found.isFile()) return 1;
    size += found.size;
  }
  return jobs !== undefined || size >= WORTH_BYTES ? threads : 1;
}

/**
 * Yields what `observe` does.
 *
 * @param threads two or more: the first one reads, and decodes too if it is the only worker.
 * @param pipeline whose last third makes the messages.
 * @param otherwise reads the files in this thread.
 * @param onRead is called with the bytes read of all files.
 * @param stopped is checked between batches: an interrupted command reports what was read so far.
 */
export async function* readInThreads(
  work: ReaderWork,
  threads: number,
  pipeline: MessageStage,
  progress: ((work: number, limit: number) => void) | undefined,
  otherwise: () => AsyncIterable<readonly PipelineItem[]>,
  onRead: (bytes: number) => void,
  stopped: () => boolean,
): AsyncGenerator<readonly PipelineItem[]> {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH}`);
  const channels = Array.from({ length: threads - 2 }, () => new MessageChannel());
  const ports = channels.map(({ port1 }) => port1);
  const reader = open('reader-thread.js', { work, ports }, ports);
  const shares = channels.map(({ port2 }, i) =>
    open('share-thread.js', { port: port2, keyLogs: work.keyLogs, isFirst: i === 0 }, [port2]),
  );
  const emitters = shares.length === 0 ? [reader] : shares;
  const received: { readonly worker: Worker; readonly message: WorkerMessage }[] = [];
  let wake = (): void => {};
  let failure: Error | null = null;
  for (const worker of new Set([reader, ...shares])) {
    worker.on('message', (message: WorkerMessage) => {
      received.push({ worker, message });
      wake();
    });
    worker.on('error', (error) => {
      failure = error;
      wake();
    });
  }
  const order = new OrderedWorkerOutput(emitters.length, pipeline);
  const waiting: ExchangeBatch[][] = emitters.map(() => []);
  let emitting = emitters.length;
  try {
    while (emitting > 0) {
      const next = received.shift();
      if (next === undefined) {
        if (failure !== null) throw failure;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      const { worker, message } = next;
      if (message.kind === 'batch') {
        waiting[emitters.indexOf(worker)].push(message.batch);
        if (!waiting.every((batches) => batches.length > 0)) continue;
        const batches = waiting.map((each) => each.shift() as ExchangeBatch);
        order.read(batches);
        batches.forEach(({ buffers: { numbers, words } }, i) => {
          emitters[i].postMessage({ numbers, words } satisfies ReaderHears, [numbers, words]);
        });
        if (stopped()) reader.postMessage('stop' satisfies ReaderHears);
        yield pipeline.drain();
      } else if (message.kind === 'read') onRead(message.bytes);
      else if (message.kind === 'progress') progress?.(message.work, message.limit);
      else if (message.kind === 'trouble') throw new CliError(message.message);
      else if (message.kind === 'end') emitting -= 1;
      else {
        yield* otherwise();
        return;
      }
    }
    pipeline.inputEnded();
    yield pipeline.drain();
  } finally {
    await Promise.all([reader, ...shares].map((worker) => worker.terminate()));
  }
}

function open(script: string, workerData: unknown, transferList: readonly MessagePort[]): Worker {
  return openThread(script, {
    workerData,
    transferList: [...transferList],
    // Most of its objects live for one batch only.
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  });
}

/** Bytes of a capture for which starting threads and compiling code in each costs as much as they save (measured). */
const WORTH_BYTES = 64_000_000;
/** Interpreting exchanges is one thread, as busy as three others (docs/performance.md). */
const WORTH_THREADS = 4;
/** Limit: threads of `--jobs`: each has its own heap, and more threads would be idle. */
const MAX_THREADS = 16;
const YOUNG_MB = 12;
/** %, of all heaps from one full collection to the next: less than that of one thread alone (start.ts). */
const HEAP_GROWTH = 50;
