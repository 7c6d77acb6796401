// Reads HTTP/1 heads with http-parser-js, the one file that touches it. Knows start lines and header fields; must not
// know where a body ends (http1-body.ts) or which request a response answers (http1-pairing.ts).
//
// The library reads heads only. A passive reader steps over lost bytes of a body and starts in the middle of one, which
// the library cannot; and its body states trust the numbers they read: `Content-Length: -60` or a chunk size of `-4` moves
// its position backwards (for ever), `zz` as a chunk size reads as 0. So every message ends for it with its head.

import { HTTPParser } from 'http-parser-js';
import { latin1 } from '../../core/bytes/bytes.js';
import type { RequestHead, ResponseHead } from '../http-event.js';
import { scannedEnd, scanRequest, scanResponse } from './head-scan.js';

/** Longest head, in bytes: what http-parser-js itself allows (80 KiB); Go's net/http servers stop at 1 MiB, most proxies at 8–64 KiB. */
export const MAX_HEAD_BYTES = 80 * 1024;

/** Stands for a response whose head was before the capture. */
export const HEADLESS: ResponseHead = { kind: 'response-head', version: '1.1', status: null, fields: [], partial: [] };

export type HeadKind = 'REQUEST' | 'RESPONSE';

/** Why bytes are no head. */
export type Refusal = 'malformed' | 'request-line' | 'too-long';

/** One direction's parser. `read` until it has a head, an error, or no bytes; `reset` after a gap. */
export class HeadReader {
  /** The head that the last `read` completed, else null. */
  head: RequestHead | ResponseHead | null = null;
  /**
   * Why the last `read` stopped without a head: `malformed` up to the returned position, and of a line that ends as a request
   * line does `request-line`; `too-long`; else null.
   */
  error: Refusal | null = null;
  /** Bytes of the unfinished head so far. */
  length = 0;
  readonly #kind: HeadKind;
  /** Only while a head is read that is not plain or not in one piece: a connection at rest holds none. */
  #parser: LineParser | null = null;

  constructor(kind: HeadKind) {
    this.#kind = kind;
  }

  /**
   * Goes on with a head. The result does not depend on how its bytes are cut.
   *
   * @returns the position after the last byte that was used.
   */
  read(bytes: Uint8Array, at: number): number {
    const end = Math.min(bytes.length, at + MAX_HEAD_BYTES - this.length);
    if (this.#parser === null) {
      const plain = this.#kind === 'REQUEST' ? scanRequest(bytes, at, end) : scanResponse(bytes, at, end);
      if (plain !== null) {
        this.head = plain;
        this.error = null;
        this.length = scannedEnd - at;
        return scannedEnd;
      }
      this.#parser = new LineParser(this.#kind);
    }
    const parser = this.#parser;
    parser.found = null;
    const result = parser.executeHead(bytes, at, end);
    const next = parser.offset;
    this.length += next - at;
    this.head = parser.found;
    this.error = null;
    if (result instanceof Error)
      this.error = this.#kind === 'REQUEST' && REQUEST_LINE_END.test(parser.last) ? 'request-line' : 'malformed';
    else if (parser.refused) this.error = 'malformed';
    else if (this.head === null && this.length >= MAX_HEAD_BYTES) this.error = 'too-long';
    return next;
  }

  /** Forgets an unfinished head; to be called after each head, too. */
  reset(): void {
    this.#parser = null;
    this.length = 0;
    this.head = null;
    this.error = null;
  }
}

/** Adds one trailer line (without its line end) to `fields`, by the library's rules for header lines. */
export function addFieldLine(line: string, fields: string[]): void {
  try {
    HTTPParser.prototype.parseHeader(line, fields);
  } catch {
    // A bare CR inside the line: no field.
  }
}

/** What of http-parser-js is used; its own types keep half of it private. */
interface LibraryParser {
  line: string;
  offset: number;
  end: number;
  info: {
    readonly method: string;
    readonly url: string;
    readonly statusCode: number;
    readonly versionMajor: number;
    readonly versionMinor: number;
    readonly headers: string[];
  };
  initialize(kind: HeadKind): void;
  execute(bytes: Uint8Array, start: number, length: number): number | Error;
  parseHeader(line: string, fields: string[]): void;
}

