// A body with Content-Encoding gzip, cut into messages while it comes (RFC 1952). Knows where members begin and what comes
// out of them; not what is in it: that is for the splitter inside. Kubernetes 1.37 sends what a streaming list tells at a
// time as a member of its own (k8s.io/apiserver, endpoints/handlers/watch.go: perFlushGzipWriter), so reading goes on with
// the next member after a loss, and where the capture began later than the watch.
//
//   pieces    [ member ]       [ member … ][ … ][ … member ]      [ … ][ … member ][ member ]
//             at once          step by step                       stepped over      at once

import { gunzipSync } from 'node:zlib';
import { Gunzip } from 'fflate';
import { u32le } from '../../core/bytes/bytes.js';
import type { Origin } from '../../core/origin.js';
import { MAX_DECODED_BYTES, MAX_RATIO } from '../exchange/content.js';
import type { MessageFramer, MessageSink } from './message-framer.js';

/** Bytes that a stream may become before it has come far: some events. */
export const FIRST_BYTES = 64 * 1024;
/** Messages that a stream may have before it has come far. */
export const FIRST_ITEMS = 64;
/** Compressed bytes that each further message takes, or there are none: 20 where thousands of them are the same but for uid. */
export const BYTES_AN_ITEM = 16;

export class GzipItems implements MessageFramer {
  readonly #inside: MessageFramer;
  readonly #counted = new CountedItems();
  readonly #readers: MemberReaders;
  /** undefined: the head may have said it where it was not captured; the first piece tells. */
  #isGzip: boolean | undefined;
  /** Of a member that comes in several pieces. */
  #reader: MemberReader | null = null;
  #came = 0;
  #became = 0;
  #isLimited = false;

  /** @param inside gets what is inflated, each time as a piece. @param isCertain the head says that it is gzip. */
  constructor(inside: MessageFramer, readers: MemberReaders, isCertain: boolean) {
    this.#inside = inside;
    this.#readers = readers;
    this.#isGzip = isCertain ? true : undefined;
  }

  feed(bytes: Uint8Array, origin: Origin, sink: MessageSink): void {
    this.#isGzip ??= beginsMember(bytes);
    if (!this.#isGzip) {
      this.#inside.feed(bytes, origin, sink);
      return;
    }
    this.#came += bytes.length;
    this.#counted.most = FIRST_ITEMS + this.#came / BYTES_AN_ITEM;
    const isFine = this.#room > 0 && this.#read(bytes, origin, sink);
    if (!isFine) this.#lose(bytes.length, origin, sink);
    else if (this.#room <= 0) this.#lose(0, origin, sink);
  }

  gap(length: number | null, origin: Origin, sink: MessageSink): void {
    this.#close();
    this.#inside.gap(this.#isGzip === true ? null : length, origin, sink);
  }

  end(origin: Origin, sink: MessageSink): void {
    this.#close();
    this.#inside.end(origin, sink);
  }

  /** Bytes that may still come out. */
  get #room(): number {
    return this.#counted.isFull ? 0 : FIRST_BYTES + MAX_RATIO * this.#came - this.#became;
  }

