// Reads captures and runs the pipeline on them: packets in their order, saved messages beside them, and a key log that grows meanwhile.

import { NOTHING } from '../core/stage.js';
import { MessageLinker } from '../kubernetes/emitted/message-links.js';
import { ObjectStore } from '../kubernetes/lives/object-store.js';
import type { TableSelection } from '../saved/table/reader.js';
import { AuditLogs, auditMessages } from './audit-logs.js';
import type { CaptureBytes, LaterCapture } from './capture-bytes.js';
import { framesInOrder, sourcesOf } from './frames-in-order.js';
import type { LiveKeySource } from './key-source.js';
import { MessageStage, type PipelineInput, type PipelineItem, type PipelineOptions } from './message-stage.js';
import { mergedMessages, savedMessages } from './saved-messages.js';

/**
 * Reads captures and yields the pipeline's items, a batch for each chunk. A file of saved messages (an export, or `messages -o ndjson`)
 * replaces the capture that it was made of; beside others, its messages are renumbered.
 *
 * @param captures pcap, pcapng or saved messages, gzipped or not, in the order of the command's arguments; files whose beginning is
 *   known are opened when their first frame is due.
 * @param options `shifts`: ns to add to the times of each capture; `hosts`: the host of each capture's loopback; `meanwhile`: a key log
 *   that grows while the captures are read; `selection`: what is needed of tables.
 */
export async function* observe(
  captures: readonly (CaptureBytes | LaterCapture)[],
  options: PipelineOptions & {
    readonly pipeline?: MessageStage;
    readonly shifts?: readonly bigint[];
    readonly hosts?: readonly (string | null)[];
    readonly meanwhile?: LiveKeySource;
    readonly selection?: TableSelection;
  } = {},
): AsyncGenerator<readonly PipelineItem[]> {
  const moreSecrets = options.moreSecrets ?? options.meanwhile !== undefined;
  const pipeline = options.pipeline ?? new MessageStage({ ...options, moreSecrets });
  const sources = await sourcesOf(captures, options.shifts ?? []);
  const packets = sources.filter(({ content }) => content === 'packets');
  const decoded = decode(framesInOrder(packets, options.hosts), pipeline, options.meanwhile);
  let lastCapture = captures.length - 1;
  const nextCapture = (): number => {
    lastCapture += 1;
    return lastCapture;
  };
  const saved = sources
    .filter(({ content }) => content === 'messages')
    .map(({ bytes, capture, randomAccess }) =>
      savedMessages(bytes, { ...options, capture, nextCapture, randomAccess }, options.shifts?.[capture] ?? 0n),
    );
  const logs = sources
    .filter(({ content }) => content === 'audit log')
    .map(({ bytes, capture }) => auditMessages(bytes, { ...options, capture }));
  const others = [...saved, ...logs];
  if (others.length === 0) yield* decoded;
  else if (others.length === 1 && packets.length === 0) {
    yield* linked(others[0], pipeline);
    yield* decoded;
  } else {
    const isBesideLogs = logs.length > 0 && logs.length < sources.length;
    const beside = isBesideLogs ? new AuditLogs(1 + saved.length, () => pipeline.firstTime) : undefined;
    yield* linked(mergedMessages([decoded, ...others], beside), pipeline);
  }
}

/**
 * The packets of all captures in the order of their times, in batches: the input of the TCP stage. null if one of the files holds saved
 * messages.
 * @param firstCapture number of the first of them among all captures.
 */
export async function framesOf(
  captures: readonly (CaptureBytes | LaterCapture)[],
  firstCapture = 0,
): Promise<AsyncIterable<readonly PipelineInput[]> | null> {
  const sources = await sourcesOf(captures, NOTHING, firstCapture);
  return sources.some(({ content }) => content !== 'packets') ? null : framesInOrder(sources);
}

/** Links messages that are not, or no longer, as the pipeline made them: saved ones, and those that a merge numbered anew. */
async function* linked(
  batches: AsyncGenerator<readonly PipelineItem[]>,
  pipeline: MessageStage,
): AsyncGenerator<readonly PipelineItem[]> {
  const links = pipeline.keeping(() => new MessageLinker(pipeline.lives ? new ObjectStore() : null));
  for await (const batch of batches) {
    for (const item of batch) if (item.kind === 'message') links.link(item.message);
    yield batch;
  }
}

/** Runs the pipeline on frames in their order, and yields its items in batches of limited length. */
export async function* decode(
  frames: AsyncGenerator<readonly PipelineInput[]>,
  pipeline: MessageStage,
  meanwhile?: LiveKeySource,
): AsyncGenerator<readonly PipelineItem[]> {
  for await (const inputs of meanwhile === undefined ? frames : withWakeups(frames, meanwhile)) {
    const first: PipelineItem[] = [];
    addSecrets(pipeline, meanwhile?.read(), first);
    const quiet = inputs.length === 0 ? meanwhile?.idleNs?.() : undefined;
    if (quiet !== undefined) for (const item of pipeline.elapsed(quiet)) first.push(item);
    if (first.length > 0) yield first;
    for (let i = 0; i < inputs.length; i++) {
      pipeline.push(inputs[i]);
      if (pipeline.pending >= FULL_BATCH) yield pipeline.drain();
    }
    yield pipeline.drain();
  }
  const last: PipelineItem[] = [];
  addSecrets(pipeline, meanwhile?.readRest?.() ?? meanwhile?.read(), last);
  for (const item of pipeline.end()) last.push(item);
  yield last;
}

function addSecrets(pipeline: MessageStage, text: string | undefined, out: PipelineItem[]): void {
  if (text !== undefined && text !== '') for (const item of pipeline.addSecrets(text)) out.push(item);
}

/** The batches, with an empty one whenever the key log changed while no batch came. */
async function* withWakeups(
  batches: AsyncGenerator<readonly PipelineInput[]>,
  meanwhile: LiveKeySource,
): AsyncGenerator<readonly PipelineInput[]> {
  let changed = false;
  let wake = (): void => {};
  const stop = meanwhile.watch?.(() => {
    changed = true;
    wake();
  });
  try {
    for (;;) {
      let hasArrived = false;
      const next = batches.next();
      const arrived = (): void => {
        hasArrived = true;
        wake();
      };
      next.then(arrived, arrived);
      while (!hasArrived) {
        if (!changed) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        if (hasArrived || !changed) continue;
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

/** Items of a full batch: two bytes of a watch stream can become a message of a thousand bytes. */
const FULL_BATCH = 4096;
