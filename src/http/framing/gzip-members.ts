// Inflates a gzip-encoded body in pieces and cuts it into messages (RFC 1952). Kubernetes 1.37 flushes each part of a streaming list as
// a member of its own (k8s.io/apiserver, endpoints/handlers/watch.go: perFlushGzipWriter), so reading continues with the next member
// after a loss, and if the capture began later than the watch.
//
//   pieces    [ member ]       [ member … ][ … ][ … member ]      [ … ][ … member ][ member ]
//             at once          step by step                       skipped           at once

import { Gunzip } from 'fflate';
import { u32le } from '../../core/bytes/bytes.js';
import { signatureAt } from '../../core/first-bytes.js';
import type { Origin } from '../../core/origin.js';
import { gunzip } from '../../platform/compression.js';
import { MAX_DECODED_BYTES, MAX_RATIO } from '../exchange/content.js';
import type { MessageFramer, MessageSink } from './message-framer.js';

/** Limit in bytes: what a compressed stream may become at its beginning: some events; then `MAX_RATIO` times what came more. */
export const FIRST_BYTES = 64 * 1024;
/** Limit: messages that a compressed stream may have at its beginning. */
export const FIRST_ITEMS = 64;
/** Limit in bytes: compressed, for each further message: objects differ in their uid, and thousands that differ in nothing else need 20. */
export const BYTES_AN_ITEM = 16;

export class GzipItems implements MessageFramer {
  readonly #framer: MessageFramer;
  readonly #counted = new CountedItems();
  readonly #readers: MemberReaders;
  /** undefined until the first piece, if the head was not captured completely. */
  #isGzip: boolean | undefined;
  /** Reader of a member in several pieces. */
  #reader: MemberReader | null = null;
  #compressed = 0;
  #inflated = 0;
  #isLimited = false;

  /** @param framer receives the inflated bytes. @param isCertain the head declares gzip. */
  constructor(framer: MessageFramer, readers: MemberReaders, isCertain: boolean) {
    this.#framer = framer;
    this.#readers = readers;
    this.#isGzip = isCertain ? true : undefined;
  }

  feed(bytes: Uint8Array, origin: Origin, sink: MessageSink): void {
    this.#isGzip ??= beginsMember(bytes);
    if (!this.#isGzip) {
      this.#framer.feed(bytes, origin, sink);
      return;
    }
    this.#compressed += bytes.length;
    this.#counted.limit = FIRST_ITEMS + this.#compressed / BYTES_AN_ITEM;
    const isRead = this.#allowance > 0 && this.#read(bytes, origin, sink);
    if (!isRead) this.#skip(bytes.length, origin, sink);
    else if (this.#allowance <= 0) this.#skip(0, origin, sink);
  }

  gap(length: number | null, origin: Origin, sink: MessageSink): void {
    this.#close();
    this.#framer.gap(this.#isGzip === true ? null : length, origin, sink);
  }

  end(origin: Origin, sink: MessageSink): void {
    this.#close();
    this.#framer.end(origin, sink);
  }

  /** Bytes that may still be inflated. */
  get #allowance(): number {
    return this.#counted.isFull ? 0 : FIRST_BYTES + MAX_RATIO * this.#compressed - this.#inflated;
  }