const Library = HTTPParser as unknown as new (kind: HeadKind) => LibraryParser;
// The library counts a long segment against the limit even when most of it was read as messages; HeadReader counts.
HTTPParser.maxHeaderSize = Number.POSITIVE_INFINITY;

// Two of its methods are replaced, because heads are where the time of HTTP/1 goes (both heads of an exchange, measured:
// 5.4 µs as it is, 3.2 µs so). Lines: it makes a text of each on its own; here the head becomes text once and lines are cut
// from it. End of the head: it looks for the fields that say where the body ends, which http1-body-length.ts does.
class LineParser extends Library {
  found: RequestHead | ResponseHead | null = null;
  /** Bytes went in since the last head. */
  unfinished = false;
  /** The head is complete and of no version of HTTP/1. */
  refused = false;
  /** The line that was read last. */
  last = '';
  readonly #kind: HeadKind;
  #text = '';
  #base = 0;

  constructor(kind: HeadKind) {
    super(kind);
    this.#kind = kind;
  }

  executeHead(bytes: Uint8Array, start: number, end: number): number | Error {
    // A head is seldom longer: bytes behind it are body and stay bytes.
    let textEnd = Math.min(end, start + TEXT_STEP);
    let from = start;
    for (;;) {
      this.#text = latin1(bytes, from, textEnd);
      this.#base = from;
      this.unfinished = true;
      const result = this.execute(bytes, from, textEnd - from);
      if (result instanceof Error || !this.unfinished || textEnd === end) return result;
      from = textEnd;
      textEnd = Math.min(end, from + TEXT_STEP);
    }
  }

  /** Overrides the library's reader of lines: the text up to LF or CR LF; undefined if the line goes on. */
  consumeLine(): string | undefined {
    const start = this.offset - this.#base;
    const lf = this.#text.indexOf('\n', start);
    if (lf < 0) {
      this.line += this.#text.slice(start);
      this.offset = this.end;
      return undefined;
    }
    this.offset = this.#base + lf + 1;
    let line = this.#text.slice(start, lf);
    if (this.line !== '') {
      line = this.line + line;
      this.line = '';
    }
    this.last = line.charCodeAt(line.length - 1) === CR ? line.slice(0, -1) : line;
    return this.last;
  }

  /** Overrides the library's state between start line and empty line; true stops its loop behind the head. */
  HEADER(): boolean {
    const line = this.consumeLine();
    if (line === undefined) return false;
    if (line !== '') {
      this.parseHeader(line, this.info.headers);
      return false;
    }
    this.#complete();
    this.initialize(this.#kind);
    return true;
  }

  #complete(): void {
    const info = this.info;
    this.unfinished = false;
    // The library reads any digit. konnectivity's server refuses a CONNECT with `HTTP/0.1` (pkg/server/server.go, ProtoMinor alone).
    const { versionMajor: major, versionMinor: minor } = info;
    if (major !== 1 && (major !== 0 || this.#kind === 'REQUEST')) {
      this.refused = true;
      return;
    }
    const version = major === 0 || minor === 0 ? '1.0' : '1.1';
    this.found =
      this.#kind === 'REQUEST'
        ? {
            kind: 'request-head',
            version,
            method: info.method,
            target: info.url,
            fields: info.headers,
            partial: NONE,
          }
        : { kind: 'response-head', version, status: info.statusCode, fields: info.headers, partial: NONE };
  }
}

// Methods as text instead of indices into the library's list: an unknown method is still a method.
(LineParser.prototype as unknown as { _compatMode0_11: boolean })._compatMode0_11 = true;

/** RFC 9112, section 3. */
const REQUEST_LINE_END = / HTTP\/\d\.\d$/;
const NONE: readonly never[] = [];
const CR = 0x0d;
const TEXT_STEP = 1024;
