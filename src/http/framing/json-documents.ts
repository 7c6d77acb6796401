// Cuts concatenated JSON documents, with or without newlines between them, at their braces in one pass over each byte.

import { copyRange, latin1Bytes } from '../../core/bytes/bytes.js';
import type { Origin } from '../../core/origin.js';
import { type MessageFramer, type MessageSink, PendingItem } from './message-framer.js';

//   {"type":"ADDED","object":{…}} LF {"type":…
//   └────── document ──────────┘     └── depth 1 at the end of the piece: buffered in #pending
export class JsonDocuments implements MessageFramer {
  #depth = 0;
  #inString = false;
  #escaped = false;
  readonly #pending = new PendingItem();
  #first: Origin | null = null;
  #last: Origin | null = null;
  /** Bytes of `{"type":` that matched at a line start; -1 if not at a line start. Only while `#lost`. */
  #matched = 0;
  #lost: boolean;

  /** @param midway the first bytes may come from the middle of a document. */
  constructor(midway = false) {
    this.#lost = midway;
  }

  feed(bytes: Uint8Array, origin: Origin, sink: MessageSink): void {
    let at = this.#lost ? this.#find(bytes, origin, sink) : 0;
    while (at < bytes.length) {
      if (this.#depth === 0) {
        at = this.#begin(bytes, at, origin, sink);
        continue;
      }
      const end = this.#scan(bytes, at);
      this.#last = origin;
      if (this.#depth > 0) {
        this.#pending.push(bytes.subarray(at, end), origin, sink);
        return;
      }
      if (!this.#finish(bytes, at, end, origin, sink)) return;
      at = end;
    }
  }

  gap(_length: number | null, _origin: Origin, sink: MessageSink): void {
    this.#cut(sink);
    this.#lost = true;
    this.#matched = 0;
  }

  end(_origin: Origin, sink: MessageSink): void {
    this.#cut(sink);
  }

  /** Moves to the next brace and skips other bytes than white space. */
  #begin(bytes: Uint8Array, start: number, origin: Origin, sink: MessageSink): number {
    let junk = 0;
    let at = start;
    for (; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === BRACE_OPEN || byte === BRACKET_OPEN) {
        this.#depth = 1;
        this.#first = origin;
        this.#last = origin;
        break;
      }
      if (byte > SPACE) junk += 1;
    }
    if (junk > 0) sink.onSkipped(junk, origin);
    // #scan reads the brace again, so the depth starts one lower.
    if (this.#depth > 0) this.#depth = OPENING;
    return at;
  }

  /** Reads to the end of the document or of the bytes. @returns the position after it. */
  #scan(bytes: Uint8Array, start: number): number {
    let depth = this.#depth === OPENING ? 0 : this.#depth;
    let inString = this.#inString;
    const length = bytes.length;
    let at = start;
    if (this.#escaped) {
      this.#escaped = false;
      at += 1;
    }
    while (at < length) {
      const byte = bytes[at++];
      if (inString) {
        if (byte === QUOTE) inString = false;
        else if (byte === BACKSLASH) at += 1;
      } else if (byte === QUOTE) inString = true;
      // Brackets differ from braces in one bit only.
      else if ((byte | 0x20) === BRACE_OPEN) depth += 1;
      else if ((byte | 0x20) === BRACE_CLOSE) {
        depth -= 1;
        if (depth === 0) break;
      }
    }
    // If a backslash is the last byte, the escaped character is in the next piece.
    if (at > length) {
      at = length;
      this.#escaped = true;
    }
    this.#depth = depth;
    this.#inString = inString;
    return at;
  }

  #finish(bytes: Uint8Array, start: number, end: number, origin: Origin, sink: MessageSink): boolean {
    if (this.#pending.length === 0) {
      return sink.onMessage(copyRange(bytes, start, end), this.#first!, origin, true, false);
    }
    this.#pending.push(bytes.subarray(start, end), origin, sink);
    const complete = !this.#pending.isTooLong;
    return sink.onMessage(this.#pending.take(), this.#first!, origin, complete, false);
  }

  #cut(sink: MessageSink): void {
    if (this.#pending.length > 0) sink.onMessage(this.#pending.take(), this.#first!, this.#last!, false, false);
    this.#depth = 0;
    this.#inString = false;
    this.#escaped = false;
  }

  // A watch event begins with `{"type":`, and nothing inside an object does so at the start of a line, because line feeds in strings
  // are escaped.
  #find(bytes: Uint8Array, origin: Origin, sink: MessageSink): number {
    let matched = Math.max(0, this.#matched);
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at];
      if (matched >= 0 && byte === DOCUMENT_START[matched]) {
        matched += 1;
        if (matched === 1) {
          this.#first = origin;
          this.#last = origin;
        }
        if (matched < DOCUMENT_START.length) continue;
        this.#lost = false;
        this.#matched = 0;
        const before = at + 1 - DOCUMENT_START.length;
        if (before > 0) sink.onSkipped(before, origin);
        this.#depth = 1;
        this.#pending.push(DOCUMENT_START, origin, sink);
        return at + 1;
      }
      matched = byte === LF ? 0 : -1;
    }
    this.#matched = matched;
    if (matched < bytes.length) sink.onSkipped(bytes.length - Math.max(0, matched), origin);
    return bytes.length;
  }
}

const LF = 0x0a;
const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACKET_OPEN = 0x5b;
const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;
/** `#depth` before the first brace was counted. */
const OPENING = -1;
const DOCUMENT_START = Uint8Array.from(latin1Bytes('{"type":'));
/** The beginning of a watch event in JSON. */
export const JSON_EVENT = Uint8Array.from(latin1Bytes('{"type":"'));
