// Recognises connections that cannot be read and could be mistaken for HTTP: SPDY/3.1 whose upgrade (exec, attach or port-forward) was
// before the capture, so that its channels are unknown, and TLS that was not decrypted.

import { u24be } from '../core/bytes/bytes.js';
import type { FirstBytes } from './protocol.js';

/** Whether the first bytes of either side are whole SPDY frames as clients of a cluster send them (moby/spdystream). */
export function seemsSpdy({ client, server }: FirstBytes): boolean {
  return areFrames(client) || areFrames(server);
}

//   control  [ 80 03 ][ 00 | type 1…9 ][ flags:8 | length:24 ] …      DATA  [ 00 00 00 | odd ][ 00 or 01 | length:24 ] …
function areFrames(bytes: Uint8Array): boolean {
  let at = 0;
  while (at + HEAD_BYTES <= bytes.length) {
    if (!isHead(bytes, at)) return false;
    const end = at + HEAD_BYTES + u24be(bytes, at + 5);
    if (end > bytes.length) break;
    at = end;
  }
  // At least one frame is whole, and the bytes behind it can begin another.
  return at > 0 && (at === bytes.length || bytes[at] === 0 || bytes[at] === CONTROL);
}

/** Stream ids of a client are 1, 3, 5 …, and no command has more than a hundred streams. */
function isHead(bytes: Uint8Array, at: number): boolean {
  const [a, b, c, d, flags] = bytes.subarray(at, at + 5);
  if (a === CONTROL) return b === VERSION && c === 0 && d >= SYN_STREAM && d <= WINDOW_UPDATE;
  const isData = a === 0 && b === 0 && c === 0 && d % 2 === 1 && flags <= FIN;
  return isData && (flags === FIN || u24be(bytes, at + 5) > 0);
}

const HEAD_BYTES = 8;
const CONTROL = 0x80;
const VERSION = 3;
const SYN_STREAM = 1;
const WINDOW_UPDATE = 9;
const FIN = 1;

/**
 * Recognises TLS by the first record header (RFC 8446 section 5.1). `no-secret`: the handshake was captured; `no-handshake`: the
 * connection is older; `more`: a byte more may decide.
 */
export function seemsTls({ client, server }: FirstBytes): 'no' | 'more' | 'no-secret' | 'no-handshake' {
  const fromClient = recordType(client);
  const fromServer = recordType(server);
  if (fromClient === HANDSHAKE || fromServer === HANDSHAKE) return 'no-secret';
  if (fromClient > MORE || fromServer > MORE) return 'no-handshake';
  return fromClient === MORE || fromServer === MORE ? 'more' : 'no';
}

/** Content type of the first record, MORE, or NO_RECORD. */
function recordType(bytes: Uint8Array): number {
  if (bytes.length === 0 || bytes[0] < CHANGE_CIPHER_SPEC || bytes[0] > APPLICATION_DATA) return NO_RECORD;
  if (bytes.length < 3) return bytes.length === 1 || bytes[1] === MAJOR_VERSION ? MORE : NO_RECORD;
  return bytes[1] === MAJOR_VERSION && bytes[2] <= LAST_MINOR_VERSION ? bytes[0] : NO_RECORD;
}

const NO_RECORD = 0;
const MORE = 1;
const CHANGE_CIPHER_SPEC = 20;
const HANDSHAKE = 22;
const APPLICATION_DATA = 23;
const MAJOR_VERSION = 3;
const LAST_MINOR_VERSION = 4;
