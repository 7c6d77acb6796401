// Reads HTTP/1 heads with http-parser-js. Bodies are not given to the library: it can neither skip lost bytes of a body nor begin in the middle
// of one, and it trusts the numbers of a body: `Content-Length: -60` or a chunk size of `-4` moves its position backwards (for ever), and
// the chunk size `zz` is read as 0.

import { HTTPParser } from 'http-parser-js';
import { latin1 } from '../../core/bytes/bytes.js';
import type { RequestHead, ResponseHead } from '../http-event.js';

/** Limit in bytes: one HTTP/1 head: the limit of http-parser-js; Go's net/http servers stop at 1 MiB, most proxies at 8 to 64 KiB. */
export const MAX_HEAD_BYTES = 80 * 1024;

/** Head of a response whose head was before the capture. */
export const HEADLESS: ResponseHead = { kind: 'response-head', version: '1.1', status: null, fields: [], partial: [] };

export type HeadKind = 'REQUEST' | 'RESPONSE';

/** Why bytes are no head. */
export type Refusal = 'malformed' | 'request-line' | 'too-long';

/** Reads the heads of one direction: `read` until there is a head, an error, or no bytes; `reset` after a gap. */
export class HeadReader {
  /** The head that the latest `read` completed. */
  head: RequestHead | ResponseHead | null = null;
  /** Why the latest `read` stopped without a head; `request-line` is a malformed line that ends like a request line. */
  error: Refusal | null = null;
  /** Bytes of the unfinished head so far. */
  length = 0;
  readonly #kind: HeadKind;
  /** Only while a head is read, so that an idle connection has none. */
  #parser: LineParser | null = null;

  constructor(kind: HeadKind) {
    this.#kind = kind;
  }

  /** Continues a head; the result does not depend on how its bytes are cut. @returns the position after the last byte used. */
  read(bytes: Uint8Array, at: number): number {
    const end = Math.min(bytes.length, at + MAX_HEAD_BYTES - this.length);
    this.#parser ??= new LineParser(this.#kind);
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

  /** Drops an unfinished head; must also be called after each complete head. */
  reset(): void {
    this.#parser = null;
    this.length = 0;
    this.head = null;
    this.error = null;
  }
}

/** Adds one trailer line (without its line end) to `fields`, by the rules of the library. */
export function addFieldLine(line: string, fields: string[]): void {
  try {
    HTTPParser.prototype.parseHeader(line, fields);
  } catch {
    // A bare CR inside the line: no field.
  }
}

/** The used part of http-parser-js, whose own types declare half of it private. */
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
  maxHeaderSize: number;
  initialize(kind: HeadKind): void;
  execute(bytes: Uint8Array, start: number, length: number): number | Error;
  parseHeader(line: string, fields: string[]): void;
}

const Library = HTTPParser as unknown as new (kind: HeadKind) => LibraryParser;

// Two methods of the library are replaced, because heads take most of the time of HTTP/1 (both heads of an exchange, measured: 3.2
// instead of 5.4 µs). The head is decoded to text once instead of line by line, and its end does not search for the length of the body.
class LineParser extends Library {
  found: RequestHead | ResponseHead | null = null;
  /** Bytes were fed since the latest head. */
  unfinished = false;
  /** The head is complete, but not of HTTP/1. */
  refused = false;
  /** The latest line. */
  last = '';
  readonly #kind: HeadKind;
  #text = '';
  #base = 0;

  constructor(kind: HeadKind) {
    super(kind);
    this.#kind = kind;
    // HeadReader enforces the limit, because the library counts bytes of earlier messages of a segment too.
    this.maxHeaderSize = Number.POSITIVE_INFINITY;
  }

  executeHead(bytes: Uint8Array, start: number, end: number): number | Error {
    // Heads are seldom longer, and the bytes of the body should not be decoded.
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

  /** Overrides the library. @returns the text up to LF or CR LF; undefined if the line is not complete. */
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

  /** Overrides the state of the library between start line and empty line. @returns true to stop after the head. */
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
    // The library accepts any version. HTTP/0.x is accepted in responses: konnectivity's server answers a CONNECT that it refuses with a
    // status line of `HTTP/0.1`, as it sets ProtoMinor alone (pkg/server/server.go).
    const { versionMajor: major, versionMinor: minor } = info;
    if (major !== 1 && (major !== 0 || this.#kind === 'REQUEST')) {
      this.refused = true;
      return;
    }
    const version = major === 0 || minor === 0 ? '1.0' : '1.1';
    this.found =
      this.#kind === 'REQUEST'
        ? { kind: 'request-head', version, method: info.method, target: info.url, fields: info.headers, partial: NONE }
        : { kind: 'response-head', version, status: info.statusCode, fields: info.headers, partial: NONE };
  }
}

// Makes methods texts instead of indices into the list of the library, so that unknown methods are possible.
(LineParser.prototype as unknown as { _compatMode0_11: boolean })._compatMode0_11 = true;

/** RFC 9112, section 3. */
const REQUEST_LINE_END = / HTTP\/\d\.\d$/;
const NONE: readonly never[] = [];
const CR = 0x0d;
const TEXT_STEP = 1024;
