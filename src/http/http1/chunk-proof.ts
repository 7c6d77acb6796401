// Are there chunks of an HTTP/1.1 body in bytes of which nobody knows what they are? A number in a line of its own is in
// many protocols: what proves a chunk is that its end lies where its size says, and what it holds. Pure.

import { u32be } from '../../core/bytes/bytes.js';
import { JSON_EVENT } from '../framing/sniff-framing.js';
import { chunkSizeAt } from './chunks.js';
import { nextLine } from './resync.js';

/** @param bytes of one direction, from any place on. */
export function holdsChunks(bytes: Uint8Array): boolean {
  if (provesChunks(bytes, 0)) return true;
  for (let at = nextLine(bytes, 0); at < bytes.length; at = nextLine(bytes, at))
    if (bytes[at - 2] === CR && provesChunks(bytes, at)) return true;
  return false;
}

//   1 f 4 CR LF  { " t y p e ... }  CR LF  2 0 CR LF ...
//                ^data              ^end   ^next
function provesChunks(b: Uint8Array, start: number): boolean {
  const { size, data } = chunkSizeAt(b, start);
  if (size <= 0) return false;
  const end = data + size;
  const next = end + 2;
  if (isEvent(b, data, size)) return end >= b.length || endsChunk(b, end);
  if (next > b.length || !endsChunk(b, end)) return false;
  // Lengths in decimal, as Redis and memcached write them, never fit from two digits on.
  if (size >= TWO_DIGITS && start === 0 && next === b.length) return true;
  if (size >= SHORTEST_OBJECT && b[data] === OPENING && b[data + 1] === QUOTE) return true;
  const second = chunkSizeAt(b, next);
  if (second.size < 0) return false;
  if (size >= THREE_DIGITS) return true;
  const secondEnd = second.data + second.size;
  if (secondEnd + 2 > b.length || !endsChunk(b, secondEnd)) return false;
  // The last chunk, or one more.
  return second.size === 0 || size + second.size >= TWO_DIGITS;
}

/** A watch event, in JSON or behind its length (protobuf): no other protocol has it in the first bytes of a chunk. */
function isEvent(b: Uint8Array, data: number, size: number): boolean {
  if (size > 8 && data + 4 <= b.length && u32be(b, data) === size - 4) return true;
  if (isTypeOfEvent(b, data + 4)) return true;
  if (data + JSON_EVENT.length > b.length) return false;
  for (let i = 0; i < JSON_EVENT.length; i++) if (b[data + i] !== JSON_EVENT[i]) return false;
  return true;
}

/** Field 1 of a WatchEvent (k8s.io/apimachinery, pkg/apis/meta/v1/generated.proto); an event may need several chunks. */
function isTypeOfEvent(b: Uint8Array, at: number): boolean {
  if (at + 2 > b.length || b[at] !== FIRST_FIELD) return false;
  const length = b[at + 1];
  if (length < 5 || length > 8 || at + 2 + length > b.length) return false;
  for (let i = at + 2; i < at + 2 + length; i++) if (b[i] < 0x41 || b[i] > 0x5a) return false;
  return true;
}

function endsChunk(b: Uint8Array, at: number): boolean {
  return b[at] === CR && (b[at + 1] === LF || at + 1 === b.length);
}

const CR = 0x0d;
const LF = 0x0a;
const FIRST_FIELD = 0x0a;
const QUOTE = 0x22;
const OPENING = 0x7b;
const TWO_DIGITS = 16;
/** As Go writes them, 2 KiB: the next size behind them is enough. */
const THREE_DIGITS = 256;
/** `{"a":1}` and a line end. */
const SHORTEST_OBJECT = 8;
