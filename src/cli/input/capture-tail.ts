// Reads a capture file that may grow, and recognises when it is rewritten.

import { type FileHandle, open } from 'node:fs/promises';
import { captureReader, framesOf, type PipelineInput } from '../../index.js';
import { readCapture } from './input.js';

/** A file that may grow; a gzipped file does not. */
export class CaptureTail {
  readonly #path: string;
  /** null: the file is opened for each read. */
  readonly #file: FileHandle | null;
  readonly #reader: ReturnType<typeof captureReader>;
  readonly #buffer: Uint8Array;
  readonly #beginning: Uint8Array;
  readonly #zipped: AsyncIterator<readonly PipelineInput[]> | null;
  #offset = 0;

  private constructor(
    path: string,
    file: FileHandle | null,
    capture: number,
    beginning: Uint8Array,
    zipped: AsyncIterator<readonly PipelineInput[]> | null,
  ) {
    this.#path = path;
    this.#file = file;
    this.#buffer = new Uint8Array(file === null ? SMALL_CHUNK : CHUNK);
    this.#reader = captureReader({ capture });
    this.#beginning = beginning;
    this.#zipped = zipped;
  }

  /** @param number returns the file's capture number when it is opened. */
  static async open(path: string, number: () => number): Promise<CaptureTail> {
    const file = await open(path);
    const beginning = await headOf(file);
    const isKept = keptOpen < MAX_KEPT_OPEN;
    if (isKept) keptOpen += 1;
    else await file.close();
    const capture = number();
    const isZipped = beginning[0] === 0x1f && beginning[1] === 0x8b;
    const frames = isZipped ? await framesOf([readCapture(path)], capture) : null;
    const zipped = frames === null ? null : frames[Symbol.asyncIterator]();
    return new CaptureTail(path, isKept ? file : null, capture, beginning, zipped);
  }

  /** null: at the current end. `other`: the file was rewritten from its beginning. */
  async read(): Promise<PipelineInput[] | 'other' | null> {
    if (this.#zipped !== null) {
      const { value, done } = await this.#zipped.next();
      return done === true ? null : [...value];
    }
    if (this.#file !== null) return this.#readOf(this.#file);
    const file = await open(this.#path).catch(() => null);
    if (file === null) return null;
    try {
      return await this.#readOf(file);
    } finally {
      await file.close();
    }
  }

  async #readOf(file: FileHandle): Promise<PipelineInput[] | 'other' | null> {
    const beginning = await headOf(file);
    if (Buffer.compare(beginning, this.#beginning) !== 0) return 'other';
    const { bytesRead } = await file.read(this.#buffer, 0, this.#buffer.length, this.#offset);
    if (bytesRead === 0) return (await file.stat()).size < this.#offset ? 'other' : null;
    this.#offset += bytesRead;
    return [...this.#reader.feed(this.#buffer.subarray(0, bytesRead))];
  }

  end(): PipelineInput[] {
    return this.#zipped === null ? [...this.#reader.end()] : [];
  }

  async close(): Promise<void> {
    await this.#zipped?.return?.();
    if (this.#file === null) return;
    keptOpen -= 1;
    await this.#file.close();
  }
}

/** The bytes that identify a file: its header and that of its first packet, with the time. */
async function headOf(file: FileHandle): Promise<Uint8Array> {
  const head = new Uint8Array(HEAD_BYTES);
  const { bytesRead } = await file.read(head, 0, HEAD_BYTES, 0);
  return head.subarray(0, bytesRead);
}

/** Files that are open from their first read to their last. */
let keptOpen = 0;
/** Limit: captures that `--watch` keeps open from their first byte to their last: many rings can be followed with few file descriptors. */
const MAX_KEPT_OPEN = 32;
/** Bytes of a chunk, and of a chunk of files beyond MAX_KEPT_OPEN. */
const CHUNK = 256 * 1024;
const SMALL_CHUNK = 32 * 1024;
/** A pcap file's header and its first packet's: 24 and 16 bytes. pcapng's first packet comes later, and its blocks differ. */
const HEAD_BYTES = 40;
