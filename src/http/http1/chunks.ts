// Reads the chunked transfer coding (RFC 9112 section 7.1), from any chunk on, because a capture may begin in the middle of a watch.

import { addFieldLine, MAX_HEAD_BYTES } from './head.js';

/** Limit in bytes: a line with a chunk size and extensions, which are not used in practice; llhttp and Go stop at 16 and 4 KiB. */
export const MAX_CHUNK_LINE = 4096;

//   1 f 4 ; e = 1 CR LF  { " t y p e ... }  CR LF  0 CR LF  Expires: 0 CR LF  CR LF
//   SIZE  EXTENSION      DATA               END    SIZE     TRAILER                 DONE
const SIZE = 0;
const EXTENSION = 1;
const DATA = 2;
const END = 3;
const TRAILER = 4;
const DONE = 5;
const BROKEN = 6;

export class ChunkReader {
  /** Content in the bytes of the latest `read`. */
  dataStart = 0;
  dataEnd = 0;
  /** Names and values in turn. */
  trailers: string[] = [];
  #state = SIZE;
  /** SIZE: value so far; DATA: remaining bytes. */
  #size = 0;
  #digits = 0;
  #lineLength = 0;
  #line = '';

  /** To be called before each body. */
  restart(): void {
    this.#state = SIZE;
    this.#size = 0;
    this.#digits = 0;
    this.#lineLength = 0;
    if (this.trailers.length > 0) this.trailers = [];
    this.#line = '';
  }

  get done(): boolean {
    return this.#state === DONE;
  }

  get broken(): boolean {
    return this.#state === BROKEN;
  }

  /** Skips lost bytes. @returns false if they may reach beyond the current chunk. */
  skip(length: number): boolean {
    if (this.#state !== DATA || length > this.#size) return false;
    this.#take(length);
    return true;
  }

  /**
   * Reads up to the end of a piece of content, of the body or of the bytes, or to an error.
   * @returns the position after the last byte used; an invalid byte is not used.
   */
  read(bytes: Uint8Array, start: number): number {
    let at = start;
    this.dataStart = at;
    this.dataEnd = at;
    while (at < bytes.length) {
      switch (this.#state) {
        case SIZE:
          at = this.#readSize(bytes, at);
          break;
        case EXTENSION:
          at = this.#readExtension(bytes, at);
          break;
        case DATA:
          this.dataStart = at;
          this.dataEnd = Math.min(bytes.length, at + this.#size);
          this.#take(this.dataEnd - at);
          return this.dataEnd;
        case END:
          // CR LF or LF; #lineLength is 1 after the CR.
          if (bytes[at] === LF) this.restart();
          else if (bytes[at] === CR && this.#lineLength === 0) this.#lineLength = 1;
          else this.#state = BROKEN;
          if (this.#state !== BROKEN) at += 1;
          break;
        case TRAILER:
          at = this.#readTrailer(bytes, at);
          break;
        default:
          return at;
      }
    }
    return at;
  }

  #take(length: number): void {
    this.#size -= length;
    if (this.#size > 0) return;
    this.#state = END;
    this.#lineLength = 0;
  }

  #readSize(bytes: Uint8Array, start: number): number {
    let at = start;
    for (; at < bytes.length; at++) {
      const digit = hexDigit(bytes[at]);
      if (digit < 0) {
        this.#state = this.#digits > 0 && endsSize(bytes[at]) ? EXTENSION : BROKEN;
        this.#lineLength = this.#digits;
        return at;
      }
      this.#size = this.#size * 16 + digit;
      this.#digits += 1;
      if (this.#digits > MAX_SIZE_DIGITS || this.#size > Number.MAX_SAFE_INTEGER) {
        this.#state = BROKEN;
        return at;
      }
    }
    return at;
  }

  #readExtension(bytes: Uint8Array, start: number): number {
    for (let at = start; at < bytes.length; at++) {
      if (bytes[at] === LF) {
        this.#state = this.#size > 0 ? DATA : TRAILER;
        this.#lineLength = 0;
        return at + 1;
      }
      this.#lineLength += 1;
      if (this.#lineLength > MAX_CHUNK_LINE) {
        this.#state = BROKEN;
        return at;
      }
    }
    return bytes.length;
  }

  // Trailer lines are limited to MAX_HEAD_BYTES in all.
  #readTrailer(bytes: Uint8Array, start: number): number {
    for (let at = start; at < bytes.length; at++) {
      if (bytes[at] !== LF) {
        this.#line += String.fromCharCode(bytes[at]);
        this.#lineLength += 1;
        if (this.#lineLength <= MAX_HEAD_BYTES) continue;
        this.#state = BROKEN;
        return at;
      }
      const line = this.#line.endsWith('\r') ? this.#line.slice(0, -1) : this.#line;
      this.#line = '';
      if (line === '') {
        this.#state = DONE;
        return at + 1;
      }
      addFieldLine(line, this.trailers);
    }
    return bytes.length;
  }
}

/**
 * Whether a chunk begins here (`1f4 CR LF`, so many bytes, CR LF), to resume reading after a loss.
 * @param atSegmentStart a server writes whole chunks, so a chunk longer than the segment is only accepted at its start.
 */
export function chunkBegins(bytes: Uint8Array, start: number, atSegmentStart: boolean): boolean {
  const { size, data } = chunkSizeAt(bytes, start);
  if (size <= 0) return false;
  const end = data + size;
  if (end + 1 < bytes.length) return bytes[end] === CR && bytes[end + 1] === LF;
  return atSegmentStart && data < bytes.length && !isRestOfHead(bytes, data);
}

/** `ed CR LF CR LF` is the end of `Transfer-Encoding: chunked`, and `393 CR LF Date: …` that of a length, not a chunk size. */
function isRestOfHead(bytes: Uint8Array, start: number): boolean {
  if (bytes[start] === CR) return true;
  let at = start;
  while (at < bytes.length && (bytes[at] === HYPHEN || ((bytes[at] | 0x20) - 0x61) >>> 0 < 26)) at += 1;
  return at > start && bytes[at] === COLON && bytes[at + 1] === SPACE;
}

/**
 * Reads a chunk size of up to six digits without extension.
 * @returns `size` in bytes, -1 without one; `data`: position of the content. Borrowed until the next call.
 */
export function chunkSizeAt(bytes: Uint8Array, start: number): { readonly size: number; readonly data: number } {
  let size = 0;
  let at = start;
  for (let digit = hexDigit(bytes[at]); digit >= 0 && at - start < 6; digit = hexDigit(bytes[at])) {
    size = size * 16 + digit;
    at += 1;
  }
  const isLine = at > start && bytes[at] === CR && bytes[at + 1] === LF;
  FOUND.size = isLine ? size : -1;
  FOUND.data = at + 2;
  return FOUND;
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

function endsSize(byte: number): boolean {
  return byte === CR || byte === LF || byte === SEMICOLON || byte === SPACE || byte === TAB;
}

/** Shared result, because thousands of lines are tried. */
const FOUND = { size: -1, data: 0 };
const CR = 0x0d;
const LF = 0x0a;
const TAB = 0x09;
const SPACE = 0x20;
const SEMICOLON = 0x3b;
const COLON = 0x3a;
const HYPHEN = 0x2d;
/** Limit: digits of a chunk's size. */
const MAX_SIZE_DIGITS = 16;
