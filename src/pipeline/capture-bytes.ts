// Opens one capture from its bytes: decompresses gzip, distinguishes saved messages from packets, and yields frames.

import { isAuditLog, MAX_BEGINNING } from '../audit/audit-reader.js';
import { captureReader, isGzip, MAGIC_BYTES, mayHoldSecrets } from '../capture/capture-reader.js';
import type { CaptureReport, EmbeddedSecrets } from '../capture/frame.js';
import type { CaptureItem } from '../capture/log.js';
import { concat, EMPTY_BYTES, text } from '../core/bytes/bytes.js';
import { type Notice, notice } from '../core/notice.js';
import type { Stage } from '../core/stage.js';
import { gunzipChunks, isCut, isInflateError } from '../platform/compression.js';
import { redactionOf } from '../redaction/redaction.js';
import { SavedBeginning } from '../saved/beginning.js';
import type { RandomAccessFile } from '../saved/table/reader.js';

/** What a file holds that is read as a capture. */
export type CaptureContent = 'packets' | 'messages' | 'audit log';

/** Chunks of one capture file or stream, gzipped or not. A chunk may be overwritten once the next one is requested. */
export interface CaptureBytes extends AsyncIterable<Uint8Array> {
  /** Of a regular file: a table of messages is read in parts. */
  readonly randomAccess?: RandomAccessFile;
}

/** A file whose beginning was read, and that can be opened when its first frame is due. */
export interface LaterCapture {
  /** ns since the epoch: its first frame; null if it has none. */
  readonly first: bigint | null;
  /** Default: packets. */
  readonly content?: CaptureContent;
  /** false if its format cannot hold TLS secrets. Default true. */
  readonly mayHoldSecrets?: boolean;
  bytes(): CaptureBytes;
  readonly randomAccess?: RandomAccessFile;
  /** The same bytes, to read the TLS secrets before its first frame; absent if there are none. */
  readonly secrets?: () => CaptureBytes;
}

export interface CaptureBeginning {
  /** `messages` only if one was found. */
  readonly format: CaptureReport['format'] | 'empty';
  /** By its first bytes: it is read as such, even if it holds none. */
  readonly content: CaptureContent;
  /** ns since the epoch: the first frame; null if there is none yet. */
  readonly first: bigint | null;
  /** TLS secrets precede the first frame. */
  readonly hasSecrets: boolean;
  /** false if its format cannot hold TLS secrets. */
  readonly mayHoldSecrets: boolean;
}

/** Reads the beginning of a capture, up to its first frame or saved message. */
export async function beginningOf(bytes: CaptureBytes): Promise<CaptureBeginning> {
  const opened = await open(bytes);
  const { content, mayHoldSecrets } = opened;
  let hasSecrets = false;
  let format: CaptureBeginning['format'] = 'empty';
  try {
    if (content !== 'packets') {
      const isKnown = opened.isTable || content === 'audit log';
      const savedAs = isKnown ? SAVED_AS[content] : await savedFormat(opened.bytes);
      return { format: savedAs, content, first: null, hasSecrets, mayHoldSecrets };
    }
    for await (const batch of readItems(opened.bytes, 0)) {
      for (const item of batch) {
        if (item.kind === 'frame')
          return { format: 'pcap', content, first: item.origin.time, hasSecrets, mayHoldSecrets };
        if (item.kind === 'secrets') hasSecrets = true;
        if (item.kind === 'capture-report')
          format = item.format === 'unknown' && opened.isEmpty ? 'empty' : item.format;
      }
    }
  } finally {
    await opened.close();
  }
  return { format, content, first: null, hasSecrets, mayHoldSecrets };
}

/** TLS secrets that precede the first frame of a capture. */
export async function secretsBefore(bytes: CaptureBytes): Promise<readonly EmbeddedSecrets[]> {
  const opened = await open(bytes);
  const found: EmbeddedSecrets[] = [];
  try {
    for await (const batch of readItems(opened.bytes, 0)) {
      for (const item of batch) {
        if (item.kind === 'frame') return found;
        if (item.kind === 'secrets') found.push(item);
      }
    }
  } finally {
    await opened.close();
  }
  return found;
}

async function savedFormat(bytes: CaptureBytes): Promise<'messages' | 'unknown'> {
  const beginning = new SavedBeginning(redactionOf());
  try {
    for await (const chunk of bytes) {
      const isMessages = beginning.feed(chunk);
      if (isMessages !== null) return isMessages ? 'messages' : 'unknown';
    }
  } catch (error) {
    if (!isInflateError(error)) throw error;
  }
  return beginning.end() ? 'messages' : 'unknown';
}

export interface Opened {
  /** Decompressed. */
  readonly bytes: CaptureBytes;
  readonly content: CaptureContent;
  /** Its saved messages are a table. */
  readonly isTable: boolean;
  readonly isEmpty: boolean;
  /** By its first bytes: false if the format cannot hold TLS secrets. */
  readonly mayHoldSecrets: boolean;
  /** Closes a capture that was not read to its end. */
  close(): Promise<void>;
}

