// Recognises connections that cannot be read and could be mistaken for HTTP: SPDY/3.1 whose upgrade (exec, attach or port-forward) was
// before the capture, so that its channels are unknown, and TLS that was not decrypted.

import { u24be } from '../core/bytes/bytes.js';
import { beginsTlsRecord, type FirstBytes, HANDSHAKE } from '../core/first-bytes.js';

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
  // At least one frame is whole, and the bytes after it can begin another.
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
 * Recognises TLS by the first record header. `no-secret`: the handshake was captured; `no-handshake`: the connection is older; `more`: a
 * byte more may decide.
 */
export function seemsTls({ client, server }: FirstBytes): 'no' | 'more' | 'no-secret' | 'no-handshake' {
  const begun = [client, server].filter((bytes) => bytes.length > 0);
  const records = begun.filter((bytes) => beginsTlsRecord(bytes) === 'yes');
  if (records.length > 0) return records.some(([type]) => type === HANDSHAKE) ? 'no-secret' : 'no-handshake';
  return begun.some((bytes) => beginsTlsRecord(bytes) === 'more') ? 'more' : 'no';
}
