// Detects HTTP/1 by the first bytes of both sides, or by chunks of a body in the middle of a connection.

import { latin1, latin1Bytes, u32be } from '../../core/bytes/bytes.js';
import { type Detection, type FirstBytes, signatureAt } from '../../core/first-bytes.js';
import { JSON_EVENT } from '../framing/json-documents.js';
import { chunkSizeAt } from './chunks.js';
import { isKnownMethod, nextLine } from './search.js';

/** Implements `HttpProtocol.detect`. Without the handshake the bytes may begin in a body, so the result is never `no`. */
export function detectHttp1({ client, server }: FirstBytes, handshakeSeen: boolean): Detection {
  const request = beginsRequest(client);
  const response = beginsResponse(server);
  if (request === 'yes' || response === 'yes') return 'yes';
  if (!handshakeSeen) {
    // Chunks show the protocol but not which side is the server, because uploads have chunks too.
    const found = hasRequest(client) || hasResponse(server) || hasChunks(server) || hasChunks(client);
    return found && !isSimilarProtocol(client) && !isSimilarProtocol(server) ? 'yes' : 'more';
  }
  return request === 'no' || response === 'no' ? 'no' : 'more';
}

// A known method with a path is enough; another word, or another target, needs the version at the end of the line, unlike `OPTIONS sip:a
// SIP/2.0`, `CONNECT {"verbose":false}` (NATS) and `GET key` (Redis).
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
  return signatureAt(bytes, at, STATUS_PREFIX);
}

function hasRequest(bytes: Uint8Array): boolean {
  return REQUEST_LINE.test(latin1(bytes));
}

function hasResponse(bytes: Uint8Array): boolean {
  return STATUS_LINE.test(latin1(bytes));
}

/** Whether the bytes have a start line of RTSP, SIP or ICAP (RFC 3507), which may even contain heads of HTTP. */
function isSimilarProtocol(bytes: Uint8Array): boolean {
  return SIMILAR_PROTOCOL.test(latin1(bytes));
}

const SPACE = 0x20;
const HYPHEN = 0x2d;
const SLASH = 0x2f;
const LONGEST_WORD = 24;
/** Limit in bytes: a request target in absolute or authority form, until its line ends. */
const LONGEST_TARGET = 16 * 1024;
const STATUS_PREFIX = Uint8Array.from(latin1Bytes('HTTP/1.'));
const STATUS_LINE = /HTTP\/1\.[01] [1-5]\d\d(?: [^\r\n]*)?\r?(?:$|\n(?:$|\r|[\w.-]+:))/;
const REQUEST_LINE = /(?:GET|HEAD|POST|PUT|DELETE|OPTIONS|PATCH|CONNECT) \S{1,4096} HTTP\/1\.[01]\r\n(?:$|\r|[\w.-]+:)/;
const REQUEST_LINE_END = / HTTP\/1\.\d\r?$/;
const SIMILAR_PROTOCOL =
  /(?:^|\n)(?:[A-Z_]{3,16} \S{1,4096} (?:ICAP|RTSP|SIP)\/\d\.\d\r?\n|(?:ICAP|RTSP|SIP)\/\d\.\d \d{3} )/;

/**
 * Whether bytes from the middle of one direction have chunks. Numbers in lines of their own are in many protocols; the end of a chunk
 * where its size puts it, and its content, are the proof.
 */
function hasChunks(bytes: Uint8Array): boolean {
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
  // A chunk size is hexadecimal. Redis and memcached write lengths in decimal: with two digits or more, these do not match the data.
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

/** Whether a chunk begins with a watch event, in JSON or after its length (protobuf), as in no other protocol. */
function isEvent(b: Uint8Array, data: number, size: number): boolean {
  if (size > 8 && data + 4 <= b.length && u32be(b, data) === size - 4) return true;
  if (isTypeOfEvent(b, data + 4)) return true;
  return signatureAt(b, data, JSON_EVENT) === 'yes';
}

/** Matches field 1 of a WatchEvent (k8s.io/apimachinery, pkg/apis/meta/v1/generated.proto); an event may span several chunks. */
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
/** The first size with two hexadecimal digits. */
const TWO_DIGITS = 16;
/** The first size with three hexadecimal digits: one more size after such a chunk is proof enough. Go writes chunks of 2 KiB. */
const THREE_DIGITS = 256;
/** Bytes of `{"a":1}` and a line end. */
const SHORTEST_OBJECT = 8;
