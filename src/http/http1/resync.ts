// Where an HTTP/1 message may begin, told from a few bytes. Pure.

import type { Side } from '../../tcp/stream-event.js';

/** Methods that a search believes in: RFC 9110, RFC 5789, WebDAV. An unknown word may be any text. */
const METHODS: ReadonlySet<string> = new Set(
  (
    'GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH ' +
    'PROPFIND PROPPATCH MKCOL COPY MOVE LOCK UNLOCK SEARCH REPORT'
  ).split(' '),
);

export function isKnownMethod(method: string): boolean {
  return METHODS.has(method);
}

/** First byte of a request (an upper-case method) or response (`HTTP/`). */
export function canBeginHead(byte: number, from: Side): boolean {
  return from === 'client' ? byte >= 0x41 && byte <= 0x5a : byte === STATUS_LINE[0];
}

/** `METHOD SP` or `HTTP/1.d SP 3DIGIT`, `HTTP/0.d` too, as far as there are bytes. */
export function seemsHead(bytes: Uint8Array, start: number, from: Side): boolean {
  return from === 'client' ? seemsRequest(bytes, start) : seemsResponse(bytes, start);
}

/** Position after the next LF, or the end. */
export function nextLine(bytes: Uint8Array, start: number): number {
  const lf = bytes.indexOf(LF, start);
  return lf < 0 ? bytes.length : lf + 1;
}

function seemsRequest(bytes: Uint8Array, start: number): boolean {
  let method = '';
  for (let at = start; at < bytes.length && at - start <= LONGEST_METHOD; at++) {
    if (bytes[at] === SPACE) return METHODS.has(method);
    method += String.fromCharCode(bytes[at]);
  }
  if (start + method.length < bytes.length) return false;
  for (const known of METHODS) if (known.startsWith(method)) return true;
  return false;
}

function seemsResponse(bytes: Uint8Array, start: number): boolean {
  const end = Math.min(bytes.length - start, STATUS_LINE.length);
  for (let i = 0; i < end; i++) {
    const expected = STATUS_LINE[i];
    const byte = bytes[start + i];
    const last = i === MAJOR ? 0x31 : 0x39;
    if (expected === DIGIT ? byte < 0x30 || byte > last : byte !== expected) return false;
  }
  return true;
}

/** Bytes that `seemsHead` looks at in a response. */
export const STATUS_LINE_START = 12;

const LF = 0x0a;
const SPACE = 0x20;
const LONGEST_METHOD = 9;
const DIGIT = 0;
/** `HTTP/d.d ddd`, zero standing for a digit. */
const STATUS_LINE = Uint8Array.from([0x48, 0x54, 0x54, 0x50, 0x2f, 0, 0x2e, 0, 0x20, 0, 0, 0]);
/** Where the version's first digit is. */
const MAJOR = 5;
