// Bytes of a capture file in chunks of any size → frames. Tells the format by its first bytes, holds what straddles two
// chunks and keeps the account of the file. Knows no record layout (pcap.ts, pcapng.ts) and no packet contents.

import { ByteQueue } from '../core/bytes/byte-queue.js';
import { EMPTY_BYTES } from '../core/bytes/bytes.js';
import { NOTHING, type Stage } from '../core/stage.js';
import type { CaptureReport } from './frame.js';
import { type CaptureItem, CaptureLog } from './log.js';
import { isPcap, PcapLayout } from './pcap.js';
import { isPcapng, PcapngLayout } from './pcapng.js';
import { RecordScanner } from './scanner.js';

/**
 * Reads pcap (all byte orders and time units) and pcapng, told apart by content.
 *
 * In: chunks of the file, already un-gzipped. Out: frames whose bytes are views of the chunk (a frame that straddles
 * chunks is copied), notices, embedded secrets as they are met, and one CaptureReport at the end. What is no capture,
 * an empty input too, gives a report of format `unknown` and nothing else. Never throws.
 */
export function captureReader(options: {
  readonly capture: number;
  /** ns that are added to every frame's time: what its clock is behind those of other captures. */
  readonly shift?: bigint;
}): Stage<Uint8Array, CaptureItem> {
  return new CaptureReader(options.capture, options.shift ?? 0n);
}

/** Whether the first bytes of a file are those of a pcap or pcapng file. */
export function isCapture(firstBytes: Uint8Array): boolean {
  return isPcap(firstBytes) || isPcapng(firstBytes);
}

/** True for the first bytes of a gzip file (RFC 1952 section 2.3.1). Three bytes decide. */
export function isGzip(firstBytes: Uint8Array): boolean {
  return firstBytes.length >= 3 && firstBytes[0] === 0x1f && firstBytes[1] === 0x8b && firstBytes[2] === 8;
}

/** False for the first bytes of a classic pcap, which has no place for TLS secrets. Four bytes decide. */
export function mayHoldSecrets(firstBytes: Uint8Array): boolean {
  return firstBytes.length < MAGIC_BYTES || !isPcap(firstBytes);
}

class CaptureReader implements Stage<Uint8Array, CaptureItem> {
  readonly #log: CaptureLog;
  #format: CaptureReport['format'] | null = null;
  #scanner: RecordScanner | null = null;
  /** The beginning of a record whose end is in a chunk to come. */
  readonly #held = new ByteQueue();

  constructor(capture: number, shift: bigint) {
    this.#log = new CaptureLog(capture, shift);
  }

  feed(given: Uint8Array): readonly CaptureItem[] {
    if (this.#format === 'unknown') return NOTHING;
    const chunk = new Uint8Array(given.buffer, given.byteOffset, given.length);
    const held = this.#held;
    let at = 0;
    while (held.length > 0 && at < chunk.length) {
      const needed = this.#scanner === null ? MAGIC_BYTES : this.#scanner.needed;
      const take = Math.min(needed - held.length, chunk.length - at);
      held.push(chunk.subarray(at, at + take));
      at += take;
      // The queue's bytes move with its next push, within this very call: frames out of it are copies.
      if (held.length >= needed) held.consume(this.#read(held.peek(), true, false));
    }
    if (at < chunk.length) {
      const rest = at === 0 ? chunk : chunk.subarray(at);
      held.push(rest.subarray(this.#read(rest, false, false)));
    }
    return this.#log.take();
  }

  end(): readonly CaptureItem[] {
    if (this.#held.length > 0) this.#read(this.#held.peek(), true, true);
    else this.#scanner?.read(EMPTY_BYTES, true, true);
    this.#held.clear();
    this.#log.end(this.#format ?? 'unknown');
    return this.#log.take();
  }

  /** Reads whole records from the start of `bytes`; returns how many bytes are done with. */
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

/** Every format is told by its first four bytes. */
export const MAGIC_BYTES = 4;