/** Decompresses gzip and distinguishes saved messages from packets, both by the first bytes. */
export async function open(bytes: CaptureBytes): Promise<Opened> {
  const plain = await plainBytes(bytes);
  const iterator = plain[Symbol.asyncIterator]();
  const { value, done } = await beginningChunk(iterator).catch((error: unknown) => {
    // The reader reports the error, after everything before it.
    return { value: error as Error, done: false as const };
  });
  const rest = async function* (): AsyncGenerator<Uint8Array> {
    if (value instanceof Error) throw value;
    if (done !== true) yield* resumed(value, iterator);
  };
  const first = value instanceof Uint8Array ? value : EMPTY_BYTES;
  const content = contentOf(first);
  const close = async (): Promise<void> => {
    await iterator.return?.();
  };
  return {
    bytes: rest(),
    content,
    isTable: isTable(first),
    mayHoldSecrets: mayHoldSecrets(first),
    isEmpty: done === true || isCut(value),
    close,
  };
}

/**
 * Frames and other items of one capture, a batch for each chunk.
 *
 * @param bytes decompressed.
 * @param shift ns by which its clock is behind the others.
 */
export function readItems(bytes: CaptureBytes, capture: number, shift = 0n): AsyncGenerator<readonly CaptureItem[]> {
  return readWith(captureReader({ capture, shift }), bytes);
}

/** The items that a reader makes of one file, a batch for each chunk. Notices: `capture.damaged`, `capture.truncated`. */
export async function* readWith<Item extends { readonly kind: string }>(
  reader: Stage<Uint8Array, Item>,
  bytes: CaptureBytes,
): AsyncGenerator<readonly (Item | Notice)[]> {
  try {
    for await (const chunk of bytes) yield reader.feed(chunk);
  } catch (error) {
    if (!isInflateError(error)) throw error;
    if (isCut(error)) {
      yield withTruncation(reader.end());
      return;
    }
    yield [notice('capture.damaged', 'the gzip data is damaged; what came before was read')];
  }
  yield reader.end();
}

/** The reader's last items, with a notice that the file is cut: the reader cannot notice a cut between two records. */
function withTruncation<Item extends { readonly kind: string }>(items: readonly Item[]): readonly (Item | Notice)[] {
  if (items.some((item) => 'code' in item && item.code === 'capture.truncated')) return items;
  const truncated = notice('capture.truncated', 'the end of the gzip data is missing');
  return [truncated, ...items.map((item) => (item.kind === 'capture-report' ? { ...item, truncated: true } : item))];
}

/** Whether a file that begins so is a table of messages: Parquet's magic number. */
export function isTable(first: Uint8Array): boolean {
  return TABLE_MAGIC.every((byte, at) => first[at] === byte);
}

/** The first chunk; joined with the next ones while it is too short to identify the format. */
export function firstOf(chunks: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array>> {
  return joinedWhile(chunks, ({ length }) => length < MAGIC_BYTES);
}

async function joinedWhile(
  chunks: AsyncIterator<Uint8Array>,
  isTooShort: (bytes: Uint8Array) => boolean,
): Promise<IteratorResult<Uint8Array>> {
  let first = await chunks.next();
  while (first.done !== true && isTooShort(first.value)) {
    const begin = new Uint8Array(first.value);
    const next = await chunks.next();
    if (next.done === true) return { value: begin };
    first = { value: concat([begin, next.value]) };
  }
  return first;
}

function contentOf(first: Uint8Array): CaptureContent {
  if (isTable(first)) return 'messages';
  if (!isText(first)) return 'packets';
  if (isAuditLog(text(first.subarray(0, MAX_BEGINNING)))) return 'audit log';
  return first[0] === OPEN_BRACE ? 'messages' : 'packets';
}

/** JSON, or a line with its time before it. */
function isText([first]: Uint8Array): boolean {
  return first === OPEN_BRACE || first === OPEN_BRACKET || (first >= DIGIT_ZERO && first <= DIGIT_NINE);
}

/** As `firstOf`; of text, joined up to what tells audit logs from saved messages: in an array its first records, else the first line. */
function beginningChunk(chunks: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array>> {
  return joinedWhile(chunks, (bytes) => {
    if (bytes.length < MAGIC_BYTES) return true;
    if (!isText(bytes) || bytes.length >= MAX_BEGINNING) return false;
    return bytes[0] === OPEN_BRACKET ? !isAuditLog(text(bytes)) : !bytes.includes(LINE_FEED);
  });
}

/** Decompresses gzip, recognised by the first bytes. */
export async function plainBytes(bytes: CaptureBytes): Promise<CaptureBytes> {
  const iterator = bytes[Symbol.asyncIterator]();
  const { value, done } = await firstOf(iterator);
  const begin = done === true ? EMPTY_BYTES : value;
  const all = resumed(begin, iterator);
  if (!isGzip(begin)) return all;
  return gunzipChunks(all);
}

/** A chunk that was read already, and those that follow; closes the source of a reader that stops early. */
export async function* resumed(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    if (first.length > 0) yield first;
    for (;;) {
      const next = await rest.next();
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await rest.return?.();
  }
}

/** Every line of saved messages begins with it, no capture does. */
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
/** `PAR1` */
const TABLE_MAGIC = [0x50, 0x41, 0x52, 0x31] as const;
const DIGIT_ZERO = 0x30;
const DIGIT_NINE = 0x39;
const LINE_FEED = 0x0a;
/** Format of files whose first bytes prove what they hold. */
const SAVED_AS = { messages: 'messages', 'audit log': 'audit' } as const;
