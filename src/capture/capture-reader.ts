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
  readonly #lineFeeds = new LineFeeds();
  /** Bytes by which the format is recognised, or text before it is. */
  #needed = MAGIC_BYTES;
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
      const needed = this.#scanner === null ? this.#needed : this.#scanner.needed;
      const take = Math.min(needed - partial.length, chunk.length - at);
      partial.push(chunk.subarray(at, at + take));
      at += take;
      // The next push, within this call, moves the bytes of the queue: frames from it are copies.
      if (partial.length >= needed) partial.consume(this.#read(partial.peek(), true, false));
    }
    this.#lineFeeds.add(chunk);
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
    if (this.#log.isDamaged && this.#lineFeeds.areOfTerminal)
      this.#log.notice('capture.through-terminal', `${this.#lineFeeds.count} line feeds`);
    this.#log.end(this.#format ?? 'unknown');
    return this.#log.take();
  }

  /** Reads whole records from the start of `bytes`. @returns the number of consumed bytes. */
  #read(bytes: Uint8Array, copy: boolean, final: boolean): number {
    if (this.#scanner === null) {
      if (bytes.length < this.#needed && !final) return 0;
      if (bytes.length < MAGIC_BYTES) return 0;
      if (!isCapture(bytes)) {
        const start = afterText(bytes);
        if (start === MORE_TEXT && !final) {
          this.#needed = bytes.length + 1;
          return 0;
        }
        if (start > 0) {
          this.#log.notice('capture.text-before', `${start} bytes`);
          this.#needed = MAGIC_BYTES;
          return start + this.#read(bytes.subarray(start), copy, final);
        }
      }
      this.#format = isPcapng(bytes) ? 'pcapng' : isPcap(bytes) ? 'pcap' : 'unknown';
      if (this.#format === 'unknown') return bytes.length;
      const layout = this.#format === 'pcap' ? new PcapLayout(this.#log) : new PcapngLayout(this.#log);
      this.#scanner = new RecordScanner(layout, this.#log);
    }
    return this.#scanner.read(bytes, copy, final);
  }
}

/** Counts line feeds until one has no carriage return before it: a terminal writes both (termios(3): ONLCR). */
class LineFeeds {
  count = 0;
  #isOver = false;
  #last = 0;

  get areOfTerminal(): boolean {
    return !this.#isOver && this.count >= FEW_LINE_FEEDS;
  }

  add(bytes: Uint8Array): void {
    if (this.#isOver || bytes.length === 0) return;
    for (let at = bytes.indexOf(LINE_FEED); at >= 0 && !this.#isOver; at = bytes.indexOf(LINE_FEED, at + 1)) {
      this.#isOver = (at === 0 ? this.#last : bytes[at - 1]) !== CARRIAGE_RETURN;
      this.count += 1;
    }
    this.#last = bytes[bytes.length - 1];
  }
}

/** @returns where a capture begins after lines of text; 0: there is none; MORE_TEXT: it may follow. */
function afterText(bytes: Uint8Array): number {
  for (let at = 0; at < bytes.length && at < MAX_TEXT; at++) {
    const byte = bytes[at];
    if (byte === LINE_FEED && at + 1 < bytes.length && !isTextByte(bytes[at + 1])) {
      if (at + 1 + MAGIC_BYTES > bytes.length) return MORE_TEXT;
      return isCapture(bytes.subarray(at + 1)) ? at + 1 : 0;
    }
    // pcapng begins with a line feed.
    if (byte === LINE_FEED && at + 1 + MAGIC_BYTES <= bytes.length && isCapture(bytes.subarray(at + 1))) return at + 1;
    if (!isTextByte(byte)) return 0;
  }
  return bytes.length < MAX_TEXT ? MORE_TEXT : 0;
}

function isTextByte(byte: number): boolean {
  return (
    (byte >= 0x20 && byte !== 0x7f && byte < 0xf5) || byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === 0x09
  );
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** So many may have one by chance. */
const FEW_LINE_FEEDS = 4;
const MORE_TEXT = -1;
/** Limit in bytes: lines before a capture that are skipped: messages of tcpdump, kubectl, ssh. */
const MAX_TEXT = 4096;
/** Bytes by which a format is recognised. */
export const MAGIC_BYTES = 4;
