// Reads frames from the bytes of a capture file, in chunks of any size.

import { ByteQueue } from '../core/bytes/byte-queue.js';
import { EMPTY_BYTES } from '../core/bytes/bytes.js';
import { NOTHING, type Stage } from '../core/stage.js';
import type { CaptureReport } from './frame.js';
import { type CaptureItem, CaptureLog } from './log.js';
import { isPcap, PcapLayout } from './pcap.js';
import { isPcapng, PcapngLayout } from './pcapng.js';
import { RecordScanner } from './scanner.js';

/**
 * Reads pcap (all byte orders and time units) and pcapng, recognised by content.
 *
 * In: chunks of the file, already decompressed. Out: frames whose bytes are views of the chunk (a frame that spans two
 * chunks is copied), notices, embedded secrets, and one CaptureReport at the end. An input that is no capture, or empty, yields
 * a report of format `unknown` and nothing else. Never throws.
 */
export function captureReader(options: {
  readonly capture: number;
  /** ns that are added to the time of every frame, if the clock is behind those of other captures. */
  readonly shift?: bigint;
}): Stage<Uint8Array, CaptureItem> {
  return new CaptureReader(options.capture, options.shift ?? 0n);
}

/** Whether a file begins as a pcap or pcapng file does. */
export function isCapture(firstBytes: Uint8Array): boolean {
  return isPcap(firstBytes) || isPcapng(firstBytes);
}

/** True for the first bytes of a gzip file (RFC 1952 section 2.3.1). Three bytes decide. */
export function isGzip(firstBytes: Uint8Array): boolean {
  return firstBytes.length >= 3 && firstBytes[0] === 0x1f && firstBytes[1] === 0x8b && firstBytes[2] === 8;
}

/** False for the first bytes of a classic pcap, which cannot contain TLS secrets. Four bytes decide. */
export function mayHoldSecrets(firstBytes: Uint8Array): boolean {
  return firstBytes.length < MAGIC_BYTES || !isPcap(firstBytes);
}

class CaptureReader implements Stage<Uint8Array, CaptureItem> {
  readonly #log: CaptureLog;
  #format: CaptureReport['format'] | null = null;
  #scanner: RecordScanner | null = null;
  /** The beginning of a record that continues in the next chunk. */
  readonly #partial = new ByteQueue();

  constructor(capture: number, shift: bigint) {
    this.#log = new CaptureLog(capture, shift);
  }

  feed(given: Uint8Array): readonly CaptureItem[] {
    if (this.#format === 'unknown') return NOTHING;
    const chunk = new Uint8Array(given.buffer, given.byteOffset, given.length);
    const partial = this.#partial;
    let at = 0;
    while (partial.length > 0 && at < chunk.length) {
      const needed = this.#scanner === null ? MAGIC_BYTES : this.#scanner.needed;
      const take = Math.min(needed - partial.length, chunk.length - at);
      partial.push(chunk.subarray(at, at + take));
      at += take;
      // The next push, within this call, moves the bytes of the queue: frames from it are copies.
      if (partial.length >= needed) partial.consume(this.#read(partial.peek(), true, false));
    }
    if (at < chunk.length) {
      const rest = at === 0 ? chunk : chunk.subarray(at);
      partial.push(rest.subarray(this.#read(rest, false, false)));
    }
    return this.#log.take();
  }

  end(): readonly CaptureItem[] {
    if (this.#partial.length > 0) this.#read(this.#partial.peek(), true, true);
    else this.#scanner?.read(EMPTY_BYTES, true, true);
    this.#partial.clear();
    this.#log.end(this.#format ?? 'unknown');
    return this.#log.take();
  }

  /** Reads whole records from the start of `bytes`. @returns the number of consumed bytes. */
  #read(bytes: Uint8Array, copy: boolean, final: boolean): number {
    if (this.#scanner === null) {
      if (bytes.length < MAGIC_BYTES) return 0;
      this.#format = isPcapng(bytes) ? 'pcapng' : isPcap(bytes) ? 'pcap' : 'unknown';
      if (this.#format === 'unknown') return bytes.length;
      const layout = this.#format === 'pcap' ? new PcapLayout(this.#log) : new PcapngLayout(this.#log);
      this.#scanner = new RecordScanner(layout, this.#log);
    }
    return this.#scanner.read(bytes, copy, final);
  }
}

/** Bytes by which a format is recognised. */
export const MAGIC_BYTES = 4;