  /** @returns false if the piece belongs to no member, or to a broken one. */
  #read(bytes: Uint8Array, origin: Origin, sink: MessageSink): boolean {
    const pass = (inflated: Uint8Array): void => {
      this.#inflated += inflated.length;
      if (this.#allowance < 0 || this.#counted.isFull) return;
      this.#counted.sink = sink;
      this.#framer.feed(inflated, origin, this.#counted);
    };
    if (this.#reader === null) {
      const whole = beginsMember(bytes) ? wholeMember(bytes, this.#allowance) : 'broken';
      if (whole instanceof Uint8Array) {
        pass(whole);
        return true;
      }
      this.#reader = whole === 'continues' ? this.#readers.open() : null;
    }
    const reader = this.#reader;
    const isRead = reader?.feed(bytes, this.#allowance, pass) === true;
    if (isRead && reader?.isAtEnd === true) this.#close();
    return isRead;
  }

  /** Skips to the next member. @param skipped bytes that could not be read. */
  #skip(skipped: number, origin: Origin, sink: MessageSink): void {
    this.#close();
    if (this.#allowance <= 0 && !this.#isLimited) {
      this.#isLimited = true;
      sink.onDecompressionLimit(this.#compressed, this.#inflated, origin);
    }
    if (skipped > 0) sink.onSkipped(skipped, origin);
    this.#framer.gap(null, origin, sink);
  }

  #close(): void {
    if (this.#reader === null) return;
    this.#readers.close();
    this.#reader = null;
  }
}

/** Passes on messages up to a limit. */
class CountedItems implements MessageSink {
  sink: MessageSink | null = null;
  limit = 0;
  #items = 0;

  get isFull(): boolean {
    return this.#items >= this.limit;
  }

  onMessage(...message: Parameters<MessageSink['onMessage']>): boolean {
    this.#items += 1;
    return this.sink!.onMessage(...message) && !this.isFull;
  }

  onSkipped(...bytes: Parameters<MessageSink['onSkipped']>): void {
    this.sink!.onSkipped(...bytes);
  }

  onTooLong(origin: Origin): void {
    this.sink!.onTooLong(origin);
  }

  onDecompressionLimit(...limit: Parameters<MessageSink['onDecompressionLimit']>): void {
    this.sink!.onDecompressionLimit(...limit);
  }
}

/** Whether a gzip member can begin here: its magic bytes, the only method, no unknown flag, as far as there are bytes. */
export function beginsMember(bytes: Uint8Array): boolean {
  if (bytes.length === 0 || signatureAt(bytes, 0, MEMBER) === 'no') return false;
  return bytes.length <= FLAGS || (bytes[FLAGS] & UNKNOWN_FLAGS) === 0;
}

/** Inflates a member in one piece and verifies its checksum. `continues`: it is longer, or its output exceeds the limits. */
function wholeMember(bytes: Uint8Array, allowance: number): Uint8Array | 'continues' | 'broken' {
  if (allowance <= 0) return 'broken';
  const whole = gunzip(bytes, { maxBytes: Math.min(allowance, MAX_DECODED_BYTES) });
  // A member with too much output is inflated step by step up to the limit.
  return whole === 'cut' || whole === 'too large' ? 'continues' : whole;
}

const MEMBER = Uint8Array.of(0x1f, 0x8b, 8);
const FLAGS = 3;
const UNKNOWN_FLAGS = 0xe0;

/** Limit: open gzip members of all connections that come in several pieces, some 100 KiB each with the window of 32 KiB. */
export const MAX_MEMBER_READERS = 256;

/** Limits the number of open member readers. */
export class MemberReaders {
  #open = 0;

  get size(): number {
    return this.#open;
  }

  /** @returns null if the limit is reached; otherwise the caller must call `close` once. */
  open(): MemberReader | null {
    if (this.#open >= MAX_MEMBER_READERS) return null;
    this.#open += 1;
    return new MemberReader();
  }

  close(): void {
    this.#open -= 1;
  }
}

/**
 * Inflates members step by step, which zlib of Node.js does only asynchronously. Checksums are not verified, because the output is passed on
 * before they arrive.
 */
export class MemberReader {
  readonly #gunzip: Gunzip;
  readonly #out: Uint8Array[] = [];
  /** Inflated bytes of the current member. */
  #inflated = 0;
  #tail: Uint8Array = new Uint8Array(TRAILER);

  constructor() {
    this.#gunzip = new Gunzip((inflated) => {
      this.#inflated += inflated.length;
      this.#out.push(inflated);
    });
    this.#gunzip.onmember = () => {
      this.#inflated = 0;
    };
  }

  /**
   * @param bytes borrowed. @param allowance bytes that may be inflated; the output of one STEP may exceed it.
   * @param pass receives the output and may keep it.
   * @returns false if the member is broken or the allowance was exceeded; then nothing more can be read.
   */
  feed(bytes: Uint8Array, allowance: number, pass: (inflated: Uint8Array) => void): boolean {
    let left = allowance;
    for (let at = 0; at < bytes.length; at += STEP) {
      const step = bytes.slice(at, at + STEP);
      try {
        this.#gunzip.push(step);
      } catch {
        return false;
      }
      for (const inflated of this.#out.splice(0)) {
        left -= inflated.length;
        pass(inflated);
      }
      if (left <= 0) return false;
    }
    this.#tail = tailOf(this.#tail, bytes);
    return true;
  }

  /** Whether the member was read to its end: its last four bytes are its inflated length. */
  get isAtEnd(): boolean {
    return u32le(this.#tail, TRAILER - 4) === this.#inflated >>> 0 && this.#inflated > 0;
  }
}

/** The last TRAILER bytes of both. */
function tailOf(before: Uint8Array, bytes: Uint8Array): Uint8Array {
  if (bytes.length >= TRAILER) return bytes.slice(bytes.length - TRAILER);
  const tail = new Uint8Array(TRAILER);
  tail.set(before.subarray(bytes.length));
  tail.set(bytes, TRAILER - bytes.length);
  return tail;
}

/** CRC:4 length:4 */
const TRAILER = 8;
/** Compressed bytes that are inflated at a time, to at most 1 MiB. */
const STEP = 1024;
