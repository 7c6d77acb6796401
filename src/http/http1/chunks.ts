// Reads the chunked transfer coding (RFC 9112 section 7.1) of any cut of its bytes. Knows sizes and line ends, not what
// the chunks hold. Can begin at any chunk, as a capture does that starts in the middle of a watch.

import { addFieldLine, MAX_HEAD_BYTES } from './head.js';

/** Longest line with a chunk's size and extensions, in bytes: extensions are never used; llhttp and Go stop at 16 and 4 KiB. */
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
  /** Part of the bytes fed to the last `read` that is content. */
  dataStart = 0;
  dataEnd = 0;
  /** Fields after the last chunk, name and value in turn. */
  trailers: string[] = [];
  #state = SIZE;
  /** SIZE: value so far; DATA: bytes still to come. */
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

  /** Steps over lost bytes; false if they may reach beyond the chunk being read. */
  skip(length: number): boolean {
    if (this.#state !== DATA || length > this.#size) return false;
    this.#take(length);
    return true;
  }

  /**
   * Reads on until a piece of content was found, the body is done or broken, or the bytes are used up.
   *
   * @returns the position after the last byte that was used; for a broken body the byte that breaks it is not.
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
          // CR LF, or LF alone; #lineLength tells whether the CR was there.
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

  // Lines are gathered in a string, at most MAX_HEAD_BYTES of them all together.
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
 * Does a chunk begin here: `1f4 CR LF`, that many bytes, CR LF? For reading on after a loss.
 *
 * @param atSegmentStart a server writes its chunks whole, so that a chunk longer than the segment is believed there, and
 *   only there.
 */
export function chunkBegins(bytes: Uint8Array, start: number, atSegmentStart: boolean): boolean {
  const { size, data } = chunkSizeAt(bytes, start);
  if (size <= 0) return false;
  const end = data + size;
  if (end + 1 < bytes.length) return bytes[end] === CR && bytes[end + 1] === LF;
  return atSegmentStart && data < bytes.length && !isRestOfHead(bytes, data);
}

/** `ed CR LF CR LF` is the end of `Transfer-Encoding: chunked`, `393 CR LF Date: …` that of a length: no chunk's size. */
function isRestOfHead(bytes: Uint8Array, start: number): boolean {
  if (bytes[start] === CR) return true;
  let at = start;
  while (at < bytes.length && (bytes[at] === HYPHEN || ((bytes[at] | 0x20) - 0x61) >>> 0 < 26)) at += 1;
  return at > start && bytes[at] === COLON && bytes[at + 1] === SPACE;
}

/**
 * The line with a chunk's size, if one begins here that is short enough to be believed and has no extension.
 *
 * @returns `size` in bytes, -1 if there is none; `data`: where the chunk's bytes begin. Borrowed until the next call.
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

/** Lines are looked at by the thousand: no object is made for each. */
const FOUND = { size: -1, data: 0 };
const CR = 0x0d;
const LF = 0x0a;
const TAB = 0x09;
const SPACE = 0x20;
const SEMICOLON = 0x3b;
const COLON = 0x3a;
const HYPHEN = 0x2d;
const MAX_SIZE_DIGITS = 16;
