// From the bytes of some captures to what the pipeline makes of them: packets in their order (frames-in-order.ts), saved
// messages beside them (saved-messages.ts), and what happens meanwhile. Knows how to pull; where the bytes come from is the
// caller's business.

import { NOTHING } from '../core/stage.js';
import type { CaptureBytes, LaterCapture } from './capture-bytes.js';
import { framesInOrder, sourcesOf } from './frames-in-order.js';
import type { LiveKeySource } from './key-source.js';
import { MessageStage, type PipelineInput, type PipelineItem, type PipelineOptions } from './message-stage.js';
import { mergedMessages, savedMessages } from './saved-messages.js';

/**
 * Reads captures and yields what was learnt, in batches: one for each chunk read. A file of saved messages (an export, or
 * `messages -o ndjson`) stands for the capture that it was made of; beside others, messages are numbered anew.
 *
 * @param captures pcap, pcapng or saved messages each, gzipped or not, in the order of the command's arguments; files whose
 *   beginning is known are opened when their time comes.
 * @param options with `shifts`: ns to add to the times of each capture, and `hosts`: whose its loopback is (both
 *   first-look.ts); `meanwhile`: what happens while the captures are read.
 */
export async function* observe(
  captures: readonly (CaptureBytes | LaterCapture)[],
  options: PipelineOptions & {
    readonly pipeline?: MessageStage;
    readonly shifts?: readonly bigint[];
    readonly hosts?: readonly (string | null)[];
    readonly meanwhile?: LiveKeySource;
  } = {},
): AsyncGenerator<readonly PipelineItem[]> {
  const moreSecrets = options.moreSecrets ?? options.meanwhile !== undefined;
  const pipeline = options.pipeline ?? new MessageStage({ ...options, moreSecrets });
  const sources = await sourcesOf(captures, options.shifts ?? []);
  const packets = sources.filter(({ isSaved }) => !isSaved);
  const decoded = decode(framesInOrder(packets, options.hosts), pipeline, options.meanwhile);
  let lastCapture = captures.length - 1;
  const nextCapture = (): number => {
    lastCapture += 1;
    return lastCapture;
  };
  const saved = sources
    .filter(({ isSaved }) => isSaved)
    .map(({ bytes, capture }) =>
      savedMessages(bytes, { ...options, capture, nextCapture }, options.shifts?.[capture] ?? 0n),
    );
  if (saved.length === 0) yield* decoded;
  else if (saved.length === 1 && packets.length === 0) {
    yield* saved[0];
    yield* decoded;
  } else yield* mergedMessages([decoded, ...saved]);
}

/** What is known of captures before they are read. */
export interface FramesOptions {
  /** ns to add to the times of each. */
  readonly shifts?: readonly bigint[];
  /** By capture: whose its loopback is. */
  readonly hosts?: readonly (string | null)[];
  /** Number of the first of them among all captures. */
  readonly firstCapture?: number;
}

/**
 * The packets of all captures in the order of their times, in batches: the input of `Streams`, for one who reads them
 * apart from the rest. null where one of the files holds saved messages.
 */
export async function framesOf(
  captures: readonly (CaptureBytes | LaterCapture)[],
  { shifts = NOTHING, hosts, firstCapture }: FramesOptions = {},
): Promise<AsyncIterable<readonly PipelineInput[]> | null> {
  const sources = await sourcesOf(captures, shifts, firstCapture);
  return sources.some(({ isSaved }) => isSaved) ? null : framesInOrder(sources, hosts);
}

/** What the pipeline makes of frames in their order, in batches that no chunk makes long. */
export async function* decode(
  frames: AsyncGenerator<readonly PipelineInput[]>,
  pipeline: MessageStage,
  meanwhile?: LiveKeySource,
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

function addSecrets(pipeline: MessageStage, text: string | undefined, out: PipelineItem[]): void {
  if (text !== undefined && text !== '') for (const item of pipeline.addSecrets(text)) out.push(item);
}

/** The batches, and empty ones whenever something else happened while none comes. */
async function* wakened(
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

/** Items of a batch that wait for no more: two bytes of a watch stream can be a message, which takes a thousand. */
const FULL_BATCH = 4096;
