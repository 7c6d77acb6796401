// One capture file that may grow, read as far as it is written: its frames come out, or that it was written anew. Knows by
// which bytes a file is known again; what the bytes say the library's capture reader tells.

import { type FileHandle, open } from 'node:fs/promises';
import { captureReader, framesOf, type PipelineInput } from '../index.js';
import { readCapture } from './input.js';

/** A file that may grow. A gzipped one does not: it is read as it is. */
export class CaptureTail {
  readonly #file: FileHandle;
  readonly #reader: ReturnType<typeof captureReader>;
  readonly #buffer = new Uint8Array(CHUNK);
  readonly #beginning: Uint8Array;
  readonly #zipped: AsyncIterator<readonly PipelineInput[]> | null;
  #offset = 0;

  private constructor(
    file: FileHandle,
    capture: number,
    beginning: Uint8Array,
    zipped: AsyncIterator<readonly PipelineInput[]> | null,
  ) {
    this.#file = file;
    this.#reader = captureReader({ capture });
    this.#beginning = beginning;
    this.#zipped = zipped;
  }

  /** @param number asked for the file's number as a capture, once it is open. */
  static async open(path: string, number: () => number): Promise<CaptureTail> {
    const file = await open(path);
    const beginning = await headOf(file);
    const capture = number();
    const isZipped = beginning[0] === 0x1f && beginning[1] === 0x8b;
    const frames = isZipped ? await framesOf([readCapture(path)], { firstCapture: capture }) : null;
    return new CaptureTail(file, capture, beginning, frames === null ? null : frames[Symbol.asyncIterator]());
  }

  /** null: at its end for now. `other`: it was written anew from its beginning. */
  async read(): Promise<PipelineInput[] | 'other' | null> {
    if (this.#zipped !== null) {
      const { value, done } = await this.#zipped.next();
      return done === true ? null : [...value];
    }
    const beginning = await headOf(this.#file);
    if (Buffer.compare(beginning, this.#beginning) !== 0) return 'other';
    const { bytesRead } = await this.#file.read(this.#buffer, 0, CHUNK, this.#offset);
    if (bytesRead === 0) return (await this.#file.stat()).size < this.#offset ? 'other' : null;
    this.#offset += bytesRead;
    return [...this.#reader.feed(this.#buffer.subarray(0, bytesRead))];
  }

  end(): PipelineInput[] {
    return this.#zipped === null ? [...this.#reader.end()] : [];
  }

  async close(): Promise<void> {
    await this.#zipped?.return?.();
    await this.#file.close();
  }
}

/** The bytes by which a file is known again: its head and that of its first packet, with the time. */
async function headOf(file: FileHandle): Promise<Uint8Array> {
  const head = new Uint8Array(HEAD_BYTES);
  const { bytesRead } = await file.read(head, 0, HEAD_BYTES, 0);
  return head.subarray(0, bytesRead);
}

/** Bytes read at once. */
const CHUNK = 256 * 1024;
/** A pcap file's header and its first packet's: 24 and 16 bytes. pcapng's first packet comes later, and its blocks differ. */
const HEAD_BYTES = 40;
