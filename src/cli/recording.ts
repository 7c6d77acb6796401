// Holds what one reading of the captures gave, so that later commands get it again without reading.

import { getHeapStatistics } from 'node:v8';
import type { CaptureReading, Message, PipelineItem } from '../index.js';

/** What a session replays. */
export interface Recording {
  readonly batches: readonly (readonly PipelineItem[])[];
  readonly reading: CaptureReading;
}

/**
 * Reads the captures of a session to their end.
 *
 * @param use gets each message.
 * @returns null: they are too large to be held.
 */
export async function recordSession(
  session: { readonly reading: CaptureReading; run(): AsyncIterable<readonly PipelineItem[]> },
  use: (message: Message) => void,
): Promise<Recording | null> {
  let batches: (readonly PipelineItem[])[] | null = [];
  let messages = 0;
  const most = getHeapStatistics().heap_size_limit * MAX_HEAP_SHARE;
  for await (const batch of session.run()) {
    for (const item of batch) {
      if (item.kind !== 'message') continue;
      messages += 1;
      use(item.message);
    }
    // The pipeline uses its lists again.
    if (batch.length > 0) batches?.push([...batch]);
    const { heapUsed, external } = process.memoryUsage();
    if (messages > MAX_RECORDED || heapUsed + external > most) batches = null;
  }
  return batches === null ? null : { batches, reading: session.reading };
}

/** Limit: messages of captures that are read once for many answers, some 1.5 KB each beside their bodies; captures with more are read for each answer. */
const MAX_RECORDED = 200_000;
/** Limit: share of the heap that Node.js has, beyond which captures are read for each answer: answers need memory, too. */
const MAX_HEAP_SHARE = 0.5;
