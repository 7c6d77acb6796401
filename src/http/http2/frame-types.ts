// Defines the numbers of RFC 9113, section 6, and which frame headers are valid or plausible.

import { latin1Bytes, u24be, u32be } from '../../core/bytes/bytes.js';

export const DATA = 0;
export const HEADERS = 1;
export const PRIORITY = 2;
export const RST_STREAM = 3;
export const SETTINGS = 4;
export const PUSH_PROMISE = 5;
export const PING = 6;
export const GOAWAY = 7;
export const WINDOW_UPDATE = 8;
export const CONTINUATION = 9;

export const END_STREAM = 0x1;
export const ACK = 0x1;
export const END_HEADERS = 0x4;
export const PADDED = 0x8;
export const PRIORITY_FLAG = 0x20;

export const FRAME_HEADER = 9;

/** The first bytes of a client (RFC 9113, 3.4). */
export const PREFACE = new Uint8Array(latin1Bytes('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'));

/** Whether an endpoint would close the connection because of this frame header (RFC 9113, 4.2 and 6), whatever types and flags. */
export function isFrameFault(length: number, type: number, stream: number): boolean {
  switch (type) {
    case DATA:
    case HEADERS:
    case CONTINUATION:
    case PUSH_PROMISE:
      return stream === 0;
    case PRIORITY:
      return stream === 0 || length !== 5;
    case RST_STREAM:
      return stream === 0 || length !== 4;
    case SETTINGS:
      return stream !== 0 || length % 6 !== 0;
    case PING:
      return stream !== 0 || length !== 8;
    case GOAWAY:
      return stream !== 0 || length < 8;
    case WINDOW_UPDATE:
      return length !== 4;
    default:
      return false;
  }
}

/**
 * Whether a frame of a well-behaved sender can begin at `at`, where there must be nine bytes. Stricter than the protocol, for bytes of
 * unknown position.
 * @param maxStream highest stream that may be open.
 */
export function isPlausibleHeader(b: Uint8Array, at: number, maxStream = MAX_STREAM): boolean {
  const type = b[at + 3];
  if (type > CONTINUATION) return false;
  const length = u24be(b, at);
  if (length > PLAUSIBLE_LENGTH) return false;
  const flags = b[at + 4];
  if ((flags & ~PLAUSIBLE_FLAGS[type]) !== 0) return false;
  const stream = u32be(b, at + 5);
  if (stream > maxStream || isFrameFault(length, type, stream)) return false;
  if (type === SETTINGS && flags === ACK) return length === 0;
  if (type === HEADERS || type === PUSH_PROMISE) return length > 0;
  return true;
}

/** RFC 9113, 5.1.1. */
export const MAX_STREAM = 0x7fffffff;

/**
 * Limit in bytes: length of a frame that a search believes: Go's servers announce up to 1 MiB, the largest in practice; the default is
 * 16 KiB.
 */
const PLAUSIBLE_LENGTH = 1024 * 1024;

const PLAUSIBLE_FLAGS = [
  END_STREAM | PADDED,
  END_STREAM | END_HEADERS | PADDED | PRIORITY_FLAG,
  0,
  0,
  ACK,
  END_HEADERS | PADDED,
  ACK,
  0,
  0,
  END_HEADERS,
];
