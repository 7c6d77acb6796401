// Opens captures when their first frame is due, and merges the packets of several captures by time.

import type { LoopbackHosts } from '../capture/frame.js';
import { earliestOf, MAX_OVERLAPPING, NO_TIME, SourceCursor, TooManyCaptures } from '../core/source-cursor.js';
import { NOTHING } from '../core/stage.js';
import type { RandomAccessFile } from '../saved/table/reader.js';
import {
  type CaptureBytes,
  type CaptureContent,
  type LaterCapture,
  open,
  readItems,
  secretsBefore,
} from './capture-bytes.js';
import type { PipelineInput } from './tcp-stage.js';

export interface FrameSource {
  readonly capture: number;
  readonly content: CaptureContent;
  readonly mayHoldSecrets: boolean;
  /** ns since the epoch: the capture is opened at this time; NO_TIME: at once. */
  readonly from: bigint;
  readonly bytes: CaptureBytes;
  readonly randomAccess: RandomAccessFile | undefined;
  frames(): AsyncGenerator<readonly PipelineInput[]>;
  /** TLS secrets that frames of other captures may need before this one is opened; `frames` leaves them out. */
  secrets?(): Promise<readonly PipelineInput[]>;
}

/**
 * Opens captures as far as needed to identify their format.
 * @param shifts ns to add to the times of each capture.
 * @param firstCapture number of the first of them among all captures.
 */
export async function sourcesOf(
  captures: readonly (CaptureBytes | LaterCapture)[],
  shifts: readonly bigint[],
  firstCapture = 0,
): Promise<FrameSource[]> {
  const opened = captures.map(async (given, i): Promise<FrameSource> => {
    const capture = firstCapture + i;
    const shift = shifts[i] ?? 0n;
    if (!isLater(given)) {
      const { bytes, content, mayHoldSecrets } = await open(given);
      const { randomAccess } = given;
      const frames = () => readItems(bytes, capture, shift);
      return { capture, content, mayHoldSecrets, from: NO_TIME, bytes, randomAccess, frames };
    }
    const { first, content = 'packets', mayHoldSecrets = true, secrets, randomAccess } = given;
    const bytes = openedLater(given);
    const from = first === null ? NO_TIME : first + shift;
    const frames = () => readItems(bytes, capture, shift);
    const source = { capture, content, mayHoldSecrets, from, bytes, randomAccess, frames };
    if (secrets === undefined || captures.length === 1) return source;
    return { ...source, secrets: () => secretsBefore(secrets()), frames: () => withoutFirstSecrets(source.frames()) };
  });
  return Promise.all(opened);
}

/**
 * Frames of several captures in the order of their times; ties in the order of the captures. A capture is opened when its first frame
 * is due, so that files that follow each other are never open together. Throws TooManyCaptures.
 * @param hosts by capture: the host of its loopback.
 */
export async function* framesInOrder(
  sources: readonly FrameSource[],
  hosts: LoopbackHosts['hosts'] = NOTHING,
): AsyncGenerator<readonly PipelineInput[]> {
  if (hosts.some((host) => host !== null)) yield [{ kind: 'loopback-hosts', hosts }];
  if (!sources.some(({ mayHoldSecrets }) => mayHoldSecrets)) yield [{ kind: 'no-secrets' }];
  if (sources.length === 1) {
    yield* sources[0].frames();
    return;
  }
  // All secrets come before all frames, as the secrets of a connection may be in another capture.
  for (const { secrets } of sources) if (secrets !== undefined) yield await secrets();
  const later = [...sources].sort((a, b) => (a.from === b.from ? a.capture - b.capture : a.from < b.from ? -1 : 1));
  let next = 0;
  const heads: SourceCursor<PipelineInput>[] = [];
  let out: PipelineInput[] = [];
  for (;;) {
    let earliest = earliestOf(heads);
    while (next < later.length && isDue(later[next].from, heads[earliest]?.time)) {
      if (heads.length === MAX_OVERLAPPING) throw new TooManyCaptures();
      const { capture } = later[next];
      const head = await SourceCursor.open(later[next].frames(), frameTime, capture);
      next += 1;
      if (head.item !== null) heads.splice(insertionIndex(heads, capture), 0, head);
      earliest = earliestOf(heads);
    }
    if (earliest < 0) break;
    const head = heads[earliest];
    out.push(head.item as PipelineInput);
    // A capture's last items are borrowed until the next batch is requested.
    if (head.atEndOfBatch) {
      yield out;
      out = [];
    }
    if (!head.advance()) await head.next();
    if (head.item === null) heads.splice(earliest, 1);
  }
  if (out.length > 0) yield out;
}

/** @param time of the next item; undefined if there is none. Items without a time do not wait for other captures. */
function isDue(from: bigint, time: bigint | undefined): boolean {
  return time === undefined || (time !== NO_TIME && from <= time);
}

async function* withoutFirstSecrets(
  batches: AsyncGenerator<readonly PipelineInput[]>,
): AsyncGenerator<readonly PipelineInput[]> {
  let isBefore = true;
  for await (const batch of batches) {
    if (!isBefore) {
      yield batch;
      continue;
    }
    const frame = batch.findIndex(({ kind }) => kind === 'frame');
    isBefore = frame < 0;
    yield batch.filter(({ kind }, i) => kind !== 'secrets' || (!isBefore && i > frame));
  }
}

async function* openedLater(capture: LaterCapture): AsyncGenerator<Uint8Array> {
  yield* (await open(capture.bytes())).bytes;
}

function isLater(capture: CaptureBytes | LaterCapture): capture is LaterCapture {
  return 'first' in capture;
}

function insertionIndex(heads: readonly { readonly source: number }[], source: number): number {
  const at = heads.findIndex((head) => head.source > source);
  return at < 0 ? heads.length : at;
}

function frameTime(input: PipelineInput): bigint {
  return input.kind === 'frame' ? input.origin.time : NO_TIME;
}