  /** @returns false: the piece belongs to no member, or to a broken one. */
  #read(bytes: Uint8Array, origin: Origin, sink: MessageSink): boolean {
    const pass = (inflated: Uint8Array): void => {
      this.#became += inflated.length;
      if (this.#room < 0 || this.#counted.isFull) return;
      this.#counted.sink = sink;
      this.#inside.feed(inflated, origin, this.#counted);
    };
    if (this.#reader === null) {
      const whole = beginsMember(bytes) ? wholeMember(bytes, this.#room) : 'broken';
      if (whole instanceof Uint8Array) {
        pass(whole);
        return true;
      }
      this.#reader = whole === 'goes on' ? this.#readers.open() : null;
    }
    const reader = this.#reader;
    const isFine = reader?.feed(bytes, this.#room, pass) === true;
    if (isFine && reader?.isAtEnd === true) this.#close();
    return isFine;
  }

  /** Reading goes on with the next member. @param skipped bytes that could not be read. */
  #lose(skipped: number, origin: Origin, sink: MessageSink): void {
    this.#close();
    if (this.#room <= 0 && !this.#isLimited) {
      this.#isLimited = true;
      sink.onDecompressionLimit(this.#came, this.#became, origin);
    }
    if (skipped > 0) sink.onSkipped(skipped, origin);
    this.#inside.gap(null, origin, sink);
  }

  #close(): void {
    if (this.#reader === null) return;
    this.#readers.close();
    this.#reader = null;
  }
}

/** Passes messages on, up to so many. */
class CountedItems implements MessageSink {
  sink: MessageSink | null = null;
  most = 0;
  #items = 0;

  get isFull(): boolean {
    return this.#items >= this.most;
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

  onDecompressionLimit(...much: Parameters<MessageSink['onDecompressionLimit']>): void {
    this.sink!.onDecompressionLimit(...much);
  }
}

/** May a gzip member begin here? Its two bytes, the only method there is, no flag that nobody knows: as far as they came. */
export function beginsMember(bytes: Uint8Array): boolean {
  for (let i = 0; i < MEMBER.length && i < bytes.length; i++) if (bytes[i] !== MEMBER[i]) return false;
  return bytes.length > 0 && (bytes.length <= FLAGS || (bytes[FLAGS] & UNKNOWN_FLAGS) === 0);
}

/** Of one piece; its sum is checked. `goes on`: behind it, or it would become more than `room` bytes or is long. */
function wholeMember(bytes: Uint8Array, room: number): Uint8Array | 'goes on' | 'broken' {
  if (room <= 0) return 'broken';
  try {
    return gunzipSync(bytes, { maxOutputLength: Math.min(room, MAX_DECODED_BYTES) });
  } catch (error) {
    // What is too long is read up to the limit.
    const { code } = error as { code?: unknown };
    return code === 'Z_BUF_ERROR' || code === 'ERR_BUFFER_TOO_LARGE' ? 'goes on' : 'broken';
  }
}

const MEMBER = [0x1f, 0x8b, 8];
const FLAGS = 3;
const UNKNOWN_FLAGS = 0xe0;

/** Members that are being read step by step at a time, of all connections: each keeps some 100 KiB, its last 32 among them. */
export const MAX_MEMBER_READERS = 256;

/** How many there are at a time. Who opens one closes it. */
export class MemberReaders {
  #open = 0;

  get size(): number {
    return this.#open;
  }

  /** null: there are too many. */
  open(): MemberReader | null {
    if (this.#open >= MAX_MEMBER_READERS) return null;
    this.#open += 1;
    return new MemberReader();
  }

  close(): void {
    this.#open -= 1;
  }
}

export class MemberReader {
  readonly #gunzip: Gunzip;
  readonly #out: Uint8Array[] = [];
  /** What came out of the member that is being read. */
  #became = 0;
  #tail: Uint8Array = new Uint8Array(TRAILER);

  constructor() {
    this.#gunzip = new Gunzip((inflated) => {
      this.#became += inflated.length;
      this.#out.push(inflated);
    });
    this.#gunzip.onmember = () => {
      this.#became = 0;
    };
  }

  /**
   * @param bytes borrowed. @param room bytes that may come out of them; what STEP can become is passed beyond it.
   * @param pass gets what comes out, its to keep.
   * @returns false: it is broken, or more would come out; nothing more can be read.
   */
  feed(bytes: Uint8Array, room: number, pass: (inflated: Uint8Array) => void): boolean {
    let left = room;
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

  /** Has all of the member been read? Its last four bytes say how long it is. */
  get isAtEnd(): boolean {
    return u32le(this.#tail, TRAILER - 4) === this.#became >>> 0 && this.#became > 0;
  }
}

/** The last bytes of both. */
function tailOf(before: Uint8Array, bytes: Uint8Array): Uint8Array {
  if (bytes.length >= TRAILER) return bytes.slice(bytes.length - TRAILER);
  const tail = new Uint8Array(TRAILER);
  tail.set(before.subarray(bytes.length));
  tail.set(bytes, TRAILER - bytes.length);
  return tail;
}

/** CRC:4 length:4 */
const TRAILER = 8;
/** Bytes that are inflated at a time: they become at most 1 MiB. */
const STEP = 1024;
