// Weighs how much a frame in mid-stream is evidence for HTTP/2. Other protocols are full of zeros and small numbers, nine of which are a
// frame header, so evidence is what such bytes lack: a length that fits the type, values of RFC 9113, a header block that can be
// decoded, a plausible body.

import { latin1Bytes, u16be, u24be, u32be } from '../../core/bytes/bytes.js';
import { signatureAt } from '../../core/first-bytes.js';
import { hpackDecoder } from '../hpack/decoder.js';
import {
  ACK,
  CONTINUATION,
  DATA,
  END_HEADERS,
  FRAME_HEADER,
  GOAWAY,
  HEADERS,
  isPlausibleHeader,
  PADDED,
  PING,
  PRIORITY,
  PRIORITY_FLAG,
  PUSH_PROMISE,
  RST_STREAM,
  SETTINGS,
  WINDOW_UPDATE,
} from './frame-types.js';
import { hasLegalNames } from './stream-heads.js';

/** No frame as clients and servers of Kubernetes send it begins here; neither they nor etcd push. */
export const REFUTED = -1;

/** @returns REFUTED, or points from 0 (no evidence) to 4 (hardly anything else). There must be nine bytes from `at` to `end`. */
export function weighFrame(b: Uint8Array, at: number, end: number): number {
  if (!isPlausibleHeader(b, at)) return REFUTED;
  const type = b[at + 3];
  const stream = u32be(b, at + 5);
  // Only a server's push opens streams with even numbers (RFC 9113, 5.1.1).
  if (stream !== 0 && (stream & 1) === 0) return REFUTED;
  const length = u24be(b, at);
  const payload = at + FRAME_HEADER;
  const stop = payload + length;
  const whole = stop <= end;
  switch (type) {
    case DATA:
      return weighData(b, payload, Math.min(stop, end), length, stream);
    case HEADERS:
      return whole ? weighHeaders(b, payload, stop, b[at + 4]) : 0;
    case PRIORITY:
      return whole && (u32be(b, payload) & 1) === 0 ? 1 : 0;
    case RST_STREAM:
      return !whole ? 0 : u32be(b, payload) <= LAST_ERROR ? 2 : REFUTED;
    case SETTINGS:
      return weighSettings(b, payload, Math.min(stop, end), length);
    case PUSH_PROMISE:
      return REFUTED;
    case PING:
      return 3;
    case GOAWAY:
      return payload + 8 > end ? 0 : u32be(b, payload + 4) <= LAST_ERROR ? 3 : REFUTED;
    case WINDOW_UPDATE:
      if (payload + 4 > end) return 0;
      // An increment of 0 is an error (RFC 9113, 6.9).
      return u32be(b, payload) === 0 ? REFUTED : 2;
    case CONTINUATION:
      return 0;
    default:
      return REFUTED;
  }
}

/** A frame that is complete has the length that it claims. */
function weighData(b: Uint8Array, from: number, to: number, length: number, stream: number): number {
  if (length === 0 || to === from) return 0;
  const fits = to - from === length && stream <= USUAL_STREAMS ? 1 : 0;
  return fits + weighBody(b, from, to, length);
}

function weighBody(b: Uint8Array, from: number, to: number, length: number): number {
  const there = to - from;
  if (there < 5) return 0;
  // gRPC: a compression flag and a length (its HTTP/2 mapping, "Length-Prefixed-Message").
  if (b[from] <= 1 && u32be(b, from + 1) === length - 5) return length > 5 ? 3 : 1;
  // Watch events in protobuf, and everything else after a length of four bytes.
  if (length > 8 && u32be(b, from) === length - 4) return 2;
  if (BODIES.some((start) => signatureAt(b, from, start, to) === 'yes')) return 2;
  return there >= PROSE && isProse(b, from, from + PROSE) ? 1 : 0;
}

function weighHeaders(b: Uint8Array, payload: number, stop: number, flags: number): number {
  let from = payload;
  let to = stop;
  if ((flags & PADDED) !== 0) to -= b[from++];
  if ((flags & PRIORITY_FLAG) !== 0) from += 5;
  if (from >= to) return REFUTED;
  if ((flags & END_HEADERS) === 0) return 0;
  const block = hpackDecoder({ complete: false }).decode(b.subarray(from, to));
  if (block.problem !== null || !hasLegalNames(block)) return REFUTED;
  if (block.firstName?.startsWith(':')) return 4;
  return block.fields.length >= 4 ? 3 : block.fields.length > 0 ? 2 : 1;
}

/** RFC 9113, 6.5.2; RFC 8441; RFC 9218. Programs of a cluster have no other settings. */
function weighSettings(b: Uint8Array, payload: number, to: number, length: number): number {
  if (length === 0) return b[payload - 5] === ACK ? 1 : 0;
  let known = 0;
  for (let at = payload; at + 6 <= to; at += 6) {
    const id = u16be(b, at);
    if (id === 0 || id > LAST_SETTING) return REFUTED;
    known += 1;
  }
  return known === 0 ? 0 : 4;
}

function isProse(b: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (!(b[at] >= 0x20 && b[at] < 0x7f) && b[at] !== 0x0a) return false;
  return true;
}

/** RFC 9113, section 7: HTTP_1_1_REQUIRED. */
const LAST_ERROR = 0xd;
const LAST_SETTING = 9;
/** A larger stream id is as likely any four bytes. */
const USUAL_STREAMS = 0xfffff;
const PROSE = 16;
/** Beginnings of bodies: JSON; `k8s` and a zero, which precede every object in protobuf; gzip. */
const BODIES = [
  Uint8Array.from(latin1Bytes('{"')),
  Uint8Array.from([0x6b, 0x38, 0x73, 0]),
  Uint8Array.from([0x1f, 0x8b, 8]),
];
