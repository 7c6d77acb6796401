// Recognises HTTP/1 by the first bytes of both sides.

import { latin1 } from '../../core/bytes/bytes.js';
import type { Detection, FirstBytes } from '../protocol.js';
import { holdsChunks } from './chunk-proof.js';
import { isKnownMethod } from './resync.js';

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

const CR = 0x0d;
const LF = 0x0a;
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
