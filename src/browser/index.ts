// The library for browsers: what programs import as `kubeseq/browser`. It needs no file, no network and nothing of Node.js.

import {
  CaptureReading,
  LineBuffer,
  type Message,
  type NamingRule,
  openSecrets,
  type Reveal,
  type Secrets,
  writeMessage,
} from '../index.js';
import { type CaptureCheckOptions, type CheckResult, check as checkCapture } from '../library/check.js';
import { type OpenCaptureOptions, openCapture as openAny } from '../library/open-capture.js';
import { type CapturedStory, type StoryOptions, story as storyOf } from '../library/story.js';
import { blobSources } from './blob-source.js';

export * from '../library/exports.js';

/** A capture: a Blob (as a File that a user chose), its bytes, or its bytes in chunks. Gzipped or not. */
export type BrowserCapture = Blob | Uint8Array | ArrayBuffer | AsyncIterable<Uint8Array>;

/** A capture that is read more than once where there are several. */
export type KeptCapture = Blob | Uint8Array | ArrayBuffer;

export interface MessageLinesOptions {
  /** TLS secrets: text of NSS key logs, or streams of it. */
  readonly secrets?: Secrets;
  readonly naming?: readonly NamingRule[];
  readonly reveal?: Reveal;
}

/**
 * @param input a capture, or several of one moment.
 * @returns its story; nothing is read before it is asked for something.
 * @throws TypeError for an option that cannot be meant, with what it should be.
 */
export function story(input: BrowserCapture | readonly BrowserCapture[], options: StoryOptions = {}): CapturedStory {
  return storyOf(input, options);
}

/** Holds a capture against an expected diagram. @throws UnmetExpectation with the report of `kubeseq check`. */
export function check(
  input: BrowserCapture | readonly BrowserCapture[],
  expected: string,
  options: CaptureCheckOptions = {},
): Promise<CheckResult> {
  return checkCapture(input, expected, options);
}

/** Messages of one capture, in order, as they are known. */
export function openCapture(input: BrowserCapture, options: OpenCaptureOptions = {}): AsyncGenerator<Message> {
  return openAny(input, options);
}

/** Lines of JSON in UTF-8, in pieces of some: what `kubeseq messages -o ndjson` prints of a capture, or of several of one moment. */
export async function* messageLines(
  input: KeptCapture | readonly KeptCapture[],
  { secrets = [], naming, reveal }: MessageLinesOptions = {},
): AsyncGenerator<Uint8Array> {
  const inputs = Array.isArray(input) ? (input as readonly KeptCapture[]) : [input as KeptCapture];
  const captures = inputs.map((one, i) => ({ name: nameOf(one) ?? `capture ${i + 1}`, blob: blobOf(one) }));
  const { keyLogs } = await openSecrets(secrets, false);
  const reading = new CaptureReading(
    captures.map(({ name }) => name),
    { keyLogs, naming, reveal },
  );
  const lines = new LineBuffer(PIECE);
  for await (const batch of reading.read(await blobSources(captures))) {
    for (const item of batch) {
      if (item.kind !== 'message') continue;
      writeMessage(lines, item.message, { captures: reading.captureNames, digits: (one) => reading.digits(one) });
      lines.ascii('\n');
    }
    if (lines.length > 0) yield lines.take().slice();
  }
}

/** Of a File. */
function nameOf(capture: KeptCapture): string | undefined {
  return 'name' in capture && typeof capture.name === 'string' ? capture.name : undefined;
}

function blobOf(capture: KeptCapture): Blob {
  return capture instanceof Blob ? capture : new Blob([capture as Uint8Array<ArrayBuffer> | ArrayBuffer]);
}

/** Bytes of a piece at first. */
const PIECE = 64 * 1024;
