// Recognises HTTP/1 by the first bytes of both sides.

import { latin1, u32be } from '../../core/bytes/bytes.js';
import { JSON_EVENT } from '../framing/json-documents.js';
import type { Detection, FirstBytes } from '../protocol.js';
import { chunkSizeAt } from './chunks.js';
import { isKnownMethod, nextLine } from './search.js';

/** See `Protocol.detect`. Without the handshake the bytes may begin in a body, so that only a `yes` can be told. */
export function detectHttp1({ client, server }: FirstBytes, handshakeSeen: boolean): Detection {
  const request = beginsRequest(client);
  const response = beginsResponse(server);
  if (request === 'yes' || response === 'yes') return 'yes';
  if (!handshakeSeen) {
    // Chunks tell the protocol but not who is the server: uploads have them as well.
    const found = holdsRequest(client) || holdsResponse(server) || holdsChunks(server) || holdsChunks(client);
    return found && !isKin(client) && !isKin(server) ? 'yes' : 'more';
  }
  return request === 'no' || response === 'no' ? 'no' : 'more';
}

// A known method and a target are enough; another word, or another target, needs the version at the line's end: `OPTIONS
// sip:a SIP/2.0`, `CONNECT {"verbose":false}` (NATS) and `GET key` (Redis) are none.
function beginsRequest(bytes: Uint8Array): Detection {
  let at = 0;
  while (bytes[at] === CR || bytes[at] === LF) at += 1;
  const start = at;
  while (at < bytes.length && ((bytes[at] >= 0x41 && bytes[at] <= 0x5a) || bytes[at] === HYPHEN)) at += 1;
  if (at - start > LONGEST_WORD) return 'no';
  if (at === bytes.length) return 'more';
  if (at === start || bytes[at] !== SPACE) return 'no';
  if (isKnownMethod(latin1(bytes, start, at)) && bytes[at + 1] === SLASH) return 'yes';
  const end = bytes.indexOf(LF, at);
  if (end < 0) return bytes.length - at > LONGEST_TARGET ? 'no' : 'more';
  return REQUEST_LINE_END.test(latin1(bytes, at, end)) ? 'yes' : 'no';
}

function beginsResponse(bytes: Uint8Array): Detection {
  let at = 0;
  while (bytes[at] === CR || bytes[at] === LF) at += 1;
  const prefix = latin1(bytes, at, Math.min(bytes.length, at + STATUS_PREFIX.length));
  if (prefix === STATUS_PREFIX) return 'yes';
  return STATUS_PREFIX.startsWith(prefix) ? 'more' : 'no';
}

function holdsRequest(bytes: Uint8Array): boolean {
  return REQUEST_LINE.test(latin1(bytes));
}

function holdsResponse(bytes: Uint8Array): boolean {
  return STATUS_LINE.test(latin1(bytes));
}

/** Kin of HTTP, which is written like it, may even carry heads of HTTP: RTSP, SIP, ICAP (RFC 3507). */
function isKin(bytes: Uint8Array): boolean {
  return KIN.test(latin1(bytes));
}

const SPACE = 0x20;
const HYPHEN = 0x2d;
const SLASH = 0x2f;
const LONGEST_WORD = 24;
/** An absolute-form or authority that goes on beyond this is none. */
const LONGEST_TARGET = 16 * 1024;
const STATUS_PREFIX = 'HTTP/1.';
const STATUS_LINE = /HTTP\/1\.[01] [1-5]\d\d(?: [^\r\n]*)?\r?(?:$|\n(?:$|\r|[\w.-]+:))/;
const REQUEST_LINE = /(?:GET|HEAD|POST|PUT|DELETE|OPTIONS|PATCH|CONNECT) \S{1,4096} HTTP\/1\.[01]\r\n(?:$|\r|[\w.-]+:)/;
const REQUEST_LINE_END = / HTTP\/1\.\d\r?$/;
const KIN = /(?:^|\n)(?:[A-Z_]{3,16} \S{1,4096} (?:ICAP|RTSP|SIP)\/\d\.\d\r?\n|(?:ICAP|RTSP|SIP)\/\d\.\d \d{3} )/;

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
